/// The files that some paths lead to, and the names in directories that lead to them.
///
/// A path's own directory is not enough: in Kubernetes' `NAME -> ..data/NAME`, `..data -> ..2026_11_22`, the link `..data` is what changes.
package struct WatchedPaths: Sendable, Equatable {
    /// By the path of a directory, without symbolic links: the names in it that are a file, a symbolic link on the way to one, or missing.
    package private(set) var names: [String: Set<String>] = [:]
    /// The existing files, without symbolic links.
    package private(set) var files: Set<String> = []

    /// The most symbolic links that the system follows in a path.
    private static let maximumLinks = 40

    /// Follows the paths as they lead now.
    package init(of paths: [String]) {
        let start = (try? FileSystem.absolutePath(of: ".")) ?? "/"
        for path in paths { follow(Path.resolve(path, in: start)) }
    }

    /// Follows an absolute path, name by name, as the system does.
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
