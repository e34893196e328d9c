package import Time

package enum RetryObstacle: String, Sendable, CaseIterable {
    /// The notifier's queue has no room for the app, as `DeliveryBounds` says.
    case notifierQueueFull = "notifier_queue_full"
    /// All notifiers together have `maxPending` pending deliveries.
    case queueFull = "queue_full"
    /// The user was forgotten, so there is nothing to send.
    case forgotten
    /// The device is not registered, so the delivery would end without a target, and could not be retried when the device registers again.
    case noDevice = "no_device"
}

package struct RetryStep: Sendable, Equatable {
    package private(set) var retried = 0
    /// The number that stayed dead, by reason.
    package private(set) var kept: [RetryObstacle: Int] = [:]
    /// The number that was examined; deliveries that were no longer dead are neither retried nor kept.
    package var seen = 0
    /// The start of the next step; nil when none is left.
    package var next: DeliveryCursor?

    package init() {}

    /// Counts a delivery that was retried, or was not for a reason.
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

/// A set of dead deliveries that are retried, and how far that has come. With the criteria it names the set exactly: what ends later is not
/// in it, and each step begins behind the last delivery that was looked at.
package struct RetryCursor: Sendable, Equatable, CustomStringConvertible {
    /// When the last delivery of the set ended, in milliseconds by the store's own clock.
    package let endedBy: Int64
    /// The number of deliveries in the set when the retry began.
    package let total: Int
    /// The number of them that were not examined yet.
    package let left: Int
    /// The delivery that was looked at last; nil at the beginning.
    package let place: DeliveryCursor?

    package init(endedBy: Int64, total: Int) {
        (self.endedBy, self.total, left, place) = (endedBy, total, total, nil)
    }

    private init(endedBy: Int64, total: Int, left: Int, place: DeliveryCursor?) {
        (self.endedBy, self.total, self.left, self.place) = (endedBy, total, left, place)
    }

    /// Returns the retry's position after a step; nil when it has ended.
    package func after(_ step: RetryStep) -> RetryCursor? {
        step.next.map { RetryCursor(endedBy: endedBy, total: total, left: max(0, left - step.seen), place: $0) }
    }

    /// Reads what `description` has written; nil for another text.
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
    /// Retries all dead deliveries that match, in as many steps as that takes.
    /// - Returns: what became of them.
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
