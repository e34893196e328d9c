/// How many deliveries may wait: the one rule that every store follows.
package struct DeliveryBounds: Sendable, Equatable {
    /// For all notifiers together.
    package let maxPending: Int
    /// For one notifier, so that one that is dead does not stop the others.
    package let maxPendingPerNotifier: Int

    /// Makes bounds.
    package init(maxPending: Int, maxPendingPerNotifier: Int) {
        self.maxPending = maxPending
        self.maxPendingPerNotifier = maxPendingPerNotifier
    }

    /// The deliveries of an event as they are stored, or nil when the event is refused as a whole.
    ///
    /// A delivery for a notifier whose queue is full ends as it is made; the event and its other deliveries are stored. A comment is refused when
    /// the common queue is full, because the help desk sends it again. An event of the registry is not, because nobody would: its deliveries end
    /// instead, so that a sign-in or a sign-out never fails because of deliveries.
    /// - Parameters:
    ///   - total: how many deliveries wait.
    ///   - pending: how many wait for a notifier.
    package func admitted(
        _ rows: [DeliveryPlan.Row], of event: Event, total: Int, pending: (_ notifier: String) -> Int
    ) -> [DeliveryPlan.Row]? {
        // Nobody is near a bound: nothing need be counted.
        if total + rows.count <= min(maxPending, maxPendingPerNotifier) { return rows }
        let canBeRefused = event.kind == .commentCreated
        var rows = rows
        var added: [ByteKey: Int] = [:]
        var waiting = 0
        for index in rows.indices where rows[index].ending == nil {
            let notifier = ByteKey(rows[index].subscription.notifier)
            if pending(notifier.text) + added[notifier, default: 0] >= maxPendingPerNotifier {
                rows[index].ending = .notifierQueueFull
            } else if !canBeRefused, total + waiting >= maxPending {
                rows[index].ending = .queueFull
            } else {
                added[notifier, default: 0] += 1
                waiting += 1
            }
        }
        return canBeRefused && waiting > 0 && total + waiting > maxPending ? nil : rows
    }
}
