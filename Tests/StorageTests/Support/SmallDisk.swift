import Glibc
import TestSupport

/// A file system in memory of two megabytes, which only root may make; unmounted when it is let go.
final class SmallDisk: Sendable {
    static let isPermitted = (try? SmallDisk()) != nil

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        guard unsafe mount("tmpfs", directory.path, "tmpfs", 0, "size=2m") == 0 else { throw ChildProcess.Failure.cannotStart(errno) }
    }

    deinit {
        unsafe umount2(directory.path, Int32(MNT_DETACH))
    }

    func path(_ name: String) -> String {
        directory.path(name)
    }

    /// Takes all writing away.
    func makeReadOnly() throws {
        let flags = UInt(MS_REMOUNT | MS_RDONLY)
        guard unsafe mount("tmpfs", directory.path, "tmpfs", flags, nil) == 0 else { throw ChildProcess.Failure.cannotStart(errno) }
    }
}
