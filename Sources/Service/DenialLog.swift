internal import Observability
internal import Threading
internal import Time

/// Writes the lines that strangers can cause: at most so many of a kind in a minute, and then one that says how many were left out.
///
/// Otherwise who sends garbage fills the log's disk and hides what matters. What fails of our own is never left out, and at level debug nothing is.
final class DenialLog: Sendable {
    /// How many lines of one kind are written in a minute.
    static let linesPerMinute = 60
    private static let windowMilliseconds: UInt64 = 60_000

    /// What is counted together: a message with its reason, both of them the program's own words.
    private struct Kind: Hashable, Comparable {
        let message: String
        let reason: String

        static func < (left: Kind, right: Kind) -> Bool { (left.message, left.reason) < (right.message, right.reason) }
    }

    private struct Window {
        let began: UInt64
        var written = 0
        var leftOut = 0
    }

    private let logger: Logger
    private let clocks: Clocks
    private let windows = Monitor<[Kind: Window]>([:])

    init(logger: Logger, clocks: Clocks) {
        self.logger = logger
        self.clocks = clocks
    }

    /// The lowest level that is written.
    var level: LogLevel { logger.level }

    /// Writes a line, unless too many of its kind have been written in this minute.
    /// - Parameter reason: one of a few; with the message it makes the kind.
    func log(_ level: LogLevel, _ message: String, reason: String, _ fields: @autoclosure () -> LogFields) {
        guard level >= logger.level else { return }
        if level < .error, logger.level > .debug, !admits(Kind(message: message, reason: reason)) { return }
        logger.log(level, message, fields())
    }

    /// Says what was left out in minutes that are over, or in all.
    func flush(all: Bool = false) {
        let now = clocks.monotonicMilliseconds()
        let over = windows.withLock { windows in
            let over = windows.filter { all || now - $0.value.began >= Self.windowMilliseconds }
            for kind in over.keys { windows[kind] = nil }
            return over
        }
        for (kind, window) in over.sorted(by: { $0.key < $1.key }) { tell(kind, window.leftOut) }
    }

    private func admits(_ kind: Kind) -> Bool {
        let now = clocks.monotonicMilliseconds()
        let (isAdmitted, leftOut) = windows.withLock { windows in
            var window = windows[kind] ?? Window(began: now)
            var leftOut = 0
            if now - window.began >= Self.windowMilliseconds {
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
        logger.log(
            .warning, "lines left out", ["of": .string(kind.message), "reason": .string(kind.reason), "count": .integer(leftOut)])
    }
}
