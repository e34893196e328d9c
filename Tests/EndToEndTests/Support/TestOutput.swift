import Glibc
import POSIX
import TestSupport
import Testing
import Threading

/// The output of the programs of one test. It is saved for failing tests, and for the search of the whole run for secrets.
///
/// The environment variable DESKGATE_TEST_OUTPUT names a directory, in which each test function has its own directory, shared by all its
/// cases, such as ``EndToEndTests.ServeStopTests.`requests in flight are answered`()``. Without the variable, a temporary directory is used
/// until the process ends.
struct TestOutput: Sendable {
    private static let root: Monitor<String> = {
        if let named = Process.environment("DESKGATE_TEST_OUTPUT") { return Monitor(named) }
        guard let scratch = try? TemporaryDirectory() else { preconditionFailure("/tmp is writable") }
        temporary.update { $0 = scratch }
        atexit(removeTemporaryOutput)
        return Monitor(scratch.path)
    }()
    fileprivate static let temporary = Monitor<TemporaryDirectory?>(nil)
    /// For output without a known test, as on a thread that a test has started.
    private static let other = "other"

    /// The output of the test that runs on this thread.
    static var current: TestOutput { TestOutput(name: Test.current.map { name(of: $0.id) } ?? other) }

    let name: String

    /// Appends a program's output to a file in the test's directory.
    func append(_ bytes: [UInt8], to file: String) throws {
        guard !bytes.isEmpty else { return }
        // Serialized, so that no line interrupts another.
        try Self.root.withLock { root in
            Result {
                let directory = "\(root)/\(name)"
                try File.createDirectory(root, mode: 0o700)
                try File.createDirectory(directory, mode: 0o700)
                let descriptor = unsafe open("\(directory)/\(file)", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
                guard descriptor >= 0 else { throw TemporaryDirectory.Failure.cannotWrite(errno) }
                defer { close(descriptor) }
                try File.write(bytes, to: descriptor)
            }
        }.get()
    }

    /// Appends both outputs of a program that has ended.
    /// - Parameter name: the beginning of the files' names.
    func append(outputOf process: ChildProcess, to name: String) {
        if let output = try? process.output.bytes() { try? append(output, to: "\(name).stdout") }
        if let errors = try? process.errors.bytes() { try? append(errors, to: "\(name).stderr") }
    }

    /// The test's identifier without the source location at its end, and with dots for slashes.
    ///
    /// `Scripts/test` computes the same (`Test.folder`): the library's events name a test by the description of its identifier.
    static func name(of test: Test.ID) -> String {
        let identifier = "\(test)"
        let name = identifier[..<(identifier.lastIndex(of: "/") ?? identifier.endIndex)]
        return String(name.map { $0 == "/" ? "." : $0 })
    }
}

private func removeTemporaryOutput() {
    TestOutput.temporary.update { $0 = nil }
}
