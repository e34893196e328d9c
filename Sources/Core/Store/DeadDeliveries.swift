package import Time

/// The number of dead deliveries of one notifier and app with one reason.
package struct DeadDeliveries: Sendable, Equatable {
    package let notifier: String
    package let appID: String
    package let reason: String
    /// At least 1.
    package let count: Int
    /// The arrival time of the first accepted event.
    package private(set) var oldestReceivedAt: UnixMilliseconds
    /// The arrival time of the last accepted event.
    package private(set) var newestReceivedAt: UnixMilliseconds
    /// The time at which the last delivery ended, which after a retry may be long after its event arrived. Nil when a thousand other dead
    /// deliveries ended later, because the store examines no more.
    package private(set) var newestEndedAt: UnixMilliseconds?

    package init(
        notifier: String, appID: String, reason: String, count: Int, oldestReceivedAt: UnixMilliseconds,
        newestReceivedAt: UnixMilliseconds, newestEndedAt: UnixMilliseconds?
    ) {
        (self.notifier, self.appID, self.reason, self.count) = (notifier, appID, reason, count)
        (self.oldestReceivedAt, self.newestReceivedAt, self.newestEndedAt) = (oldestReceivedAt, newestReceivedAt, newestEndedAt)
    }
}

/// The numbers of all dead deliveries at one time.
package struct DeadCounts: Sendable, Equatable {
    /// By notifier, app and reason.
    package private(set) var deliveries: [DeadDeliveries]
    /// The time at which the last delivery ended, in milliseconds of the store's own clock, for `DeliveryFilter.endedBy`; nil without dead
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
    /// Whether the filter uses only the criteria by which `Store.dead` counts.
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
