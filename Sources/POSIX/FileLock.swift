internal import Glibc

/// An advisory lock on one byte of a file, held from its making until it is let go or the process ends, however it ends.
///
/// It belongs to the open file (fcntl_locking(2), "open file description locks") and so to its inode: whoever removes or replaces the file's name
/// opens no way in. It excludes other holders in this process as well.
///
/// Closing any descriptor of a file drops the locks that the process has on it by F_SETLK, such as SQLite's. So the lock must be taken before such a
/// user opens the file, be let go after it has closed it, and not be tried again by the same process meanwhile.
package final class FileLock: Sendable {
    /// Why the lock was not taken.
    package enum Failure: Error, Equatable {
        /// Another holder has it. The number is the process that has locked the file by F_SETLK, if there is one.
        case held(by: Int32?)
        /// The file cannot be opened or locked.
        case system(SystemError)
    }

    /// Which file is locked.
    package let identity: FileIdentity
    private let descriptor: Int32

    /// Takes the lock without waiting.
    /// - Parameters:
    ///   - path: an existing file that this user may write.
    ///   - byte: the locked byte; the file need not be that long.
    ///   - others: bytes that other users of the file lock by F_SETLK, to find out who they are.
    package init(_ path: String, byte: Int64, others: Range<Int64>) throws(Failure) {
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(.last) }
        do throws(Failure) {
            identity = try Self.lock(descriptor, path, byte, others)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit {
        // Closing alone would leave the lock to a program that is being started just now, until it has closed its copy of the descriptor.
        _ = Self.set(F_UNLCK, 0, on: descriptor)
        close(descriptor)
    }

    /// Whether the file has no name any more.
    package var isRemoved: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }

    /// The process that has locked one of these bytes by F_SETLK, if it is not this one.
    package func holder(of bytes: Range<Int64>) -> Int32? {
        Self.holder(of: bytes, on: descriptor)
    }

    private static func lock(
        _ descriptor: Int32, _ path: String, _ byte: Int64, _ others: Range<Int64>
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
        // Whoever had the lock until now may have put another file in its place.
        guard locked == named else { throw .held(by: nil) }
        return locked
    }

    /// Locks one byte, or unlocks all from one on.
    private static func set(_ type: Int32, _ byte: Int64, on descriptor: Int32) -> Bool {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = Int(byte)
        range.l_len = type == F_UNLCK ? 0 : 1
        return unsafe fcntl(descriptor, setLock, &range) == 0
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

    /// F_OFD_SETLK, which the C library shows to GNU programs only.
    private static let setLock: Int32 = 37
}

/// Which file this is, whatever its path: the device and the inode. Two files have different ones as long as either is open or has a name.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Asks for the file that a path leads to; symbolic links are followed.
    /// - Throws: `isMissing` when there is none.
    package init(path: String) throws(SystemError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
        self.init(status)
    }

    /// Asks for an open file.
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
