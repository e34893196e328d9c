internal import CPOSIX
internal import Glibc

/// A new file that is only appended to, such as a log. It is closed when it is released.
package final class AppendedFile: Sendable {
    /// Valid as long as the object lives.
    package let descriptor: Int32

    /// - Parameter mode: permissions such as 0o600, without those that the umask removes.
    /// - Throws: `alreadyExists` when the file exists; it is not changed.
    package init(_ path: String, mode: UInt32) throws(SystemError) {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw SystemError.last }
    }

    deinit {
        close(descriptor)
    }
}
