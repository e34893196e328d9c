internal import JSON
package import Time

/// Decides for one app whether far more of its authorizations are denied than usual.
///
/// It compares the last five minutes with the hour before: the condition begins when at least `denials` authorizations were denied within
/// five minutes, which is more than one in twenty, and more than four times as many as usual. It ends when fewer than half of that minimum
/// are denied within five minutes, or no more than twice as many as usual. The usual number is fixed while the condition lasts, so that a
/// flood does not become usual.
///
/// A process that has counted for less than half an hour does not know the usual number, and begins no condition.
package struct DenialTrend: Sendable {
    /// Authorizations of the app since the process began.
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

        /// Returns the condition's data as the text of a JSON object.
        /// - Parameter reason: the most frequent reason of the latest denials; empty for none.
        package func data(app: String, reason: String) -> [UInt8] {
            let data: JSONValue = [
                "app": .string(app), "window_seconds": .integer(Int64(DenialTrend.windowMilliseconds / 1000)),
                "asked": .integer(Int64(clamping: asked)), "denied": .integer(Int64(clamping: denied)),
                "usual": .integer(Int64(clamping: usual)), "reason": .string(reason),
            ]
            return data.serialized()
        }

        /// Returns the usual number of denials from a condition's data; 0 if it is missing.
        package static func usual(in data: [UInt8]) -> UInt64 {
            UInt64(clamping: JSONValue(parsing: data)?["usual"]?.integer ?? 0)
        }
    }

    /// The time in which denials are counted, in milliseconds.
    package static let windowMilliseconds: UInt64 = 300_000
    /// The time before it that defines the usual number, in milliseconds.
    static let historyMilliseconds: UInt64 = 3_600_000
    /// The least of that time that must be known before anything begins, in milliseconds.
    static let shortestHistoryMilliseconds: UInt64 = 1_800_000
    /// Counts are kept at this interval, in milliseconds.
    package static let stepMilliseconds: UInt64 = 60_000

    private struct Sample {
        let at: MonotonicMilliseconds
        let counts: Counts
    }

    /// The oldest first; the first ones are from before the history.
    private var samples: [Sample] = []

    package init() {}

    /// Adds the present counts.
    /// - Parameter told: the usual number when the present condition began; nil without a condition.
    /// - Returns: the status, and the data of its event.
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
        // Rounded up to a whole number; without any history it is never divided by.
        let usual = history == 0 ? 0 : (before * Self.windowMilliseconds + history - 1) / history
        let isJump =
            history >= Self.shortestHistoryMilliseconds && denied >= minimum && denied * 20 > asked && denied > 4 * usual
        return (isJump ? .holds : .over(.resolved), Spike(asked: asked, denied: denied, usual: usual))
    }

    private mutating func keep(_ counts: Counts, now: MonotonicMilliseconds) {
        if let last = samples.last, now - last.at < Self.stepMilliseconds { return }
        samples.append(Sample(at: now, counts: counts))
        let reach = Self.windowMilliseconds + Self.historyMilliseconds
        // One sample from before stays, so that the whole history is known.
        while samples.count > 1, now - samples[1].at >= reach { samples.removeFirst() }
    }

    /// The last sample from this long ago or longer; nil when there is none yet.
    private func sample(before milliseconds: UInt64, now: MonotonicMilliseconds) -> Sample? {
        samples.last { now - $0.at >= milliseconds }
    }
}
