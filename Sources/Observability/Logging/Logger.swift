internal import Synchronization
internal import Time

/// Writes log lines at or above a level.
///
/// Copies share the sink, so the lines of all copies are in one order.
package struct Logger: Sendable {
    private let threshold: LogThreshold
    private let sink: LogSink

    /// The lowest level that is written; lines below it are not built.
    package var level: LogLevel { threshold.level }

    package init(level: LogLevel, sink: LogSink) {
        threshold = LogThreshold(level)
        self.sink = sink
    }

    /// Changes the level of this logger and of all its copies.
    package func setLevel(_ level: LogLevel) {
        threshold.set(level)
    }

    /// Logs one line; never waits for the log's reader, and never fails.
    ///
    /// Neither the message nor the fields are evaluated when the level is disabled. Put text from outside into a field; in either place it
    /// cannot begin a line or look like another field. Neither may contain secrets.
    package func log(_ level: LogLevel, message: @autoclosure () -> String, fields: @autoclosure () -> LogFields = [:]) {
        guard level >= self.level else { return }
        let line = LogLine(time: sink.now(), level: level, message: message(), fields: fields())
        sink.write(line.bytes(sink.format))
    }
}

package enum LogLevel: UInt8, Comparable, CaseIterable, Sendable {
    case debug, info, warning, error

    /// Whether the left level is less severe than the right one.
    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The level's name in JSON and in the configuration.
    package var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// The level's name in text: padded to five characters, so that messages are aligned.
    var column: String {
        switch self {
        case .debug: "DEBUG"
        case .info: "INFO "
        case .warning: "WARN "
        case .error: "ERROR"
        }
    }
}

package enum LogFormat: String, CaseIterable, Sendable {
    /// One JSON object per line: `time`, `level`, `message`, then the fields.
    case json
    /// For people: `2026-03-10T08:15:12.123Z INFO  message key=value key2="quoted value"`.
    case text
}

/// The fields of a log line, written in the given order.
///
/// Keys are constants of the program, must not repeat, and must not be `time`, `level` or `message`; a debug build traps on that.
package struct LogFields: ExpressibleByDictionaryLiteral, Sendable {
    private(set) var pairs: [(key: String, value: LogValue)]

    /// The fields of a literal such as `["app": .string(id), "count": .integer(2)]`.
    package init(dictionaryLiteral elements: (String, LogValue)...) {
        pairs = elements.map { (key: $0.0, value: $0.1) }
        assert(hasDistinctKeys, "a log field's key is reserved or repeated")
    }

    package mutating func append(_ key: String, _ value: LogValue) {
        pairs.append((key: key, value: value))
        assert(hasDistinctKeys, "a log field's key is reserved or repeated")
    }

    package mutating func append(_ fields: LogFields) {
        pairs += fields.pairs
        assert(hasDistinctKeys, "a log field's key is reserved or repeated")
    }

    private var hasDistinctKeys: Bool {
        let keys = ["time", "level", "message"] + pairs.map(\.key)
        return Set(keys.map { Array($0.utf8) }).count == keys.count
    }
}

/// The value of a log field. Never a secret: values are not masked.
package enum LogValue: Sendable {
    case string(String)
    case integer(Int)
    case boolean(Bool)
}

/// The content of a log line, before it is formatted.
struct LogLine {
    /// Unix milliseconds.
    let time: UnixMilliseconds
    let level: LogLevel
    let message: String
    let fields: LogFields

    /// The line's bytes, with exactly one line feed, at the end; line feeds in the message and the fields are escaped.
    func bytes(_ format: LogFormat) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(256)
        switch format {
        case .json: JSONLogText.append(self, to: &output)
        case .text: PlainLogText.append(self, to: &output)
        }
        output.append(UInt8(ascii: "\n"))
        return output
    }
}

/// The lowest level that is written. All copies of a logger share it, and any thread may change it.
final class LogThreshold: Sendable {
    private let number: Atomic<UInt8>

    init(_ level: LogLevel) {
        number = Atomic(level.rawValue)
    }

    var level: LogLevel {
        guard let level = LogLevel(rawValue: number.load(ordering: .relaxed)) else { preconditionFailure("only levels are stored") }
        return level
    }

    func set(_ level: LogLevel) {
        number.store(level.rawValue, ordering: .relaxed)
    }
}
