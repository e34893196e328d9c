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

    /// The path from the root to something that exists, without symbolic links (realpath(3)).
    /// - Throws: why it is not known.
    package static func absolutePath(of path: String) throws(SystemError) -> String {
        guard let found = unsafe realpath(path, nil) else { throw SystemError.last }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    /// The permissions of something that exists, such as 0o755, behind symbolic links.
    /// - Throws: why they are not known.
    package static func mode(of path: String) throws(SystemError) -> UInt32 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
        return status.st_mode & 0o7777
    }

    /// The size of a file in bytes.
    /// - Throws: why it is not known.
    package static func size(of path: String) throws(SystemError) -> UInt64 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
        return UInt64(clamping: status.st_size)
    }
}
