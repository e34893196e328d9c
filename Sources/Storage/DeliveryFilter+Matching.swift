internal import Core
internal import Time

extension DeliveryFilter {
    /// Whether the filter has no condition on the event, so that a search reads only the delivery rows, which are small.
    var isOfDeliveriesAlone: Bool {
        kind == nil && appID == nil && userID == nil && ticketID == nil && commentID == nil && receivedFrom == nil
            && receivedBefore == nil
    }

    /// Whether a delivery matches all conditions of the filter. Texts are compared as bytes.
    func matches(_ delivery: Delivery) -> Bool {
        let event = delivery.event
        return (id == nil || id == delivery.id)
            && (state == nil || state == delivery.state)
            && (kind == nil || kind == event.kind)
            && (ticketID == nil || ticketID == event.identity.ticketID)
            && (commentID == nil || commentID == event.identity.commentID)
            && isSame(appID, event.identity.appID)
            && isSame(userID, event.userID)
            && isSame(notifier, delivery.notifier)
            && isSame(reason, delivery.reason)
            && event.receivedAt >= receivedFrom ?? 0
            && (receivedBefore.map { event.receivedAt < $0 } ?? true)
            && (endedBy.map { (delivery.endedAt?.stored ?? .max) <= $0 } ?? true)
    }

    private func isSame(_ wanted: String?, _ text: String) -> Bool {
        wanted.map { $0.utf8.elementsEqual(text.utf8) } ?? true
    }
}
