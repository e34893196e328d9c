package import JSON

/// A mistake in a configuration, with its path and the remedy.
package struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    /// The JSON path, such as `$.apps[0].keys[1].secret`; `$` for the whole file.
    package let path: String
    /// The mistake and the remedy. The message never contains the value of a secret.
    package let message: String
    /// The position in the file; nil for warnings, and for mistakes outside of the file.
    package let place: JSONPlace?
    /// The id of the app that the problem is about, in addition to its index in the path.
    package let appID: String?

    package init(path: String, message: String, place: JSONPlace? = nil, appID: String? = nil) {
        self.path = path
        self.message = message
        self.place = place
        self.appID = appID
    }

    /// Whether the file is not valid JSON, so that only the line shows the position.
    package var isOfSyntax: Bool { path == "$" && place != nil }

    /// The text without the name of the file. The path shows the position, except in a file that is not valid JSON.
    package var description: String {
        guard isOfSyntax, let place else { return "\(path): \(message)" }
        return "\(path): line \(place.line), column \(place.column): \(message)"
    }

    /// Returns the text with the position in the file: it begins with `FILE:LINE:COLUMN`, which editors and terminals display as a link.
    /// - Parameter kind: a prefix of the path, such as `warning: `.
    package func line(in file: String, _ kind: String = "") -> String {
        let start = (place.map { "\(file):\($0.line):\($0.column): " } ?? "\(file): ") + kind
        if isOfSyntax { return start + message }
        return "\(start)\(path)\(appID.map { " (app_id \"\(printable($0))\")" } ?? ""): \(message)"
    }

    /// Returns the index of the app in a path.
    static func appIndex(in path: String) -> Int? {
        let start = "$.apps["
        return path.hasPrefix(start) ? Int(path.dropFirst(start.count).prefix { $0 != "]" }) : nil
    }
}

/// All mistakes in a configuration.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    package let file: String
    /// The mistakes in the order of the parts of the file; never empty.
    package let problems: [ConfigurationProblem]
    /// The files that were read, including unreadable ones.
    package let sources: ConfigurationSources

    package init(file: String, problems: [ConfigurationProblem], sources: ConfigurationSources = ConfigurationSources()) {
        self.file = file
        self.problems = problems
        self.sources = sources
    }

    package var description: String { problems.map { $0.line(in: file) }.joined(separator: "\n") }
}
