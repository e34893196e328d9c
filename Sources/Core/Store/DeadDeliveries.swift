package import Time

/// The dead deliveries of one notifier and app that ended for one reason.
package struct DeadDeliveries: Sendable, Equatable {
    /// The notifier.
    package let notifier: String
    /// The app.
    package let appID: String
    /// Why they ended.
    package let reason: String
    /// How many there are; at least 1.
    package let count: Int
    /// When the event of the first one in the order of acceptance arrived.
    package private(set) var oldestReceivedAt: UnixMilliseconds
    /// When the event of the last one arrived.
    package private(set) var newestReceivedAt: UnixMilliseconds

    /// Makes a count.
    package init(
        notifier: String, appID: String, reason: String, count: Int, oldestReceivedAt: UnixMilliseconds, newestReceivedAt: UnixMilliseconds
    ) {
        (self.notifier, self.appID, self.reason, self.count) = (notifier, appID, reason, count)
        (self.oldestReceivedAt, self.newestReceivedAt) = (oldestReceivedAt, newestReceivedAt)
    }
}

extension DeadDeliveries: Timestamped {
    package mutating func convertMoments(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        oldestReceivedAt.convertMoments(convert)
        newestReceivedAt.convertMoments(convert)
    }
}

extension DeliveryFilter {
    /// Whether it asks for nothing but what `Store.dead` counts by.
    package var isOfDeadCounts: Bool {
        id == nil && kind == nil && userID == nil && ticketID == nil && commentID == nil && receivedFrom == nil && receivedBefore == nil
            && state ?? .dead == .dead
    }

    /// Whether it matches the deliveries that were counted.
    /// - Precondition: `isOfDeadCounts`.
    package func matches(_ dead: DeadDeliveries) -> Bool {
        let conditions = [(notifier, dead.notifier), (appID, dead.appID), (reason, dead.reason)]
        return conditions.allSatisfy { wanted, text in wanted.map { ByteKey($0) == ByteKey(text) } ?? true }
    }
}
