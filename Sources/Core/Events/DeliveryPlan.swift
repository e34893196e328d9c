/// Which deliveries an event becomes: the one rule that every store follows.
package enum DeliveryPlan {
    /// A device that an event may be for.
    package struct Candidate: Sendable, Equatable {
        /// Which of the person's devices.
        package let deviceID: String
        /// What kind it is.
        package let type: String

        /// Makes a candidate.
        package init(deviceID: String, type: String) {
            self.deviceID = deviceID
            self.type = type
        }
    }

    /// A delivery to be made.
    package struct Row: Sendable, Equatable {
        /// Who delivers it.
        package let subscription: Subscription
        /// Which device it is for, or tells of; nil when none in particular.
        package let deviceID: String?
        /// How it has ended when it is made, so that operators see why nothing came; nil when it waits for its first try.
        package internal(set) var ending: DeliveryEnding?
    }

    /// How many deliveries an event has at most. The last one stands for what is beyond, and has ended with the reason `too_many_deliveries`.
    package static let mostRows = 1000

    /// The deliveries of an event.
    /// - Parameters:
    ///   - candidates: the devices that a comment is for, as they are registered; not asked for other events.
    ///   - isNotified: whether a device has been told of the same comment before, through the same notifier.
    package static func rows<Failure: Error>(
        _ event: Event, _ subscriptions: [Subscription], candidates: () throws(Failure) -> [Candidate],
        isNotified: (_ notifier: String, _ deviceID: String) throws(Failure) -> Bool
    ) throws(Failure) -> [Row] {
        guard event.kind == .commentCreated else {
            // Told in any case, with the device as it is by then: who has to can see whether the event still holds.
            return bounded(subscriptions.map { Row(subscription: $0, deviceID: event.identity.deviceID) })
        }
        guard !subscriptions.isEmpty else { return [] }
        let candidates = try candidates()
        guard !candidates.isEmpty else { return withoutDevice(event, subscriptions) }
        var rows: [Row] = []
        var isKnown = false
        for subscription in subscriptions {
            for candidate in candidates where subscription.deviceTypes.contains(candidate.type) {
                isKnown = true
                if try isNotified(subscription.notifier, candidate.deviceID) { continue }
                rows.append(Row(subscription: subscription, deviceID: candidate.deviceID))
            }
        }
        if isKnown { return bounded(rows) }
        // Devices that no subscription covers: who needs none is told all the same, and otherwise somebody must be able to see why nothing came.
        let told = subscriptions.filter { !$0.requiresDevice }.map { Row(subscription: $0, deviceID: nil) }
        return told.isEmpty ? [Row(subscription: subscriptions[0], deviceID: candidates[0].deviceID, ending: .noTarget)] : told
    }

    private static func bounded(_ rows: [Row]) -> [Row] {
        guard rows.count > mostRows else { return rows }
        var bounded = Array(rows.prefix(mostRows))
        bounded[mostRows - 1].ending = .tooMany
        return bounded
    }

    private static func withoutDevice(_ event: Event, _ subscriptions: [Subscription]) -> [Row] {
        let rows = subscriptions.filter { !$0.requiresDevice || $0.deviceTypes.contains(event.deviceType) }
            .map { Row(subscription: $0, deviceID: nil, ending: $0.requiresDevice ? .noTarget : nil) }
        return rows.isEmpty ? [Row(subscription: subscriptions[0], deviceID: nil, ending: .noTarget)] : bounded(rows)
    }
}
