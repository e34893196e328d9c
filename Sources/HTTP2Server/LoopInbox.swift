internal import CNghttp2
internal import Glibc
internal import Threading

/// Commands from other threads for an event loop, and the socket that wakes it.
final class LoopInbox: Sendable {
    enum Command {
        case perform(connection: Int, stream: Int32, HTTP2Action)
        case performOnAll(HTTP2Action)
        /// Accept no more connections and close idle ones.
        case drain
        case end
    }

    private struct State {
        var commands: [Command] = []
        // Waking a thread costs a system call, so only the first command after a `take` does.
        var isAwake = false
    }

    private let state = Monitor(State())
    private let writing: Int32
    /// The descriptor that is readable when there are commands.
    let reading: Int32

    init() throws(HTTP2Error) {
        var ends: [Int32] = [-1, -1]
        // A socket pair, because pipe2(2), which sets O_CLOEXEC, cannot be called from Swift.
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw HTTP2Error(description: "no descriptor is left; raise the limit of open files (ulimit -n)")
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    func post(_ command: Command) {
        let wakes = state.withLock { state in
            state.commands.append(command)
            defer { state.isAwake = true }
            return !state.isAwake
        }
        guard wakes else { return }
        var byte: UInt8 = 0
        unsafe send(writing, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// Takes all commands; only for the loop's thread.
    func take() -> [Command] {
        state.withLock { state in
            if state.isAwake {
                var byte: UInt8 = 0
                while unsafe recv(reading, &byte, 1, 0) > 0 {}
            }
            state.isAwake = false
            defer { state.commands = [] }
            return state.commands
        }
    }
}
