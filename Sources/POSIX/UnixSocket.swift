internal import CPOSIX
internal import Glibc

package enum UnixSocket {
    /// Connects and immediately closes the connection, to detect whether a process listens.
    /// - Returns: false when a process listens, but its queue of unaccepted connections is full.
    /// - Throws: the reason why the connection failed. With `isMissing` or `isRefused`, no process listens.
    @discardableResult
    package static func probe(_ path: String) throws(SystemError) -> Bool {
        let name = try UnixSocketName(path)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError.last }
        defer { close(descriptor) }
        let result = unsafe name.withAddress { unsafe connect(descriptor, $0, $1) }
        if result == 0 { return true }
        // The queue of connections is full. A wait for room might never end.
        guard errno == EAGAIN else { throw SystemError.last }
        return false
    }
}

/// The address of a Unix socket in the form of system calls (unix(7)).
struct UnixSocketName {
    private var name = sockaddr_un()
    private let length: Int

    /// - Parameter path: a path, or `@` and an abstract name.
    /// - Throws: when the path is too long or contains a NUL.
    init(_ path: String) throws(SystemError) {
        var bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: name.sun_path), !bytes.contains(0) else { throw SystemError(code: ENAMETOOLONG) }
        let isAbstract = bytes.first == UInt8(ascii: "@")
        if isAbstract { bytes[0] = 0 }
        name.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: bytes) }
        // All bytes of an abstract name are significant, so its length must be exact; a path ends with a NUL.
        length = isAbstract ? MemoryLayout.size(ofValue: name.sun_family) + bytes.count : MemoryLayout.size(ofValue: name)
    }

    func withAddress<Result>(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result) -> Result {
        unsafe withUnsafeBytes(of: name) { unsafe body($0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(length)) }
    }
}

extension SystemError {
    /// Whether no process listens on the socket.
    package var isRefused: Bool { code == ECONNREFUSED }
}
