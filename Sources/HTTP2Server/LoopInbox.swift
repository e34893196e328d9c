internal import CNghttp2
internal import Glibc
internal import Threading

/// The commands from other threads to an event loop, and the socket that wakes the loop.
final class LoopInbox: Sendable {
    enum Command {
        case perform(connection: Int, stream: Int32, HTTP2Action)
        case performOnAll(HTTP2Action)
        /// Stop accepting connections, and close idle connections.
        case drain
        case end
    }

    private struct State {
        var commands: [Command] = []
        // Waking a thread costs a system call, so only the first command after a `take` wakes it.
        var isAwake = false
    }

    private let state = Monitor(State())
    private let writing: Int32
    /// A descriptor that is readable when commands are available.
    let reading: Int32

    init() throws(HTTP2Error) {
        var ends: [Int32] = [-1, -1]
        // A socket pair is used, because Swift cannot call pipe2(2), which sets O_CLOEXEC.
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

    /// Removes and returns all commands. Only the loop's thread may call it.
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
