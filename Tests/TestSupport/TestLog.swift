internal import Glibc
package import Observability
internal import POSIX

/// A log that a test reads: text in a file of a temporary directory. The log is closed when the object is released.
package final class TestLog {
    package let logger: Logger
    private let sink: LogSink
    private let descriptor: Int32
    private let path: String

    /// Creates the file `log` in the directory, for lines from the given level on. Throws when the file or a thread cannot be created.
    package init(in scratch: TemporaryDirectory, level: LogLevel) throws {
        try scratch.write("log", "")
        path = scratch.path("log")
        descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        sink = try LogSink(descriptor: descriptor, format: .text)
        logger = Logger(level: level, sink: sink)
    }

    deinit {
        sink.close()
        close(descriptor)
    }

    /// The complete log so far.
    package func text() throws -> String {
        sink.flush()
        return String(decoding: try File.read(path, limit: 1 << 24).bytes, as: UTF8.self)
    }

    /// The lines so far, without their time.
    package func lines() throws -> [String] {
        try text().split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1)[1] }.map(String.init)
    }
}
