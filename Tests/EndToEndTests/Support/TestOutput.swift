import Glibc
import POSIX
import TestSupport
import Threading

/// Where everything is kept that the program wrote in these tests, so that the run can be searched for secrets as a whole.
///
/// The directory is named by the environment variable DESKGATE_TEST_OUTPUT; without it, a temporary one serves until the process ends.
enum TestOutput {
    private static let directory: Monitor<String> = {
        if let named = Process.environment("DESKGATE_TEST_OUTPUT") { return Monitor(named) }
        guard let scratch = try? TemporaryDirectory() else { preconditionFailure("/tmp is writable") }
        temporary.update { $0 = scratch }
        atexit(removeTemporaryOutput)
        return Monitor(scratch.path)
    }()
    fileprivate static let temporary = Monitor<TemporaryDirectory?>(nil)

    /// Appends what a program wrote to the file of this name.
    static func append(_ bytes: [UInt8], to name: String) throws {
        // One at a time, so that no line is torn by another.
        try directory.withLock { directory in
            Result {
                try File.createDirectory(directory, mode: 0o700)
                let descriptor = unsafe open("\(directory)/\(name)", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
                guard descriptor >= 0 else { throw TemporaryDirectory.Failure.cannotWrite(errno) }
                defer { close(descriptor) }
                try File.write(bytes, to: descriptor)
            }
        }.get()
    }
}

private func removeTemporaryOutput() {
    TestOutput.temporary.update { $0 = nil }
}
