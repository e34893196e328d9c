package import Core

/// What an operator wants of the deliveries.
package enum DeliveryAction: Sendable, Equatable {
    /// Show those that match, newest first, so many at most.
    case list(DeliveryFilter, limit: Int)
    /// Tell all of one.
    case show(UUIDv7)
    /// Try a dead one again.
    case retryOne(UUIDv7)
    /// Try all dead ones that match again.
    case retry(DeliveryFilter)
    /// Forget those that ended so, before this time in Unix milliseconds; nil is now.
    case purge(Ended, before: UInt64?)
    /// Give up what waits for this notifier.
    case giveUp(notifier: String)

    /// How a delivery has ended.
    package enum Ended: String, Sendable {
        /// It has arrived; those without a device, and events that had no delivery, go with these.
        case delivered
        /// It was given up.
        case dead
    }

    /// Chooses what to forget.
    /// - Parameters:
    ///   - state: `delivered` or `dead`; `pending` with a notifier, which gives up instead.
    ///   - before: a time of RFC 3339; nil is now.
    package static func purging(state: String?, before: String?, notifier: String? = nil) throws(AdminMistake) -> DeliveryAction {
        if let notifier { return try givingUp(notifier, state: state, before: before) }
        let time = try before.map { text throws(AdminMistake) in try DeliveryCriteria.time("before", text) }
        switch try state.map({ text throws(AdminMistake) in try DeliveryCriteria.state(text) }) {
        case .delivered, .noTarget: return .purge(.delivered, before: time)
        case .dead: return .purge(.dead, before: time)
        case .pending, nil: throw AdminMistake(message: "state: expected delivered or dead, or pending and a notifier.")
        }
    }
}
