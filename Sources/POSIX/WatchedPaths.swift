/// The files that a list of paths resolves to, and the directory entries that determine this result.
///
/// Watching only a path's own directory is not enough: in Kubernetes' `NAME -> ..data/NAME`, `..data -> ..2026_11_22`, only the link
/// `..data` changes.
package struct WatchedPaths: Sendable, Equatable {
    /// The watched names by the directory's path without symbolic links. Each name is a file, a symbolic link on the way to a file, or a
    /// missing entry.
    package private(set) var names: [String: Set<String>] = [:]
    /// The existing files, without symbolic links.
    package private(set) var files: Set<String> = []

    /// The maximum number of symbolic links that the kernel follows in a path.
    private static let maximumLinks = 40

    /// Resolves the paths in the current state of the file system.
    package init(of paths: [String]) {
        let start = (try? FileSystem.absolutePath(of: ".")) ?? "/"
        for path in paths { follow(Path.resolve(path, in: start)) }
    }

    /// Resolves an absolute path, name by name, as the kernel does.
    private mutating func follow(_ path: String) {
        var rest = Self.names(in: path)
        var directory = "/"
        var links = 0
        while let name = rest.popLast() {
            if name == "." { continue }
            if name == ".." {
                directory = Path.directory(of: directory)
                continue
            }
            let place = Path.resolve(name, in: directory == "/" ? "" : directory)
            if links < Self.maximumLinks, let target = FileSystem.linkTarget(of: place) {
                links += 1
                names[directory, default: []].insert(name)
                rest += Self.names(in: target)
                if target.utf8.first == UInt8(ascii: "/") { directory = "/" }
            } else if !rest.isEmpty, FileSystem.isDirectory(place) {
                directory = place
            } else {
                names[directory, default: []].insert(name)
                if File.exists(place) { files.insert(place) }
                return
            }
        }
    }

    /// Returns the names of a path, the last one first.
    private static func names(in path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(decoding: $0, as: UTF8.self) }
    }
}
