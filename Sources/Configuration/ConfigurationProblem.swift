package import JSON

/// One mistake in a configuration: where, and what to write instead.
package struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    /// The JSON path, such as `$.apps[0].keys[1].secret`; `$` for the whole file.
    package let path: String
    /// The mistake and the remedy; never a secret's value.
    package let message: String
    /// The position in the file; nil for mistakes outside of it, and for warnings.
    package let place: JSONPlace?
    /// The id of the app that it is about, beside its number in the path.
    package let appID: String?

    package init(path: String, message: String, place: JSONPlace? = nil, appID: String? = nil) {
        self.path = path
        self.message = message
        self.place = place
        self.appID = appID
    }

    /// Whether the file is not JSON, so that only the line says where.
    package var isOfSyntax: Bool { path == "$" && place != nil }

    /// The line that a person reads who knows the file; the path says where, except in a file that is not JSON.
    package var description: String {
        guard isOfSyntax, let place else { return "\(path): \(message)" }
        return "\(path): line \(place.line), column \(place.column): \(message)"
    }

    /// The line that a person reads beside the file: it begins with `FILE:LINE:COLUMN`, which editors and terminals treat as a link.
    /// - Parameter kind: precedes the path, such as `warning: `.
    package func line(in file: String, _ kind: String = "") -> String {
        let start = (place.map { "\(file):\($0.line):\($0.column): " } ?? "\(file): ") + kind
        if isOfSyntax { return start + message }
        return "\(start)\(path)\(appID.map { " (app_id \"\(printable($0))\")" } ?? ""): \(message)"
    }

    /// The number of the app that a path is about.
    static func appIndex(in path: String) -> Int? {
        let start = "$.apps["
        return path.hasPrefix(start) ? Int(path.dropFirst(start.count).prefix { $0 != "]" }) : nil
    }
}

/// Every mistake of a configuration at once.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    package let file: String
    /// The mistakes in the order of the file's parts; never empty.
    package let problems: [ConfigurationProblem]
    /// The files that were read, or could not be.
    package let sources: ConfigurationSources

    package init(file: String, problems: [ConfigurationProblem], sources: ConfigurationSources = ConfigurationSources()) {
        self.file = file
        self.problems = problems
        self.sources = sources
    }

    package var description: String { problems.map { $0.line(in: file) }.joined(separator: "\n") }
}
