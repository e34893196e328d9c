package enum Path {
    /// Returns `.` for a bare name.
    package static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns a directory, given by its absolute path, and all its parents up to the root.
    package static func ancestors(of directory: String) -> [String] {
        var all = [directory]
        while let last = all.last, last != "/", last != "." { all.append(Self.directory(of: last)) }
        return all
    }

    /// Returns an absolute path unchanged.
    package static func resolve(_ path: String, in directory: String) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        return directory == "." ? path : "\(directory)/\(path)"
    }
}
