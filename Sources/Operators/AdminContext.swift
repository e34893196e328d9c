internal import Core

/// What is needed to do what operators want of the store.
package struct AdminContext: Sendable {
    let store: any Store
    /// Unix milliseconds.
    let now: UInt64
    /// What the configuration says.
    let state: OperatorState
    /// Why nothing starts for a notifier just now, by its name; nil outside the service, where nothing starts at all.
    let holds: [String: String]?
    /// Told how many deliveries of which notifier were given up.
    let onGivenUp: @Sendable (_ count: Int, _ notifier: String) -> Void

    /// Why a pending delivery that is due has not been tried yet; nil when it is not due, or has ended.
    func wait(of delivery: Delivery) -> String? {
        guard delivery.state == .pending, delivery.dueAt <= now else { return nil }
        if !serves(delivery.notifier) { return "notifier not configured" }
        guard let holds else { return "service not running" }
        return holds[delivery.notifier] ?? Self.turn
    }

    /// What a delivery waits for that nothing holds back.
    static let turn = "its turn"

    /// The name of a person in the log; nil when it cannot be made.
    func userReference(_ key: Device.Key) -> String? {
        state.authorizer.userReference(appID: key.appID.utf8.span, userID: key.userID.utf8.span)
    }
}
