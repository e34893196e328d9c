import Glibc
import TestSupport

/// A service manager's side of sd_notify(3): a datagram socket in a directory of its own.
final class ServiceManager {
    /// One datagram: its values by their names.
    typealias Message = [String: String]

    /// What a service finds in its environment.
    let environment: [String: String]
    private let descriptor: Int32
    private let directory: TemporaryDirectory

    /// Opens the socket.
    /// - Parameters:
    ///   - watchdogMicroseconds: how long the service may be silent; nil for no watchdog.
    ///   - isAbstract: whether the socket has a name in place of a path.
    init(watchdogMicroseconds: UInt64? = nil, isAbstract: Bool = false) throws {
        directory = try TemporaryDirectory()
        let path = directory.path("notify")
        var environment: [String: String] = [:]
        environment["NOTIFY_SOCKET"] = isAbstract ? "@\(path)" : path
        environment["WATCHDOG_USEC"] = watchdogMicroseconds.map { "\($0)" }
        self.environment = environment
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let bytes = isAbstract ? [0] + Array(path.utf8) : Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1)
        let result = unsafe withUnsafeBytes(of: name) {
            unsafe bind(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(length))
        }
        guard result == 0 else { throw TemporaryDirectory.Failure.cannotWrite(errno) }
    }

    deinit {
        close(descriptor)
    }

    /// The next message; nil when none comes in time.
    func next(timeoutMilliseconds: Int32 = 20_000) -> Message? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, timeoutMilliseconds) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        var message: Message = [:]
        for line in String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            message[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
        }
        return message
    }

    /// The next message that has a value of this name; others are dropped.
    func next(with name: String) -> Message? {
        while let message = next() {
            if message[name] != nil { return message }
        }
        return nil
    }

    /// Whether no message comes for so long.
    func isSilent(milliseconds: Int32) -> Bool { next(timeoutMilliseconds: milliseconds) == nil }
}
