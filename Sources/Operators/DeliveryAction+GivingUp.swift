internal import Core

extension DeliveryAction {
    /// Chooses to give up what waits for a notifier, such as one that is not configured any more: only the named one's, and all of it, so that
    /// nobody ends by mistake what is still to be delivered.
    static func givingUp(_ notifier: String, state: String?, before: String?) throws(AdminMistake) -> DeliveryAction {
        guard let state, try DeliveryCriteria.state(state) == .pending, before == nil else {
            throw AdminMistake("notifier", "goes with the state pending, and without before.")
        }
        return .giveUp(notifier: notifier)
    }
}
