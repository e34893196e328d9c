internal import Glibc
internal import POSIX

/// A file system in memory, which only root can create; it is unmounted when it is released.
package final class SmallDisk: Sendable {
    /// Whether this user may create one.
    package static let isPermitted = (try? SmallDisk()) != nil

    private let directory: TemporaryDirectory

    /// Creates a file system of this size.
    package init(megabytes: Int = 2) throws {
        directory = try TemporaryDirectory()
        guard unsafe mount("tmpfs", directory.path, "tmpfs", 0, "size=\(megabytes)m") == 0 else {
            throw ChildProcess.Failure.cannotStart(errno)
        }
    }

    deinit {
        unsafe umount2(directory.path, Int32(MNT_DETACH))
    }

    package func path(_ name: String) -> String {
        directory.path(name)
    }

    /// The names in its root directory, in order.
    package func contents() -> [String] { directory.contents() }

    /// Creates a file of this size.
    package func fill(_ name: String, bytes: Int) throws {
        // An array, which is written directly; another sequence would be copied byte by byte, which takes seconds.
        try directory.writeInPlace(name, [UInt8](repeating: 0, count: bytes))
    }

    package func remove(_ name: String) {
        unsafe unlink(path(name))
    }

    /// Remounts it read-only.
    package func makeReadOnly() throws {
        let flags = UInt(MS_REMOUNT | MS_RDONLY)
        guard unsafe mount("tmpfs", directory.path, "tmpfs", flags, nil) == 0 else { throw ChildProcess.Failure.cannotStart(errno) }
    }
}

/// Makes every write to a file that this process has open fail, like a faulty disk: its descriptors are replaced by read-only ones.
/// - Returns: whether that has succeeded for all of them.
package func makeUnwritable(_ path: String) -> Bool {
    let broken = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard broken >= 0 else { return false }
    defer { close(broken) }
    for number in ownDescriptors() where number > 2 && number != broken {
        let isFile = linkTarget("/proc/self/fd/\(number)").utf8.elementsEqual(path.utf8)
        if isFile, dup2(broken, number) != number { return false }
    }
    return true
}

/// The open descriptors of this process; other threads may close some in the meantime.
package func ownDescriptors() -> [Int32] {
    FileSystem.names(in: "/proc/self/fd").compactMap { Int32($0) }.sorted()
}

/// The target of a symbolic link, such as a descriptor's in /proc/self/fd; empty when there is none.
package func linkTarget(_ path: String) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink(path, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
