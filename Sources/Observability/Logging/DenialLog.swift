internal import Threading
package import Time

/// Samples the log lines that strangers can cause: at most `linesPerMinute` of a kind are written in a minute; another line then gives the
/// number of lines left out.
///
/// Without the limit, anybody who sends garbage could fill the disk and hide important lines. Lines of level error are always written,
/// because they report a failure of the service itself; at level debug every line is. Any thread may call it.
package final class DenialLog: Sendable {
    /// How many lines of one kind are written in a minute.
    package static let linesPerMinute = 60
    private static let windowMilliseconds: UInt64 = 60_000

    /// The lines that are counted together. The app is one of the configuration, or empty, and the rest are the program's own words, so
    /// there are few kinds.
    private struct Kind: Hashable, Comparable {
        let message: String
        let reason: String
        let app: String

        static func < (left: Kind, right: Kind) -> Bool {
            (left.message, left.reason, left.app) < (right.message, right.reason, right.app)
        }
    }

    private struct Window {
        let began: MonotonicMilliseconds
        var written = 0
        var leftOut = 0
    }

    private let logger: Logger
    private let monotonicMilliseconds: @Sendable () -> MonotonicMilliseconds
    private let windows = Monitor<[Kind: Window]>([:])

    /// Makes a log whose counts start at 0.
    /// - Parameter monotonicMilliseconds: a monotonic clock; must not block.
    package init(logger: Logger, monotonicMilliseconds: @escaping @Sendable () -> MonotonicMilliseconds) {
        self.logger = logger
        self.monotonicMilliseconds = monotonicMilliseconds
    }

    /// The lowest level that is written.
    package var level: LogLevel { logger.level }

    /// Writes a line, unless `linesPerMinute` of its kind have been written in this minute.
    /// - Parameters:
    ///     - message: together with the reason and the app, the kind of the line; never text from a caller.
    ///     - reason: counted with the message but not written; a field may contain it too.
    ///     - app: counted likewise, so that a flood at one app hides no line of another; nil for an app that is not configured.
    ///     - fields: not evaluated when the line is left out.
    package func log(
        _ level: LogLevel, _ message: String, reason: String, app: String? = nil, _ fields: @autoclosure () -> LogFields
    ) {
        guard level >= logger.level else { return }
        if level < .error, logger.level > .debug, !admits(Kind(message: message, reason: reason, app: app ?? "")) { return }
        logger.log(level, message, fields())
    }

    /// Writes how many lines were left out in past minutes. Call it regularly, because a kind may not occur again.
    /// - Parameter all: includes the current minute, for the end of the process.
    package func flush(all: Bool = false) {
        let now = monotonicMilliseconds()
        let over = windows.withLock { windows in
            let over = windows.filter { all || now.elapsed(since: $0.value.began) >= Self.windowMilliseconds }
            for kind in over.keys { windows[kind] = nil }
            return over
        }
        for (kind, window) in over.sorted(by: { $0.key < $1.key }) { tell(kind, window.leftOut) }
    }

    private func admits(_ kind: Kind) -> Bool {
        let now = monotonicMilliseconds()
        let (isAdmitted, leftOut) = windows.withLock { windows in
            var window = windows[kind] ?? Window(began: now)
            var leftOut = 0
            if now.elapsed(since: window.began) >= Self.windowMilliseconds {
                leftOut = window.leftOut
                window = Window(began: now)
            }
            let isAdmitted = window.written < Self.linesPerMinute
            if isAdmitted { window.written += 1 } else { window.leftOut += 1 }
            windows[kind] = window
            return (isAdmitted, leftOut)
        }
        tell(kind, leftOut)
        return isAdmitted
    }

    private func tell(_ kind: Kind, _ leftOut: Int) {
        guard leftOut > 0 else { return }
        var fields: LogFields = ["of": .string(kind.message), "reason": .string(kind.reason)]
        if !kind.app.isEmpty { fields.append("app", .string(kind.app)) }
        fields.append("count", .integer(leftOut))
        logger.log(.warning, "lines left out", fields)
    }
}
