internal import JSON
package import Time

/// A condition whose beginning and end are reported to operators. The store keeps an active condition, so that its beginning and end are
/// each reported once, even after restarts and with several processes.
package struct OperatorCondition: Sendable, Equatable {
    /// The raw value is stored.
    package enum Kind: String, Sendable, CaseIterable {
        /// A notifier starts no attempts. The subject is its name.
        case notifierPaused = "notifier_paused"
        /// Deliveries wait too long for a notifier. The subject is its name.
        case queueLate = "queue_late"
        /// A certificate or the last key of an app expires soon. The subject consists of kind, expiry and name (`ExpiringCredential`).
        case credentialExpires = "credential_expires"
        /// A file system has little free space. The subject names the data on it.
        case diskLow = "disk_low"
        /// Unusually many authorizations of an app are denied. The subject is the app.
        case denialsJump = "denials_jump"
        /// A problem of `GET /v1/status` that no other condition reports. The subject is its kind and its own subject.
        case problem
    }

    /// Identifies a condition. At most one condition with a given key is active at a time.
    package struct Key: Sendable, Hashable, Comparable {
        package let kind: Kind
        /// Contains no personal data.
        package let subject: ByteKey

        package init(_ kind: Kind, _ subject: String) {
            self.kind = kind
            self.subject = ByteKey(subject)
        }

        package static func < (left: Key, right: Key) -> Bool {
            (left.kind.rawValue, left.subject) < (right.kind.rawValue, right.subject)
        }
    }

    /// The reason for the end; the raw value is stable.
    package enum End: String, Sendable, CaseIterable {
        case resolved
        /// The condition can no longer be observed: for example, a notifier was paused, and has no deliveries after a restart.
        case idle
        /// The subject was removed from the configuration.
        case removed
    }

    package let key: Key
    /// The time of detection.
    package private(set) var since: UnixMilliseconds
    /// The members of the event's `data` except `state` and the times, as a JSON object.
    package let data: [UInt8]

    package init(_ key: Key, since: UnixMilliseconds, data: [UInt8]) {
        self.key = key
        self.since = since
        self.data = data
    }
}

extension OperatorCondition {
    /// Creates the event for the beginning.
    /// - Parameter id: a new id, from which the ids of deliveries can be derived.
    package func begun(id: UUIDv7, lifetimeMilliseconds: UInt64) -> Event {
        event(key.kind.begun, id: id, now: since, life: lifetimeMilliseconds, key.kind.isPair ? [] : [("state", "began")])
    }

    /// Creates the event for the end.
    /// - Parameter id: a new id, from which the ids of deliveries can be derived.
    package func ended(_ end: End, id: UUIDv7, now: UnixMilliseconds, lifetimeMilliseconds: UInt64) -> Event {
        let times: [(String, JSONValue)] = [("ended_at", .string(RFC3339.text(now))), ("ended_because", .string(end.rawValue))]
        return event(key.kind.ended, id: id, now: now, life: lifetimeMilliseconds, (key.kind.isPair ? [] : [("state", "ended")]) + times)
    }

    /// Creates an event that concerns no person, and an app only if the condition is about one.
    private func event(_ kind: Event.Kind, id: UUIDv7, now: UnixMilliseconds, life: UInt64, _ rest: [(String, JSONValue)]) -> Event {
        var members: [(String, JSONValue)] = []
        if case .object(let known)? = JSONValue(parsing: data) { members = known.members.map { ($0.key, $0.value) } }
        let all = members + [("since", .string(RFC3339.text(since)))] + rest
        let appID = key.kind == .denialsJump ? key.subject.text : ""
        return Event(
            id: id, kind: kind, identity: Event.Identity(appID: appID, ticketID: nil, commentID: nil, deviceID: ""), userID: "",
            occurredAt: now, receivedAt: now, expiresAt: now + life, data: JSONValue.object(JSONObject(all)).serialized())
    }
}

extension OperatorCondition.Kind {
    /// Whether the beginning and the end have different event types.
    fileprivate var isPair: Bool { self == .notifierPaused }

    /// The event type of the beginning.
    package var begun: Event.Kind {
        switch self {
        case .notifierPaused: .notifierPaused
        case .queueLate: .queueLate
        case .credentialExpires: .credentialExpires
        case .diskLow: .diskLow
        case .denialsJump: .denialsJump
        case .problem: .problem
        }
    }

    /// The event type of the end.
    package var ended: Event.Kind { self == .notifierPaused ? .notifierRecovered : begun }
}

/// The state of a condition, as this process observes it.
package enum ConditionStatus: Sendable, Equatable {
    case holds
    /// Undecided: an active condition remains active, and no condition begins.
    case unknown
    case over(OperatorCondition.End)
}

extension OperatorCondition: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        since.convertTimes(convert)
    }
}
