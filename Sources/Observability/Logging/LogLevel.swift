/// How much a log line matters, from what only a developer wants to what someone must look at.
package enum LogLevel: UInt8, Comparable, CaseIterable, Sendable {
    case debug, info, warning, error

    /// Whether the left level matters less than the right one.
    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The level as it stands in JSON and in the configuration.
    package var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// The level as it stands in text: five characters, so that messages begin in one column.
    var column: String {
        switch self {
        case .debug: "DEBUG"
        case .info: "INFO "
        case .warning: "WARN "
        case .error: "ERROR"
        }
    }
}
