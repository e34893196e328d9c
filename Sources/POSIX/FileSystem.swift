internal import Glibc

/// What is known of a file system as a whole.
package enum FileSystem {
    /// How many bytes an ordinary user can still write there (statvfs(3)).
    /// - Parameter path: any file or directory on it.
    /// - Throws: why that is not known.
    package static func freeBytes(at path: String) throws(SystemError) -> UInt64 {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { throw SystemError.last }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// The size of a file in bytes.
    /// - Throws: why it is not known.
    package static func size(of path: String) throws(SystemError) -> UInt64 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
        return UInt64(clamping: status.st_size)
    }
}
