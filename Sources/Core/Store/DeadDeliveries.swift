package import Time

/// The number of dead deliveries of one notifier and app with one reason.
package struct DeadDeliveries: Sendable, Equatable {
    package let notifier: String
    package let appID: String
    package let reason: String
    /// At least 1.
    package let count: Int
    /// Time of arrival of the event that was accepted first.
    package private(set) var oldestReceivedAt: UnixMilliseconds
    /// Time of arrival of the event that was accepted last.
    package private(set) var newestReceivedAt: UnixMilliseconds
    /// Time at which the last one ended, which after a retry may be long after its event arrived. nil: a thousand other dead deliveries
    /// ended later, and the store examines no more.
    package private(set) var newestEndedAt: UnixMilliseconds?

    package init(
        notifier: String, appID: String, reason: String, count: Int, oldestReceivedAt: UnixMilliseconds,
        newestReceivedAt: UnixMilliseconds, newestEndedAt: UnixMilliseconds?
    ) {
        (self.notifier, self.appID, self.reason, self.count) = (notifier, appID, reason, count)
        (self.oldestReceivedAt, self.newestReceivedAt, self.newestEndedAt) = (oldestReceivedAt, newestReceivedAt, newestEndedAt)
    }
}

/// The numbers of all dead deliveries at one moment.
package struct DeadCounts: Sendable, Equatable {
    /// By notifier, app and reason.
    package private(set) var deliveries: [DeadDeliveries]
    /// Time at which the last one ended, in milliseconds of the store's own clock, for `DeliveryFilter.endedBy`; nil without dead
    /// deliveries.
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
    /// Whether the filter uses only criteria that `Store.dead` counts by.
    package var canUseDeadCounts: Bool {
        id == nil && kind == nil && userID == nil && ticketID == nil && commentID == nil && receivedFrom == nil && receivedBefore == nil
            && endedBy == nil && state ?? .dead == .dead
    }

    /// - Precondition: `canUseDeadCounts`.
    package func matches(_ dead: DeadDeliveries) -> Bool {
        let conditions = [(notifier, dead.notifier), (appID, dead.appID), (reason, dead.reason)]
        return conditions.allSatisfy { wanted, text in wanted.map { ByteKey($0) == ByteKey(text) } ?? true }
    }
}
