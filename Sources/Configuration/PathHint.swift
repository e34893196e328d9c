/// Detects paths in the configuration that are probably mistakes, because only shells, templates and other programs expand parts of them.
enum PathHint {
    /// The cause and the remedy; nil for an ordinary path.
    static func problem(of path: String) -> String? {
        if path == "~" || path.hasPrefix("~/") { return "~ is not replaced here; write the path out" }
        if Placeholder.hasVariable(path) || path.hasPrefix("$") {
            return "variables are not replaced here; write the path out"
        }
        if path.contains("\\") || hasDrive(path) { return "a path has no drive, and / between its parts" }
        if let colon = path.firstRange(of: ":/") {
            let scheme = path[..<colon.lowerBound]
            // The length limit excludes secrets, because the message contains the scheme.
            if (1...12).contains(scheme.count), scheme.allSatisfy(\.isLetter) {
                return "a path has no scheme; remove \(scheme):, and // if that follows"
            }
        }
        return nil
    }

    private static func hasDrive(_ path: String) -> Bool {
        let beginning = path.prefix(3)
        return beginning.count == 3 && beginning.first?.isLetter == true && beginning.hasSuffix(":/")
    }
}
