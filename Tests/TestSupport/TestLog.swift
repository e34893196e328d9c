internal import Glibc
package import Observability
internal import POSIX

/// A log that a test reads: text in a file of a temporary directory. The log is closed when the object goes.
package final class TestLog {
    package let logger: Logger
    private let sink: LogSink
    private let descriptor: Int32
    private let path: String

    /// Makes the file `log` in the directory, for lines from the given level on; throws when the system refuses the file or a thread.
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

    /// Everything that has been logged so far.
    package func text() throws -> String {
        sink.flush()
        return String(decoding: try File.read(path, limit: 1 << 24).bytes, as: UTF8.self)
    }

    /// The lines so far, without their time.
    package func lines() throws -> [String] {
        try text().split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1)[1] }.map(String.init)
    }
}
