internal import Core
internal import Observability
internal import Time

/// The dispatcher's view of the clocks: what has expired and who is idle by a time that can be trusted, what operators are told of a clock that
/// jumps, and what the next process will know.
///
/// It is a value of the dispatcher's thread.
struct TimeKeeper {
    /// A delivery that waits since before a longer time than this, in which the machine was off, is not worth trying.
    private static let longestGapMilliseconds: UInt64 = 30 * 86_400_000
    /// The longest life that can be configured, and a minute.
    private static let longestLifeMilliseconds: UInt64 = 30 * 86_400_000 + TrustedTime.tolerance

    private let clocks: Clocks
    private let store: any Store
    private let retention: Retention
    private let logger: Logger
    private var isRestored = false
    private(set) var time: TrustedTime
    private var wasHeld = false

    init(_ clocks: Clocks, _ store: any Store, _ retention: Retention, _ logger: Logger) {
        self.clocks = clocks
        self.store = store
        self.retention = retention
        self.logger = logger
        time = clocks.trusted.time
    }

    /// Looks at the clocks, and tells what it notices.
    /// - Returns: false while it is not known what an earlier process knew, because the store does not say; nothing may end until then.
    mutating func look() -> Bool {
        guard restore() else { return false }
        time = clocks.trusted.time
        let notices = clocks.trusted.takeNotices()
        for notice in notices { tell(notice) }
        let isHeld = heldFromExpiry > 0
        if wasHeld, !isHeld, notices.isEmpty { logger.log(.info, "the clock's new time counts for waiting deliveries from now on") }
        wasHeld = isHeld
        // At once, because the process may end before the next minute.
        if !notices.isEmpty { keep() }
        return true
    }

    /// How much is held back when it is asked whether a delivery has expired, in milliseconds.
    var heldFromExpiry: UInt64 {
        time.held(for: retention.eventLifeMilliseconds, longestGap: Self.longestGapMilliseconds)
    }

    /// Since when something is as old as a period, in Unix milliseconds.
    func since(_ period: UInt64, now: UInt64) -> UInt64 {
        let (age, isTooLong) = period.addingReportingOverflow(time.held(for: period))
        return isTooLong || age > now ? 0 : now - age
    }

    /// The latest time at which a delivery may expire that came with the clock as it is.
    func latestExpiry(now: UInt64) -> UInt64 { now + Self.longestLifeMilliseconds }

    /// Has the store keep what is known; the next minute tries again.
    func keep() {
        do throws(StoreError) {
            try store.keep(time)
        } catch {
            // That the store is not open is told by whoever opens it.
            guard error.kind != .notOpen else { return }
            logger.log(.warning, "the time could not be kept for the next start", ["reason": .string(error.description)])
        }
    }

    private mutating func restore() -> Bool {
        if isRestored { return true }
        do throws(StoreError) {
            if let kept = try store.trustedTime() { clocks.trusted.restore(kept) }
            isRestored = true
        } catch {
            guard error.kind != .notOpen else { return false }
            logger.log(.error, "the store does not tell the time of the last run", ["reason": .string(error.description)])
        }
        return isRestored
    }

    private func tell(_ notice: TrustedTime.Notice) {
        switch notice {
        case .setForward(let by, let isGap):
            let until = { (period: UInt64) in LogValue.string(RFC3339.text(time.last.wall + period)) }
            logger.log(
                .warning,
                isGap
                    ? "the machine was off or its clock was set forward; what waits and what is kept looks no older for it"
                    : "the clock was set forward; what waits and what is kept looks no older for it",
                [
                    "by_seconds": .integer(Int(clamping: by / 1000)), "deliveries_until": until(retention.eventLifeMilliseconds),
                    "devices_until": until(retention.idleDeviceMilliseconds),
                    "remedy": .string("see whether the clock is right; if it is nothing need be done"),
                ])
        case .cameBack(let by): logger.log(.info, "the clock came back", ["by_seconds": .integer(Int(clamping: by / 1000))])
        }
    }
}
