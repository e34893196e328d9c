package import Time

/// The dead deliveries of one notifier and app that ended for one reason.
package struct DeadDeliveries: Sendable, Equatable {
    package let notifier: String
    package let appID: String
    package let reason: String
    package let count: Int
    /// When the event of the first one in the order of acceptance arrived.
    package private(set) var oldestReceivedAt: UnixMilliseconds
    /// When the event of the last one arrived.
    package private(set) var newestReceivedAt: UnixMilliseconds
    /// When the last one ended, which after a retry may be long after its event arrived; nil where a thousand dead deliveries of others
    /// ended later, because the store searches no further.
    package private(set) var newestEndedAt: UnixMilliseconds?

    package init(
        notifier: String, appID: String, reason: String, count: Int, oldestReceivedAt: UnixMilliseconds,
        newestReceivedAt: UnixMilliseconds, newestEndedAt: UnixMilliseconds?
    ) {
        (self.notifier, self.appID, self.reason, self.count) = (notifier, appID, reason, count)
        (self.oldestReceivedAt, self.newestReceivedAt, self.newestEndedAt) = (oldestReceivedAt, newestReceivedAt, newestEndedAt)
    }
}

/// The numbers of all dead deliveries as of one moment.
package struct DeadCounts: Sendable, Equatable {
    /// The numbers by notifier, app and reason.
    package private(set) var deliveries: [DeadDeliveries]
    /// When the last of them ended, in milliseconds by the store's own clock, for `DeliveryFilter.endedBy`; nil when there is none.
    package let endedBy: Int64?

    package init(_ deliveries: [DeadDeliveries], endedBy: Int64?) {
        (self.deliveries, self.endedBy) = (deliveries, endedBy)
    }
}

extension DeadCounts: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) { deliveries.convertTimes(convert) }
}

extension DeadDeliveries: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        oldestReceivedAt.convertTimes(convert)
        newestReceivedAt.convertTimes(convert)
        newestEndedAt.convertTimes(convert)
    }
}

extension DeliveryFilter {
    /// Whether it asks for nothing but what `Store.dead` counts by.
    package var isOfDeadCounts: Bool {
        id == nil && kind == nil && userID == nil && ticketID == nil && commentID == nil && receivedFrom == nil && receivedBefore == nil
            && endedBy == nil && state ?? .dead == .dead
    }

    /// Whether it matches the deliveries that were counted.
    /// - Precondition: `isOfDeadCounts`.
    package func matches(_ dead: DeadDeliveries) -> Bool {
        let conditions = [(notifier, dead.notifier), (appID, dead.appID), (reason, dead.reason)]
        return conditions.allSatisfy { wanted, text in wanted.map { ByteKey($0) == ByteKey(text) } ?? true }
    }
}
