internal import Core
internal import Observability
internal import Time

/// The dispatcher's view of the clocks: computes expiry and idleness by trusted time, logs jumps of the clock, and stores the trusted time
/// for the next process. Belongs to the dispatcher's thread.
struct ClockJumpTracker {
    /// The longest time off that is held back from expiry: after a longer one, a waiting delivery is too old to matter.
    private static let longestGapMilliseconds: UInt64 = 30 * 86_400_000
    /// The longest life that can be configured, and a minute.
    private static let maximumLifetimeMilliseconds: UInt64 = 30 * 86_400_000 + TrustedTime.tolerance

    private let clocks: Clocks
    private let store: any Store
    private let retention: Retention
    private let logger: Logger
    private var isRestored = false
    private(set) var time: TrustedTime
    private var wasHeld = false

    init(_ clocks: Clocks, store: any Store, retention: Retention, logger: Logger) {
        self.clocks = clocks
        self.store = store
        self.retention = retention
        self.logger = logger
        time = clocks.trusted.time
    }

    /// Reads the clocks and logs jumps.
    /// - Returns: false until the trusted time of the last run is read from the store; no delivery may expire before.
    mutating func readClocks() -> Bool {
        let isRestored = restore()
        time = clocks.trusted.time
        guard isRestored else { return false }
        let notices = clocks.trusted.takeNotices()
        for notice in notices { log(notice) }
        let isHeld = heldFromExpiry > 0
        if wasHeld, !isHeld, notices.isEmpty {
            logger.log(.info, message: "the clock's new time counts for waiting deliveries from now on")
        }
        wasHeld = isHeld
        // Kept at once, because the process may end before the next purge.
        if !notices.isEmpty { keep() }
        return true
    }

    /// The wall clock at the last `readClocks`. A later reading may follow a jump that is not held back yet, and would expire waiting
    /// deliveries.
    var now: UnixMilliseconds { time.last.wall }

    /// Milliseconds of the clock's time that are held back from the expiry of deliveries.
    var heldFromExpiry: UInt64 {
        time.held(for: retention.eventLifetimeMilliseconds, longestGap: Self.longestGapMilliseconds)
    }

    /// The time before which an event is older than `period`.
    func since(_ period: UInt64, now: UnixMilliseconds) -> UnixMilliseconds {
        now.saturating(subtracting: period).saturating(subtracting: time.held(for: period))
    }

    /// The latest valid expiry of a delivery that arrives now.
    func latestExpiry(now: UnixMilliseconds) -> UnixMilliseconds { now + Self.maximumLifetimeMilliseconds }

    /// Logs a failure; the next purge retries.
    func keep() {
        do throws(StoreError) {
            try store.keep(time)
        } catch {
            // `StoreOpener` logs that the store is not open.
            guard error.kind != .notOpen else { return }
            logger.log(.warning, message: "the time could not be kept for the next start", fields: ["reason": .string(error.description)])
        }
    }

    private mutating func restore() -> Bool {
        if isRestored { return true }
        do throws(StoreError) {
            if let kept = try store.trustedTime() { clocks.trusted.restore(kept) }
            isRestored = true
        } catch {
            guard error.kind != .notOpen else { return false }
            logger.log(.error, message: "the store does not know the time of the last run", fields: ["reason": .string(error.description)])
        }
        return isRestored
    }

    private func log(_ notice: TrustedTime.Notice) {
        switch notice {
        case .setForward(let by, let isGap):
            let until = { (period: UInt64) in LogValue.string(RFC3339.text(time.last.wall + period)) }
            logger.log(
                .warning,
                message: isGap
                    ? "the machine was off or its clock was set forward; pending and stored data does not look older for it"
                    : "the clock was set forward; pending and stored data does not look older for it",
                fields: [
                    "by_seconds": .integer(Int(clamping: by / 1000)), "deliveries_until": until(retention.eventLifetimeMilliseconds),
                    "devices_until": until(retention.idleDeviceMilliseconds),
                    "remedy": .string("check the clock; if it is right, no action is needed"),
                ])
        case .movedBack(let by):
            logger.log(.info, message: "the clock came back", fields: ["by_seconds": .integer(Int(clamping: by / 1000))])
        }
    }
}

package struct Retention: Sendable, Equatable {
    package var deliveredMilliseconds: UInt64
    package var deadMilliseconds: UInt64
    package var idleDeviceMilliseconds: UInt64
    /// The maximum age of an event that is delivered.
    package var eventLifetimeMilliseconds: UInt64

    package init(
        deliveredMilliseconds: UInt64, deadMilliseconds: UInt64, idleDeviceMilliseconds: UInt64,
        eventLifetimeMilliseconds: UInt64 = 86_400_000
    ) {
        self.deliveredMilliseconds = deliveredMilliseconds
        self.deadMilliseconds = deadMilliseconds
        self.idleDeviceMilliseconds = idleDeviceMilliseconds
        self.eventLifetimeMilliseconds = eventLifetimeMilliseconds
    }
}
