package import JSON

/// One mistake in a configuration: where, and what to write instead.
package struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    /// The JSON path, such as `$.apps[0].keys[1].secret`; `$` for the whole file.
    package let path: String
    /// What is wrong and the remedy; never a secret's value.
    package let message: String
    /// Where in the file, when it is not JSON.
    package let place: JSONPlace?

    package init(path: String, message: String, place: JSONPlace? = nil) {
        self.path = path
        self.message = message
        self.place = place
    }

    /// The line that a person reads.
    package var description: String {
        place.map { "\(path): line \($0.line), column \($0.column): \(message)" } ?? "\(path): \(message)"
    }
}

/// Every mistake of a configuration at once.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// The file, as it was named.
    package let file: String
    /// The mistakes in the order of the file's parts; never empty.
    package let problems: [ConfigurationProblem]
    /// The files that were read, or could not be.
    package let sources: ConfigurationSources

    /// Gathers mistakes.
    package init(file: String, problems: [ConfigurationProblem], sources: ConfigurationSources = ConfigurationSources()) {
        self.file = file
        self.problems = problems
        self.sources = sources
    }

    /// One line a mistake; one that has a place begins with `FILE:LINE:COLUMN`, which editors and terminals take for a link.
    package var description: String {
        problems.map { problem in
            problem.place.map { "\(file):\($0.line):\($0.column): \(problem.message)" } ?? "\(file): \(problem)"
        }.joined(separator: "\n")
    }
}
