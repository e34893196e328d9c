internal import CPOSIX
internal import Glibc

/// Reads and creates small files as a whole.
package enum File {
    /// The content of a file, with its attributes at the time of reading.
    package struct Contents: Sendable {
        package let bytes: [UInt8]
        /// Permissions such as 0o600.
        package let mode: UInt32
        /// The user id.
        package let owner: UInt32
        /// Whether the file is on a read-only file system in memory, as secrets of Docker and Kubernetes are.
        package let isOnReadOnlyMemory: Bool

        /// Whether the file belongs to this user or root, only the owner may change it, and at most the owner's group may also read it.
        package var isPrivate: Bool { (owner == 0 || owner == Process.user) && !isReadableByEveryone && mode & (S_IWGRP | S_IWOTH) == 0 }

        package var isReadableByEveryone: Bool { mode & S_IROTH != 0 }
    }

    /// - Parameter limit: in bytes; a longer file fails with EFBIG.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> Contents {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError.last }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw SystemError(code: EISDIR) }
        return Contents(
            bytes: try readAll(descriptor, limit: limit), mode: status.st_mode & 0o7777,
            owner: status.st_uid,
            isOnReadOnlyMemory: shim_fstatfs_is_read_only_memory(descriptor) == 1)
    }

    /// Reads the first bytes of a file, at most `count`.
    package static func beginning(of path: String, count: Int) throws(SystemError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last }
        defer { close(descriptor) }
        var length = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            length = unsafe Glibc.read(descriptor, buffer.baseAddress, count)
            initialized = max(length, 0)
        }
        guard length >= 0 else { throw SystemError.last }
        return bytes
    }

    /// Removes the content of an existing file. The owner and permissions stay. Durable when it returns.
    package static func empty(_ path: String) throws(SystemError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last }
        defer { close(descriptor) }
        guard ftruncate(descriptor, 0) == 0, fsync(descriptor) == 0 else { throw SystemError.last }
    }

    /// Reads standard input to its end.
    /// - Parameter limit: in bytes; longer input fails with EFBIG.
    package static func readStandardInput(limit: Int) throws(SystemError) -> [UInt8] {
        try readAll(0, limit: limit)
    }

    /// Creates a file, and makes it durable before it returns.
    /// - Parameter mode: permissions such as 0o600.
    /// - Throws: `alreadyExists` when the file exists, which is not changed. After any other error, no part of the file is left.
    package static func create(_ path: String, mode: UInt32, _ bytes: some Sequence<UInt8>) throws(SystemError) {
        let descriptor = try openNew(path, mode)
        defer { close(descriptor) }
        do throws(SystemError) {
            try fill(descriptor, mode: mode, bytes: Array(bytes))
        } catch {
            try? remove(path)
            throw error
        }
    }

    /// Creates a file like `create`, but for a command: with the permissions of the directory's owner, and with the owner and group of
    /// another file. They are set on the open file, because the directory's owner may have replaced its name by a symbolic link.
    /// - Parameter model: a file whose owner and group it gets.
    package static func create(
        _ path: String, mode: UInt32, ownedAs model: String, _ bytes: some Sequence<UInt8>
    ) throws(SystemError) {
        let descriptor = try Process.asOwner(of: path) { () throws(SystemError) in try openNew(path, mode) }
        defer { close(descriptor) }
        do throws(SystemError) {
            var status = stat()
            guard unsafe stat(model, &status) == 0, fchown(descriptor, status.st_uid, status.st_gid) == 0 else { throw SystemError.last }
            try fill(descriptor, mode: mode, bytes: Array(bytes))
        } catch {
            try? Process.asOwner(of: path) { () throws(SystemError) in try remove(path) }
            throw error
        }
    }

    private static func openNew(_ path: String, _ mode: UInt32) throws(SystemError) -> Int32 {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions(mode))
        guard descriptor >= 0 else { throw SystemError.last }
        return descriptor
    }

    private static func fill(_ descriptor: Int32, mode: UInt32, bytes: [UInt8]) throws(SystemError) {
        // The umask may have removed requested permissions.
        guard fchmod(descriptor, permissions(mode)) == 0 else { throw SystemError.last }
        try write(bytes, to: descriptor)
        guard fsync(descriptor) == 0 else { throw SystemError.last }
    }

    /// Drops S_ISUID and S_ISGID, because a mode may be copied from a file of another user.
    private static func permissions(_ mode: UInt32) -> UInt32 { mode & 0o777 }

    /// Does not change an existing directory.
    package static func createDirectory(_ path: String, mode: UInt32) throws(SystemError) {
        if unsafe mkdir(path, mode) != 0, errno != EEXIST { throw SystemError.last }
    }

    package static func remove(_ path: String) throws(SystemError) {
        guard unsafe unlink(path) == 0 else { throw SystemError.last }
    }

    /// Gives a file a second name (link(2)).
    /// - Throws: `alreadyExists` when the name exists.
    package static func link(_ path: String, as name: String) throws(SystemError) {
        guard unsafe Glibc.link(path, name) == 0 else { throw SystemError.last }
    }

    /// Renames a file, and replaces an existing one.
    package static func rename(_ path: String, to name: String) throws(SystemError) {
        guard unsafe Glibc.rename(path, name) == 0 else { throw SystemError.last }
    }

    /// Replaces a file atomically: after a crash or a loss of power it has its former content or the new one. Durable when it returns.
    /// - Parameter mode: permissions such as 0o600.
    /// - Throws: with the former file unchanged, unless only the final fsync of the directory failed.
    package static func replace(_ path: String, mode: UInt32, _ bytes: [UInt8]) throws(SystemError) {
        // One name, so that the next call removes what a killed process has left.
        let draft = "\(path).part"
        try? remove(draft)
        do throws(SystemError) {
            try create(draft, mode: mode, bytes)
            try rename(draft, to: path)
        } catch {
            try? remove(draft)
            throw error
        }
        try synchronize(Path.directory(of: path))
    }

    /// Makes a file, or the names in a directory, durable (fsync(2)).
    package static func synchronize(_ path: String) throws(SystemError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError.last }
    }

    /// Whether the path exists, also as a dangling symbolic link.
    package static func exists(_ path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, path, F_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Writes all bytes, with as many calls as needed.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written >= 0 else { throw SystemError.last }
            rest = rest.dropFirst(written)
        }
    }

    private static func readAll(_ descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            var count = 0
            bytes += unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, initialized in
                count = unsafe Glibc.read(descriptor, buffer.baseAddress, 4096)
                initialized = max(count, 0)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError.last }
            guard bytes.count <= limit else { throw SystemError(code: EFBIG) }
            if count == 0 { return bytes }
        }
    }
}
