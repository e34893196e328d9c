internal import JSON
package import Time

/// Detects that unusually many authorizations of one app are denied.
///
/// The trend compares the last five minutes with the hour before. The condition begins when at least `denials` authorizations were denied
/// within five minutes, if these are more than one in twenty and more than four times the usual number. It ends when fewer than half of
/// that minimum, or at most twice the usual number, are denied within five minutes. The usual number from the beginning applies until the
/// end, so that a lasting flood does not raise it.
///
/// A process that has counted for less than half an hour cannot determine the usual number, and begins no condition.
package struct DenialTrend: Sendable {
    /// The totals of the app since the process started.
    package struct Counts: Sendable, Equatable {
        package var asked: UInt64
        package var denied: UInt64

        package init(asked: UInt64, denied: UInt64) {
            self.asked = asked
            self.denied = denied
        }
    }

    package struct Spike: Sendable, Equatable {
        package let asked: UInt64
        package let denied: UInt64
        /// The usual number of denials in such a window, rounded up.
        package let usual: UInt64

        package init(asked: UInt64, denied: UInt64, usual: UInt64) {
            (self.asked, self.denied, self.usual) = (asked, denied, usual)
        }

        /// Returns the condition's data, a JSON object.
        /// - Parameter reason: the most frequent reason of the latest denials; empty for none.
        package func data(app: String, reason: String) -> [UInt8] {
            let data: JSONValue = [
                "app": .string(app), "window_seconds": .integer(Int64(DenialTrend.windowMilliseconds / 1000)),
                "asked": .integer(Int64(clamping: asked)), "denied": .integer(Int64(clamping: denied)),
                "usual": .integer(Int64(clamping: usual)), "reason": .string(reason),
            ]
            return data.serialized()
        }

        /// Returns the usual number from a condition's data; 0 when it is missing.
        package static func usual(in data: [UInt8]) -> UInt64 {
            UInt64(clamping: JSONValue(parsing: data)?["usual"]?.integer ?? 0)
        }
    }

    /// The window in which denials are counted.
    package static let windowMilliseconds: UInt64 = 300_000
    /// The period before the window, which determines the usual number.
    static let historyMilliseconds: UInt64 = 3_600_000
    /// The minimum history with which a condition can begin.
    static let shortestHistoryMilliseconds: UInt64 = 1_800_000
    /// The interval between samples.
    package static let stepMilliseconds: UInt64 = 60_000

    private struct Sample {
        let at: MonotonicMilliseconds
        let counts: Counts
    }

    /// The samples, oldest first. The first one may be older than the history.
    private var samples: [Sample] = []

    package init() {}

    /// Records the current totals, and returns the status of the condition.
    /// - Parameter told: the usual number when the current condition began; nil when the condition is not active.
    package mutating func status(
        _ counts: Counts, now: MonotonicMilliseconds, reported: UInt64?, _ thresholds: OperatorThresholds
    ) -> (status: ConditionStatus, jump: Spike) {
        keep(counts, now: now)
        guard let start = sample(before: Self.windowMilliseconds, now: now) else {
            return (.unknown, Spike(asked: 0, denied: 0, usual: reported ?? 0))
        }
        let (asked, denied) = (counts.asked &- start.counts.asked, counts.denied &- start.counts.denied)
        let minimum = UInt64(thresholds.denials)
        if let reported {
            let isOver = denied < max(1, minimum / 2) || denied <= 2 * reported
            return (isOver ? .over(.resolved) : .holds, Spike(asked: asked, denied: denied, usual: reported))
        }
        let first = samples[0]
        let (history, before) = (start.at - first.at, start.counts.denied &- first.counts.denied)
        // Rounds up. Without history the value is 0, to avoid a division by zero.
        let usual = history == 0 ? 0 : (before * Self.windowMilliseconds + history - 1) / history
        let isJump =
            history >= Self.shortestHistoryMilliseconds && denied >= minimum && denied * 20 > asked && denied > 4 * usual
        return (isJump ? .holds : .over(.resolved), Spike(asked: asked, denied: denied, usual: usual))
    }

    private mutating func keep(_ counts: Counts, now: MonotonicMilliseconds) {
        if let last = samples.last, now - last.at < Self.stepMilliseconds { return }
        samples.append(Sample(at: now, counts: counts))
        let reach = Self.windowMilliseconds + Self.historyMilliseconds
        // Keeps one sample from before the history, so that the whole history is covered.
        while samples.count > 1, now - samples[1].at >= reach { samples.removeFirst() }
    }

    /// Returns the last sample that is at least this old; nil when there is none.
    private func sample(before milliseconds: UInt64, now: MonotonicMilliseconds) -> Sample? {
        samples.last { now - $0.at >= milliseconds }
    }
}
