/// A command line tool run to its end, with what it wrote to stdout and stderr together.
package struct Command: Sendable {
    /// Its exit code.
    package let status: Int32
    /// What it wrote.
    package let output: String

    /// Runs the tool, found by PATH, with nothing to read.
    /// - Throws: when it cannot be started, or was ended by a signal.
    package init(_ program: String, _ arguments: String...) throws {
        let process = try ChildProcess(program, arguments.map { Array($0.utf8) }, errors: .joined)
        status = try process.exitCode()
        output = try process.output.text()
    }
}
