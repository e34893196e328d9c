internal import Glibc

/// A file system in memory, which only root may make; unmounted when it is let go.
package final class SmallDisk: Sendable {
    /// Whether this user may make one.
    package static let isPermitted = (try? SmallDisk()) != nil

    private let directory: TemporaryDirectory

    /// Makes one of so many megabytes.
    package init(megabytes: Int = 2) throws {
        directory = try TemporaryDirectory()
        guard unsafe mount("tmpfs", directory.path, "tmpfs", 0, "size=\(megabytes)m") == 0 else {
            throw ChildProcess.Failure.cannotStart(errno)
        }
    }

    deinit {
        unsafe umount2(directory.path, Int32(MNT_DETACH))
    }

    /// The path of something on it.
    package func path(_ name: String) -> String {
        directory.path(name)
    }

    /// Makes a file that takes so many bytes of its room.
    package func fill(_ name: String, bytes: Int) throws {
        try directory.write(name, repeatElement(0, count: bytes))
    }

    /// Removes a file.
    package func remove(_ name: String) {
        unsafe unlink(path(name))
    }

    /// Takes all writing away.
    package func makeReadOnly() throws {
        let flags = UInt(MS_REMOUNT | MS_RDONLY)
        guard unsafe mount("tmpfs", directory.path, "tmpfs", flags, nil) == 0 else { throw ChildProcess.Failure.cannotStart(errno) }
    }
}
