package import Core

/// What an operator wants of the deliveries.
package enum DeliveryAction: Sendable, Equatable {
    /// Show those that match, newest first, so many at most, after a place that an earlier list has ended at.
    case list(DeliveryFilter, after: DeliveryCursor?, limit: Int)
    /// Tell all of one.
    case show(UUIDv7)
    /// Try a dead one again.
    case retryOne(UUIDv7)
    /// Try all dead ones that match again.
    case retry(DeliveryFilter)
    /// Forget those that ended in this state, before this time in Unix milliseconds; nil is now.
    case purge(Delivery.State, before: UInt64?)
    /// Give up what waits for this notifier.
    case giveUp(notifier: String)

    /// Chooses what to show.
    /// - Parameter after: the `next` of an earlier list.
    package static func listing(_ filter: DeliveryFilter, after: String?, limit: Int?) throws(AdminMistake) -> DeliveryAction {
        let place = try after.map { text throws(AdminMistake) in
            guard let cursor = DeliveryCursor(text) else { throw AdminMistake("after", "expected the next of an earlier list.") }
            return cursor
        }
        return .list(filter, after: place, limit: limit ?? AdminAnswer.defaultLimit)
    }

    /// Chooses what to forget.
    /// - Parameters:
    ///   - state: `delivered`, `no_target` or `dead`; `pending` with a notifier, which gives up instead.
    ///   - before: a time of RFC 3339; nil is now.
    package static func purging(state: String?, before: String?, notifier: String? = nil) throws(AdminMistake) -> DeliveryAction {
        if let notifier { return try givingUp(notifier, state: state, before: before) }
        let time = try before.map { text throws(AdminMistake) in try DeliveryCriteria.time("before", text) }
        let state = try state.map { text throws(AdminMistake) in try DeliveryCriteria.state(text) }
        guard let state, state != .pending else {
            throw AdminMistake("state", "expected delivered, no_target or dead, or pending and a notifier.")
        }
        return .purge(state, before: time)
    }
}
