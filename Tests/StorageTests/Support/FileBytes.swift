import Glibc
import TestSupport

/// Reads files of stores that are open in this process.
enum FileBytes {
    /// Returns the bytes of a file, read by another process: closing a descriptor of the file in this one would release SQLite's locks.
    static func read(_ path: String) throws -> [UInt8] {
        let process = try ChildProcess("cat", [Array(path.utf8)])
        guard try process.exitCode() == 0 else { throw ChildProcess.Failure.missingOutput }
        return try process.output.bytes()
    }
}
