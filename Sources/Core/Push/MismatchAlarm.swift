/// Tells devices that belong to another app from a notifier that was given another app's settings: both are refused with the same words.
///
/// A few refusals are devices, whose tokens are of no use. Many in a short time, with nothing delivered between them, are the settings: then the
/// tokens are good. It is a value: the caller locks, and keeps one for each notifier.
package struct MismatchAlarm: Sendable, Equatable {
    /// How many refusals raise the alarm.
    package let count: Int
    /// Within which time, in milliseconds.
    package let windowMilliseconds: UInt64

    /// When the last refusals came, in Unix milliseconds, in their order.
    private var refusedAt: [UInt64] = []
    /// Whether the settings are to blame; nothing but a delivery proves the contrary.
    package private(set) var isRaised = false

    /// Makes an alarm; fewer than two refusals to raise it are a programmer's mistake and trap.
    package init(count: Int = 20, windowMilliseconds: UInt64 = 60_000) {
        precondition(count >= 2, "one refusal says nothing of the settings")
        self.count = count
        self.windowMilliseconds = windowMilliseconds
    }

    /// Takes in that something was delivered: the settings are right.
    package mutating func delivered() {
        refusedAt = []
        isRaised = false
    }

    /// Takes in a refusal at `now` (Unix milliseconds).
    /// - Returns: whether the settings are to blame, so that the token must be kept.
    package mutating func refused(nowMilliseconds now: UInt64) -> Bool {
        if isRaised { return true }
        // What seems to lie ahead came before the clock was set back, and counts.
        refusedAt.removeAll { $0 < now && now - $0 >= windowMilliseconds }
        refusedAt.append(now)
        isRaised = refusedAt.count >= count
        if isRaised { refusedAt = [] }
        return isRaised
    }
}
