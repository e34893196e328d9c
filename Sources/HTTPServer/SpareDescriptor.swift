// A static build finds the flags of send(2) here.
internal import CMicrohttpd
internal import Glibc
internal import Synchronization

/// A file descriptor kept back for the time when the process has no other.
///
/// Then a connection can be neither accepted nor refused, and whoever waits for it is woken at once again, for ever. Giving up the spare one
/// for a moment lets each connection that waits be answered 503 and closed.
final class SpareDescriptor: Sendable {
    private static let mostAtOnce = 64
    private static let none: Int32 = -1

    private let descriptor: Atomic<Int32>

    init() {
        descriptor = Atomic(Self.open())
    }

    deinit {
        let held = descriptor.load(ordering: .relaxed)
        if held >= 0 { close(held) }
    }

    /// Answers the connections that wait at a listening socket; called on a thread that has just failed to accept one.
    /// - Parameter answer: what each gets; nil only closes it.
    /// - Returns: how many there were.
    func turnAway(from listening: Int32, answer: [UInt8]?) -> Int {
        let held = descriptor.exchange(Self.none, ordering: .acquiringAndReleasing)
        guard held >= 0 else {
            // Another thread has it, or somebody else took it when it was last given up: then nothing can be done but wait.
            _ = poll(nil, 0, 10)
            keep(Self.open())
            return 0
        }
        close(held)
        var count = 0
        while count < Self.mostAtOnce {
            let client = accept(listening, nil, nil)
            guard client >= 0 else { break }
            Self.refuse(client, answer)
            count += 1
        }
        keep(Self.open())
        return count
    }

    private func keep(_ opened: Int32) {
        guard opened >= 0 else { return }
        let previous = descriptor.exchange(opened, ordering: .acquiringAndReleasing)
        if previous >= 0 { close(previous) }
    }

    /// Whether a connection waits to be accepted.
    static func isAwaited(at listening: Int32) -> Bool {
        var request = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) == 1
    }

    /// What the client has sent is read, because closing a socket with unread data resets it and the answer may be lost.
    private static func refuse(_ client: Int32, _ answer: [UInt8]?) {
        var scratch: InlineArray<2048, UInt8> = InlineArray(repeating: 0)
        var span = scratch.mutableSpan
        _ = unsafe span.withUnsafeMutableBytes { unsafe recv(client, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
        if let answer { unsafe send(client, answer, answer.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) }
        shutdown(client, Int32(SHUT_WR))
        close(client)
    }

    private static func open() -> Int32 {
        unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
}
