/// The reason why a path of the configuration cannot be meant as it is written: only shells, templates and other programs replace parts of
/// it.
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
            // Too short for a secret, as the message shows it.
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
