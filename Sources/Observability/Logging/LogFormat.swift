/// How a log line is written.
package enum LogFormat: String, CaseIterable, Sendable {
    /// One JSON object a line: `time`, `level`, `message`, then the fields.
    case json
    /// For people: `2026-03-10T08:15:12.123Z INFO  message key=value key2="quoted value"`.
    case text
}
