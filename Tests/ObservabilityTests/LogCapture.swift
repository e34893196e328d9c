import Time

@testable import Observability

/// Returns the output of a logger with this level, at 2026-03-10T08:15:12.123Z.
func captureLog(_ format: LogFormat, level: LogLevel = .debug, _ body: (Logger) -> Void) throws -> String {
    let pipe = TestPipe()
    let sink = try LogSink(descriptor: pipe.writeEnd, format: format, now: testTime)
    body(Logger(level: level, sink: sink))
    sink.close()
    pipe.closeWriteEnd()
    defer { pipe.closeReadEnd() }
    return String(decoding: pipe.readToEnd(), as: UTF8.self)
}

@Sendable func testTime() -> UnixMilliseconds {
    1_773_130_512_123
}

/// The lines of a log, each without its line feed.
func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
}
