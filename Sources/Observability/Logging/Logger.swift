/// Writes the log lines that matter enough.
///
/// A copy shares the sink of its original, so lines of all copies are in one order.
package struct Logger: Sendable {
    private let threshold: LogThreshold
    private let sink: LogSink

    /// Lines below this level are not built at all.
    package var level: LogLevel { threshold.level }

    /// A logger for lines from this level on.
    package init(level: LogLevel, sink: LogSink) {
        threshold = LogThreshold(level)
        self.sink = sink
    }

    /// Changes the level of this logger and of all its copies.
    package func setLevel(_ level: LogLevel) {
        threshold.set(level)
    }

    /// Logs one line; never waits for the reader of the log, and never fails.
    ///
    /// Neither the message nor the fields are evaluated when the level is disabled. Text from outside belongs in a field; wherever it is,
    /// it cannot begin a line or pose as another field. Secrets belong in neither.
    package func log(_ level: LogLevel, _ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]) {
        guard level >= self.level else { return }
        let line = LogLine(time: sink.now(), level: level, message: message(), fields: fields())
        sink.write(line.bytes(sink.format))
    }
}
