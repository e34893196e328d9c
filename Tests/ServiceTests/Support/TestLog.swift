import Glibc
import Observability
import POSIX
import TestSupport

/// A log that a test reads.
final class TestLog {
    let logger: Logger
    private let sink: LogSink
    private let descriptor: Int32
    private let path: String

    init(in scratch: TemporaryDirectory, level: LogLevel) throws {
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

    /// Everything that has been logged.
    func text() throws -> String {
        sink.flush()
        return String(decoding: try File.read(path, limit: 1 << 24).bytes, as: UTF8.self)
    }

    /// The lines without their time.
    func lines() throws -> [String] {
        try text().split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1)[1] }.map(String.init)
    }
}
