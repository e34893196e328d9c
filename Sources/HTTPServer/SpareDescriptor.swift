// In a static build the flags of send(2) are declared here.
internal import CMicrohttpd
internal import Glibc
internal import Synchronization

/// A spare file descriptor, for when the process has no other one left.
///
/// Without a free descriptor the server can neither accept nor reject a connection, and epoll reports it repeatedly. With the spare one
/// closed for a moment, the server accepts each pending connection, answers 503 and closes it.
final class SpareDescriptor: Sendable {
    private static let maximumAtOnce = 64
    private static let none: Int32 = -1

    private let descriptor: Atomic<Int32>

    init() {
        descriptor = Atomic(Self.open())
    }

    deinit {
        let held = descriptor.load(ordering: .relaxed)
        if held >= 0 { close(held) }
    }

    /// Answers the pending connections of a listening socket. Called on a thread that has just failed to accept one.
    /// - Parameter answer: the bytes to send to each; nil only closes it.
    /// - Returns: the number of connections; nil when the spare descriptor is lost, because another thread got it when it was last closed.
    func reject(from listening: Int32, answer: [UInt8]?) -> Int? {
        let held = descriptor.exchange(Self.none, ordering: .acquiringAndReleasing)
        guard held >= 0 else {
            // Another thread may be using it: wait briefly.
            _ = poll(nil, 0, 10)
            let opened = Self.open()
            keep(opened)
            return opened >= 0 ? 0 : nil
        }
        close(held)
        var count = 0
        while count < Self.maximumAtOnce {
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

    /// Reads what the client has sent, because closing a socket with unread data resets it and the answer may be lost.
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
