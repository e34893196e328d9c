internal import Glibc

/// Unix domain sockets.
package enum UnixSocket {
    /// Connects and closes the connection at once, to find out whether a process listens.
    /// - Throws: why the connection failed; with `isMissing` or `isRefused` no process listens.
    package static func probe(_ path: String) throws(SystemError) {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: name.sun_path), !path.utf8.contains(0) else {
            throw SystemError(code: ENAMETOOLONG)
        }
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError.last }
        defer { close(descriptor) }
        let result = unsafe withUnsafeBytes(of: name) { bytes in
            unsafe connect(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard result == 0 else { throw SystemError.last }
    }
}

extension SystemError {
    /// No process listens there.
    package var isRefused: Bool { code == ECONNREFUSED }
}
