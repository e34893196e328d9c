internal import Core

extension DeliveryAction {
    private static let givenUpPerStep = 500

    /// Chooses to give up what waits for a notifier, such as one that is not configured any more: only the named one's, and all of it, so that
    /// nobody ends by mistake what is still to be delivered.
    static func givingUp(_ notifier: String, state: String?, before: String?) throws(AdminMistake) -> DeliveryAction {
        guard let state, try DeliveryCriteria.state(state) == .pending, before == nil else {
            throw AdminMistake(message: "notifier: goes with the state pending, and without before.")
        }
        return .giveUp(notifier: notifier)
    }

    /// Gives up what waits for a notifier, in steps, between which others go on.
    static func giveUp(_ notifier: String, _ desk: AdminDesk) throws(StoreError) -> Int {
        var givenUp = 0
        while true {
            let count = try desk.store.giveUpPending(notifier: notifier, now: desk.now, limit: givenUpPerStep)
            givenUp += count
            if count < givenUpPerStep { return givenUp }
        }
    }
}
