internal import CPOSIX
internal import Glibc

package enum FileSystem {
    /// Returns the bytes that an unprivileged user can still write (statvfs(3)).
    /// - Parameter path: any file or directory on the file system.
    package static func freeBytes(at path: String) throws(SystemError) -> UInt64 { try space(at: path).free }

    /// Returns the bytes that an unprivileged user can still write, and the size in bytes (statvfs(3)).
    package static func space(at path: String) throws(SystemError) -> (free: UInt64, size: UInt64) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { throw SystemError.last }
        let block = UInt64(status.f_frsize)
        return (UInt64(status.f_bavail) * block, UInt64(status.f_blocks) * block)
    }

    /// Returns the absolute path of an existing file, without symbolic links (realpath(3)).
    package static func absolutePath(of path: String) throws(SystemError) -> String {
        guard let found = unsafe realpath(path, nil) else { throw SystemError.last }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    /// Returns the absolute path of a file that may be missing, without symbolic links as far as they can be followed.
    package static func location(of path: String) -> String {
        if let existing = try? absolutePath(of: path) { return existing }
        let directory = Path.directory(of: path)
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? path
        return (try? absolutePath(of: directory)).map { Path.resolve(name, in: $0) } ?? path
    }

    /// Returns the text of a symbolic link; nil when the path is not one.
    package static func linkTarget(of path: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &target, target.count)
        return count < 0 ? nil : String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns permissions such as 0o755. Follows symbolic links.
    package static func mode(of path: String) throws(SystemError) -> UInt32 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
        return status.st_mode & 0o7777
    }

    /// Returns the user id. Follows symbolic links.
    package static func owner(of path: String) throws(SystemError) -> UInt32 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
        return status.st_uid
    }

    /// Returns the group id. Follows symbolic links.
    package static func group(of path: String) throws(SystemError) -> UInt32 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
        return status.st_gid
    }

    /// Returns the owner of a path or, if that is not visible, of the nearest visible directory above it; nil when none is visible.
    package static func visibleOwner(of path: String) -> (place: String, owner: UInt32)? {
        Path.ancestors(of: path).lazy.compactMap { place in (try? owner(of: place)).map { (place, $0) } }.first
    }

    /// Returns the user other than root who controls a path, as `Process.asOwner` determines it, and the directory, link or file with that
    /// owner. The service of that user could not write files that root creates there.
    /// - Returns: nil for root's own paths, and when root does not run this process.
    /// - Throws: when no single user controls the path; the error contains the reason and the remedy.
    package static func otherOwner(of path: String) throws(SystemError) -> (place: String, owner: UInt32)? {
        guard Process.isRunByRoot else { return nil }
        let owner = try PathOwner(of: path)
        guard let place = owner.place, owner.user != Machine.unmappedUser else { return nil }
        return (place, owner.user)
    }

    /// Returns the reason why this process cannot read a file, which may be missing; nil when it can.
    package static func obstacle(toReading path: String) -> SystemError? {
        unsafe faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 ? nil : SystemError.last
    }

    /// Returns the time of the last write in seconds since 1970. Follows symbolic links.
    package static func modified(_ path: String) throws(SystemError) -> UInt64 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
        return UInt64(max(0, status.st_mtim.tv_sec))
    }

    /// Follows symbolic links.
    package static func isFile(_ path: String) -> Bool { type(of: path) == S_IFREG }

    /// Follows symbolic links.
    package static func isDirectory(_ path: String) -> Bool { type(of: path) == S_IFDIR }

    package static func isSocket(_ path: String) -> Bool { type(of: path) == S_IFSOCK }

    /// Whether this process may write a file, or create files in a directory.
    package static func isWritable(_ path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, path, isDirectory(path) ? W_OK | X_OK : W_OK, AT_EACCESS) == 0
    }

    /// Returns the names in a directory, without order; empty for anything else, or when it cannot be read.
    package static func names(in directory: String) -> [String] {
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        guard let stream = unsafe fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func type(of path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// In bytes.
    package static func size(of path: String) throws(SystemError) -> UInt64 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
        return UInt64(clamping: status.st_size)
    }
}
