internal import CPOSIX
internal import Glibc

/// An advisory lock on one byte of a file, held until this object is released or the process ends in any way.
///
/// The lock belongs to the open file description (fcntl_locking(2)) and so to the inode: removing or replacing the file's name does not
/// release it. It also excludes other holders in this process.
///
/// Closing any descriptor of a file drops the F_SETLK locks that the process has on it, such as SQLite's. So take the lock before SQLite
/// opens the file, release it after SQLite has closed it, and do not try to take it again in the same process meanwhile.
package final class FileLock: Sendable {
    package enum Failure: Error, Equatable {
        /// Another holder has the lock. The number is the process that has locked the file with F_SETLK, if there is one.
        case held(by: Int32?)
        case system(SystemError)
    }

    package let identity: FileIdentity
    private let descriptor: Int32

    /// Takes the lock without waiting.
    /// - Parameters:
    ///   - path: an existing file that this user may write.
    ///   - byte: the byte to lock; the file may be shorter.
    ///   - others: bytes that other users of the file lock with F_SETLK, to identify their process.
    package init(_ path: String, byte: Int64, others: Range<Int64>) throws(Failure) {
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(.last) }
        do throws(Failure) {
            identity = try Self.lock(descriptor, path: path, byte: byte, others: others)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit {
        // Closing alone would leave the lock to a child process that is being started, until it has closed its copy of the descriptor.
        _ = Self.set(F_UNLCK, 0, on: descriptor)
        close(descriptor)
    }

    /// Whether the file was unlinked.
    package var isRemoved: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }

    /// Returns another process that has locked one of these bytes with F_SETLK; nil: none.
    package func holder(of bytes: Range<Int64>) -> Int32? {
        Self.holder(of: bytes, on: descriptor)
    }

    /// Searches the file byte by byte, without opening it again.
    package func search(for texts: [[UInt8]]) throws(SystemError) -> FileSearch.Finding {
        try FileSearch.search(descriptor, for: texts)
    }

    private static func lock(
        _ descriptor: Int32, path: String, byte: Int64, others: Range<Int64>
    ) throws(Failure) -> FileIdentity {
        guard set(F_WRLCK, byte, on: descriptor) else {
            let error = SystemError.last
            throw error.code == EAGAIN ? .held(by: holder(of: others, on: descriptor)) : .system(error)
        }
        let (locked, named): (FileIdentity, FileIdentity)
        do throws(SystemError) {
            (locked, named) = (try FileIdentity(descriptor: descriptor), try FileIdentity(path: path))
        } catch {
            throw .system(error)
        }
        // The previous holder may have replaced the file before it released the lock.
        guard locked == named else { throw .held(by: nil) }
        return locked
    }

    /// Locks one byte, or unlocks all bytes from one on.
    private static func set(_ type: Int32, _ byte: Int64, on descriptor: Int32) -> Bool {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = Int(byte)
        range.l_len = type == F_UNLCK ? 0 : 1
        return unsafe fcntl(descriptor, setLock, &range) == 0
    }

    /// Whether a process holds the lock on a byte of a file; false when the file cannot be opened.
    ///
    /// Closing the file drops the F_SETLK locks that this process has on it, such as SQLite's. So do not call it while this process has the
    /// file open.
    package static func isHeld(_ path: String, byte: Int64) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = Int(byte)
        range.l_len = 1
        return unsafe fcntl(descriptor, getLock, &range) == 0 && range.l_type != F_UNLCK
    }

    /// Returns the process that has locked some of the bytes of a file with F_SETLK; nil when there is none, or this user may not read the
    /// file. Do not call it while this process has such locks on the file.
    package static func holder(of bytes: Range<Int64>, in path: String) -> Int32? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return holder(of: bytes, on: descriptor)
    }

    private static func holder(of bytes: Range<Int64>, on descriptor: Int32) -> Int32? {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = Int(bytes.lowerBound)
        range.l_len = bytes.count
        guard unsafe fcntl(descriptor, F_GETLK, &range) == 0, range.l_type != F_UNLCK, range.l_pid > 0 else { return nil }
        return range.l_pid
    }

    /// F_OFD_GETLK and F_OFD_SETLK, which the C library declares for GNU programs only.
    private static let (getLock, setLock): (Int32, Int32) = (36, 37)
}

/// The device and inode of a file. No two files have the same identity while both are open or have a name.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Follows symbolic links.
    /// - Throws: `isMissing` when there is no file.
    package init(path: String) throws(SystemError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
        self.init(status)
    }

    init(descriptor: Int32) throws(SystemError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError.last }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
