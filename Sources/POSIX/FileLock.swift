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
        // Zero lengths mean the whole file.
        var whole = flock()
        whole.l_type = Int16(F_WRLCK)
        whole.l_whence = Int16(SEEK_SET)
        guard unsafe fcntl(descriptor, Self.setLock, &whole) == 0 else {
            let error = SystemError.last
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// F_OFD_SETLK, which the C library shows to GNU programs only.
    private static let setLock: Int32 = 37
}

extension SystemError {
    /// A lock is held by somebody else.
    package var isHeldElsewhere: Bool { code == EAGAIN || code == EACCES }
}
