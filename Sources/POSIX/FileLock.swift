internal import Glibc

/// An advisory lock on a file, held from its making until it is let go or the process ends, however it ends.
///
/// It belongs to the open file (fcntl_locking(2), "open file description locks"), so it excludes other holders in this process as well. The file
/// stays: removing it would let two hold locks of the same name.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, and makes the file, for its owner only, when there is none.
    /// - Throws: `isHeldElsewhere`, without waiting, when somebody has it already; otherwise why the file cannot be opened.
    package init(_ path: String) throws(SystemError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError.last }
        guard Self.set(F_WRLCK, on: descriptor) else {
            let error = SystemError.last
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit {
        // Closing alone would leave the lock to a program that is being started just now, until it has closed its copy of the descriptor.
        _ = Self.set(F_UNLCK, on: descriptor)
        close(descriptor)
    }

    /// Locks or unlocks the whole file, for which its lengths are zero.
    private static func set(_ type: Int32, on descriptor: Int32) -> Bool {
        var whole = flock()
        whole.l_type = Int16(type)
        whole.l_whence = Int16(SEEK_SET)
        return unsafe fcntl(descriptor, setLock, &whole) == 0
    }

    /// F_OFD_SETLK, which the C library shows to GNU programs only.
    private static let setLock: Int32 = 37
}

extension SystemError {
    /// A lock is held by somebody else.
    package var isHeldElsewhere: Bool { code == EAGAIN || code == EACCES }
}
