internal import JSON
package import Time

/// The payload of an `operator.test` event, with which an operator tests the delivery of events. It concerns no person.
package struct OperatorTest: Sendable, Equatable {
    package let appID: String
    package let notifier: String

    package init(appID: String, notifier: String) {
        self.appID = appID
        self.notifier = notifier
    }

    /// Returns nil when the event is of another kind, or its data is deleted or malformed.
    package init?(_ event: Event) {
        guard event.kind == .operatorTest, let notifier = JSONValue(parsing: event.data)?["notifier"]?.text else { return nil }
        self.init(appID: event.identity.appID, notifier: notifier)
    }
}

extension Event {
    /// - Parameter id: a new id, from which the ids of deliveries can be derived.
    package init(_ test: OperatorTest, id: UUIDv7, now: UnixMilliseconds, lifetimeMilliseconds: UInt64) {
        let data: JSONValue = ["notifier": .string(test.notifier)]
        self.init(
            id: id, kind: .operatorTest, identity: Identity(appID: test.appID, ticketID: nil, commentID: nil, deviceID: ""), userID: "",
            occurredAt: now, receivedAt: now, expiresAt: now + lifetimeMilliseconds, data: data.serialized())
    }
}
