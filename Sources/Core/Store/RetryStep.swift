package import Time

package enum RetryObstacle: String, Sendable, CaseIterable {
    /// The notifier's queue is full for this app (`DeliveryBounds`).
    case notifierQueueFull = "notifier_queue_full"
    /// The total number of pending deliveries has reached `maxPending`.
    case queueFull = "queue_full"
    /// The user was forgotten, so there is no content to send.
    case forgotten
    /// The device is not registered. The delivery would end as `noTarget` and could not be retried after the device registers again.
    case noDevice = "no_device"
}

package struct RetryStep: Sendable, Equatable {
    package private(set) var retried = 0
    /// The numbers of deliveries that stayed dead, by reason.
    package private(set) var kept: [RetryObstacle: Int] = [:]
    /// The number of examined deliveries. A delivery that was no longer dead is included neither in `retried` nor in `kept`.
    package var seen = 0
    /// The start of the next step; nil when no deliveries are left.
    package var next: DeliveryCursor?

    package init() {}

    /// Counts a delivery; nil means that it was retried.
    package mutating func count(_ obstacle: RetryObstacle?) {
        if let obstacle { kept[obstacle, default: 0] += 1 } else { retried += 1 }
    }

    package mutating func add(_ other: RetryStep) {
        retried += other.retried
        kept.merge(other.kept, uniquingKeysWith: +)
        seen += other.seen
        next = other.next
    }
}

/// A set of dead deliveries to retry, and the progress. Together with the filter, it identifies the set exactly: deliveries that became
/// dead later are excluded, and each step begins after the last examined delivery.
package struct RetryCursor: Sendable, Equatable, CustomStringConvertible {
    /// The time at which the set's last delivery ended, in milliseconds of the store's clock.
    package let endedBy: Int64
    /// The size of the set at the start.
    package let total: Int
    /// The number of deliveries that were not examined yet.
    package let left: Int
    /// The last examined delivery; nil at the start.
    package let place: DeliveryCursor?

    package init(endedBy: Int64, total: Int) {
        (self.endedBy, self.total, left, place) = (endedBy, total, total, nil)
    }

    private init(endedBy: Int64, total: Int, left: Int, place: DeliveryCursor?) {
        (self.endedBy, self.total, self.left, self.place) = (endedBy, total, left, place)
    }

    /// Returns the cursor after a step; nil when the retry has ended.
    package func after(_ step: RetryStep) -> RetryCursor? {
        step.next.map { RetryCursor(endedBy: endedBy, total: total, left: max(0, left - step.seen), place: $0) }
    }

    /// Parses `description`; nil for any other text.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 3, omittingEmptySubsequences: false).map { Substring($0) }
        guard parts.count >= 3, let endedBy = Int64(parts[0]), let total = Int(parts[1]), let left = Int(parts[2]),
            endedBy >= 0, total >= 0, left >= 0
        else { return nil }
        let place = parts.count == 4 ? DeliveryCursor(String(parts[3])) : nil
        guard parts.count == 3 || place != nil else { return nil }
        self.init(endedBy: endedBy, total: total, left: left, place: place)
    }

    package var description: String { "\(endedBy)-\(total)-\(left)" + (place.map { "-\($0)" } ?? "") }
}

extension Store {
    /// Retries all matching dead deliveries, in as many steps as needed.
    package func retryAll(
        _ filter: DeliveryFilter, now: UnixMilliseconds, expiresAt: UnixMilliseconds
    ) throws(StoreError) -> RetryStep {
        var all = RetryStep()
        repeat {
            all.add(try retry(filter, after: all.next, limit: 1000, now: now, expiresAt: expiresAt))
        } while all.next != nil
        return all
    }
}
