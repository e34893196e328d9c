/// One mistake in a configuration: where, and what to write instead.
package struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    /// The JSON path, such as `$.apps[0].keys[1].secret`; `$` for the whole file.
    package let path: String
    /// What is wrong and the remedy; never a secret's value.
    package let message: String

    /// The line that a person reads.
    package var description: String { "\(path): \(message)" }
}

/// Every mistake of a configuration at once.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// The file, as it was named.
    package let file: String
    /// The mistakes in the order of the file's parts; never empty.
    package let problems: [ConfigurationProblem]

    /// One line a mistake.
    package var description: String {
        problems.map { "\(file): \($0)" }.joined(separator: "\n")
    }
}
