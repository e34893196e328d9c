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
    /// Forget those that ended in this state, before this time in Unix milliseconds; nil is now.
    case purge(Delivery.State, before: UInt64?)

    /// Chooses what to forget.
    /// - Parameters:
    ///   - state: `delivered`, `no_target` or `dead`.
    ///   - before: a time of RFC 3339; nil is now.
    package static func purging(state: String?, before: String?) throws(AdminMistake) -> DeliveryAction {
        let time = try before.map { text throws(AdminMistake) in try DeliveryCriteria.time("before", text) }
        let state = try state.map { text throws(AdminMistake) in try DeliveryCriteria.state(text) }
        guard let state, state != .pending else {
            throw AdminMistake(message: "state: expected delivered, no_target or dead; what is pending cannot be purged.")
        }
        return .purge(state, before: time)
    }
}
