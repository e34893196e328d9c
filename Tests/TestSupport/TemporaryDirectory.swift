internal import Glibc
internal import POSIX

/// A directory for one test, removed with its contents when it is released.
package final class TemporaryDirectory: Sendable {
    /// A failure to prepare a test's files, with its errno value.
    package enum Failure: Error {
        case cannotMakeDirectory(Int32), cannotWrite(Int32)
    }

    package let path: String

    /// Makes the directory, which only this user may enter.
    /// - Parameter parent: the directory in which to create it.
    package init(in parent: String = "/tmp") throws {
        var template = Array("\(parent)/deskgate-test-XXXXXX\0".utf8)
        let made = unsafe template.withUnsafeMutableBytes { bytes in
            unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress.flatMap { unsafe mkdtemp($0) } != nil
        }
        guard made else { throw Failure.cannotMakeDirectory(errno) }
        path = String(decoding: template.dropLast(), as: UTF8.self)
    }

    deinit {
        Self.remove(path)
    }

    package func path(_ name: String) -> String {
        "\(path)/\(name)"
    }

    /// The names in it and in its subdirectories, as relative paths, in order.
    package func contents() -> [String] {
        Self.descendants(of: path).map { String($0.dropFirst(path.count + 1)) }.sorted()
    }

    /// Writes or replaces a file, in one step for watchers, and creates its parent directories.
    /// - Parameter mode: the file's permissions, such as 0o600.
    package func write(_ name: String, _ bytes: some Sequence<UInt8>, mode: UInt32 = 0o600) throws {
        let temporary = "\(name).being-written"
        try writeInPlace(temporary, bytes, mode: mode)
        guard unsafe rename(path(temporary), path(name)) == 0 else { throw Failure.cannotWrite(errno) }
    }

    /// Like `write`, but the file is missing for a moment, and then grows.
    package func writeInPlace(_ name: String, _ bytes: some Sequence<UInt8>, mode: UInt32 = 0o600) throws {
        var directory = path
        for part in name.split(separator: "/").dropLast() {
            directory += "/\(part)"
            try Self.makeDirectory(directory)
        }
        unsafe unlink(path(name))
        // Without syncing, which a test's file does not need.
        let descriptor = unsafe open(path(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure.cannotWrite(errno) }
        defer { close(descriptor) }
        guard fchmod(descriptor, mode) == 0 else { throw Failure.cannotWrite(errno) }
        try File.write(Array(bytes), to: descriptor)
    }

    /// Writes or replaces a text file, and creates its parent directories.
    /// - Parameter mode: the file's permissions, such as 0o600.
    package func write(_ name: String, _ text: String, mode: UInt32 = 0o600) throws {
        try write(name, text.utf8, mode: mode)
    }

    /// A file's contents as text. Invalid UTF-8 is repaired, so tests of exact bytes do not use it.
    package func read(_ name: String) throws -> String {
        String(decoding: try File.read(path(name), limit: 1 << 24).bytes, as: UTF8.self)
    }

    /// Creates a sparse file of `size` zero bytes.
    package func writeSparse(_ name: String, size: Int) throws {
        try write(name, "")
        guard unsafe truncate(path(name), size) == 0 else { throw Failure.cannotWrite(errno) }
    }

    private static func makeDirectory(_ directory: String) throws {
        guard unsafe mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw Failure.cannotMakeDirectory(errno) }
    }

    private static func descendants(of directory: String) -> [String] {
        guard FileSystem.linkTarget(of: directory) == nil else { return [] }
        return FileSystem.names(in: directory).flatMap { name in ["\(directory)/\(name)"] + descendants(of: "\(directory)/\(name)") }
    }

    private static func remove(_ path: String) {
        if FileSystem.linkTarget(of: path) == nil { for name in FileSystem.names(in: path) { remove("\(path)/\(name)") } }
        unsafe Glibc.remove(path)
    }
}

/// The directory of the package that the tests were built from.
package let packageRoot: String = {
    // This file is three directories below it.
    (0..<3).reduce(#filePath) { path, _ in Path.directory(of: path) }
}()
