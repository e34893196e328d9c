internal import Threading
package import Time

/// Samples the log lines that unauthenticated callers can cause: in a minute, writes at most `linesPerMinute` lines of a kind about one
/// app, and at most `linesOfAllApps` lines of the kind. Another line then gives the number of omitted lines.
///
/// Without the limit, a stranger could fill the disk with garbage and hide important lines. Lines of level error are always written,
/// because they report a failure of the service itself; at level debug, all lines are written. Any thread may call it.
package final class DenialLog: Sendable {
    /// The maximum number of lines of one kind about one app in a minute.
    package static let linesPerMinute = 60
    /// The maximum number of lines of one kind in a minute, so that the number of apps does not multiply the log.
    package static let linesOfAllApps = 10 * linesPerMinute
    private static let windowMilliseconds: UInt64 = 60_000

    /// The lines that are counted together. Both parts are constants of the program, so there are few kinds.
    private struct Kind: Hashable, Comparable {
        let message: String
        let reason: String

        static func < (left: Kind, right: Kind) -> Bool { (left.message, left.reason) < (right.message, right.reason) }
    }

    private struct Window {
        let began: MonotonicMilliseconds
        private var written = 0
        /// By the configured app; empty for an unknown one.
        private(set) var apps: [String: (written: Int, leftOut: Int)] = [:]

        init(began: MonotonicMilliseconds) {
            self.began = began
        }

        mutating func admits(_ app: String) -> Bool {
            guard written < linesOfAllApps, apps[app]?.written ?? 0 < linesPerMinute else {
                apps[app, default: (0, 0)].leftOut += 1
                return false
            }
            written += 1
            apps[app, default: (0, 0)].written += 1
            return true
        }
    }

    private let logger: Logger
    private let monotonicMilliseconds: @Sendable () -> MonotonicMilliseconds
    private let windows = Monitor<[Kind: Window]>([:])

    /// Creates a log whose counts start at 0.
    /// - Parameter monotonicMilliseconds: a monotonic clock; must not block.
    package init(logger: Logger, monotonicMilliseconds: @escaping @Sendable () -> MonotonicMilliseconds) {
        self.logger = logger
        self.monotonicMilliseconds = monotonicMilliseconds
    }

    package var level: LogLevel { logger.level }

    /// Writes a line, unless enough of its kind have been written in this minute.
    /// - Parameters:
    ///     - message: together with the reason, the kind of the line; never text from a caller.
    ///     - reason: counted with the message but not written; a field may contain it too.
    ///     - app: counted separately, so that a flood at one app does not hide lines of another; nil for an app that is not configured.
    ///     - fields: not evaluated when the line is omitted.
    package func log(
        _ level: LogLevel, message: String, reason: String, app: String? = nil, fields: @autoclosure () -> LogFields
    ) {
        guard level >= logger.level else { return }
        if level < .error, logger.level > .debug, !admits(Kind(message: message, reason: reason), app ?? "") { return }
        logger.log(level, message: message, fields: fields())
    }

    /// Writes the number of lines omitted in past minutes. Call it regularly, because a kind may not occur again.
    /// - Parameter all: includes the current minute, for the end of the process.
    package func flush(all: Bool = false) {
        let now = monotonicMilliseconds()
        let over = windows.withLock { windows in
            let over = windows.filter { all || now.elapsed(since: $0.value.began) >= Self.windowMilliseconds }
            for kind in over.keys { windows[kind] = nil }
            return over
        }
        for (kind, window) in over.sorted(by: { $0.key < $1.key }) { logOmitted(kind, window) }
    }

    private func admits(_ kind: Kind, _ app: String) -> Bool {
        let now = monotonicMilliseconds()
        let (isAdmitted, over) = windows.withLock { windows in
            let over = windows[kind].flatMap { now.elapsed(since: $0.began) >= Self.windowMilliseconds ? $0 : nil }
            if over != nil { windows[kind] = nil }
            return (windows[kind, default: Window(began: now)].admits(app), over)
        }
        if let over { logOmitted(kind, over) }
        return isAdmitted
    }

    private func logOmitted(_ kind: Kind, _ window: Window) {
        for (app, lines) in window.apps.sorted(by: { $0.key < $1.key }) where lines.leftOut > 0 {
            var fields: LogFields = ["of": .string(kind.message), "reason": .string(kind.reason)]
            if !app.isEmpty { fields.append("app", .string(app)) }
            fields.append("count", .integer(lines.leftOut))
            logger.log(.warning, message: "lines left out", fields: fields)
        }
    }
}
