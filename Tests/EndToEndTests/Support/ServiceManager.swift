import Glibc
import TestSupport
import Testing
import Threading

/// A service manager's side of sd_notify(3): a datagram socket in a temporary directory. A thread reads it, because the service blocks
/// while the socket's buffer is full.
final class ServiceManager {
    /// One datagram: its values by name.
    typealias Message = [String: String]

    /// Datagrams from the manager to itself. The mark shows that the thread has read all earlier ones; the other one ends the thread.
    private enum Own {
        static let mark = "DESKGATE_TEST_MARK"
        static let end = "DESKGATE_TEST_END"
    }

    let environment: [String: String]
    private let descriptor: Int32
    private let own: Int32
    private let directory: TemporaryDirectory
    private let messages: Monitor<[Message]>
    private let reader: DedicatedThread

    /// Opens the socket.
    /// - Parameters:
    ///   - watchdogMicroseconds: the watchdog's timeout; nil for no watchdog.
    ///   - isAbstract: whether the socket has an abstract name instead of a path.
    init(watchdogMicroseconds: UInt64? = nil, isAbstract: Bool = false) throws {
        directory = try TemporaryDirectory()
        let path = directory.path("notify")
        var environment: [String: String] = [:]
        environment["NOTIFY_SOCKET"] = isAbstract ? "@\(path)" : path
        environment["WATCHDOG_USEC"] = watchdogMicroseconds.map { "\($0)" }
        self.environment = environment
        let (receiving, sending) = (Self.datagramSocket(), Self.datagramSocket())
        (descriptor, own) = (receiving, sending)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let bytes = isAbstract ? [0] + Array(path.utf8) : Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
        let isOpen = unsafe withUnsafeBytes(of: name) { name in
            let address = unsafe name.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return unsafe bind(receiving, address, length) == 0 && connect(sending, address, length) == 0
        }
        guard isOpen else { throw TemporaryDirectory.Failure.cannotWrite(errno) }
        let messages = Monitor<[Message]>([])
        self.messages = messages
        reader = startThread {
            while let message = Self.receive(receiving), message[Own.end] == nil { messages.update { $0.append(message) } }
        }
    }

    deinit {
        send(Own.end)
        reader.join()
        close(descriptor)
        close(own)
    }

    private static func datagramSocket() -> Int32 { socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }

    private static func receive(_ descriptor: Int32) -> Message? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { return nil }
        var message: Message = [:]
        for line in String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            message[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
        }
        return message
    }

    private func send(_ name: String) {
        let bytes = Array(name.utf8)
        unsafe Glibc.send(own, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// The next message; nil at the time limit.
    func next() -> Message? {
        messages.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.isEmpty ? nil : $0.removeFirst() }
    }

    /// The next message with a value of this name; others are dropped.
    func next(with name: String) -> Message? {
        while let message = next() {
            if message[name] != nil { return message }
        }
        return nil
    }

    /// All messages that have been sent but not yet read.
    func waiting() -> [Message] {
        send(Own.mark)
        let all = messages.wait(timeoutMilliseconds: WaitLimit.milliseconds) { messages -> [Message]? in
            guard let end = messages.firstIndex(where: { $0[Own.mark] != nil }) else { return nil }
            defer { messages.removeSubrange(...end) }
            return Array(messages[..<end])
        }
        if all == nil { Issue.record("the manager's own message does not arrive") }
        return all ?? []
    }
}
