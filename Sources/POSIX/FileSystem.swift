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

    /// Whether a directory is there, be it behind a symbolic link.
    package static func isDirectory(_ path: String) -> Bool { type(of: path) == S_IFDIR }

    /// Whether a Unix socket is there.
    package static func isSocket(_ path: String) -> Bool { type(of: path) == S_IFSOCK }

    /// Whether this process may write a file, or make files in a directory.
    package static func isWritable(_ path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, path, isDirectory(path) ? W_OK | X_OK : W_OK, AT_EACCESS) == 0
    }

    /// Whether another process holds a lock on any part of a file (fcntl_locking(2)); false where there is none to look at.
    ///
    /// Closing the file lets go what this process has locked there by F_SETLK, as SQLite does: ask only where it has nothing open.
    package static func isLocked(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var whole = flock()
        whole.l_type = Int16(F_WRLCK)
        whole.l_whence = Int16(SEEK_SET)
        // F_OFD_GETLK, which the C library shows to GNU programs only, finds locks of both kinds.
        return unsafe fcntl(descriptor, 36, &whole) == 0 && whole.l_type != Int16(F_UNLCK)
    }

    private static func type(of path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// The size of a file in bytes.
    /// - Throws: why it is not known.
    package static func size(of path: String) throws(SystemError) -> UInt64 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
        return UInt64(clamping: status.st_size)
    }
}
