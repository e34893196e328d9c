internal import JSON
package import Time

/// A condition that operators are notified about when it begins and when it ends. The store keeps it while it lasts, so that each is
/// reported once, across restarts and processes.
package struct OperatorCondition: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A notifier starts no attempts. The subject is its name.
        case notifierPaused = "notifier_paused"
        /// Deliveries wait too long for a notifier. The subject is its name.
        case queueLate = "queue_late"
        /// A certificate, or the last key of an app, ends soon. The subject is what it is and when it ends (`ExpiringCredential`).
        case credentialExpires = "credential_expires"
        /// A file system has little space left. The subject names its contents.
        case diskLow = "disk_low"
        /// Far more authorizations of an app are denied than usual. The subject is the app.
        case denialsJump = "denials_jump"
        /// A problem of `GET /v1/status` that no other condition covers. The subject is its kind, and its own subject.
        case problem
    }

    /// Identifies a condition: at most one with a key lasts at a time.
    package struct Key: Sendable, Hashable, Comparable {
        package let kind: Kind
        /// The subject, without personal data.
        package let subject: ByteKey

        package init(_ kind: Kind, _ subject: String) {
            self.kind = kind
            self.subject = ByteKey(subject)
        }

        package static func < (left: Key, right: Key) -> Bool {
            (left.kind.rawValue, left.subject) < (right.kind.rawValue, right.subject)
        }
    }

    /// The reason why a condition ended; a stable word.
    package enum End: String, Sendable, CaseIterable {
        case resolved
        /// Nothing shows any more that it lasts, such as a paused notifier without deliveries after a restart.
        case idle
        case removed
    }

    package let key: Key
    package private(set) var since: UnixMilliseconds
    /// The data at that time, as the text of a JSON object: the members of `data` without `state` and the times.
    package let data: [UInt8]

    package init(_ key: Key, since: UnixMilliseconds, data: [UInt8]) {
        self.key = key
        self.since = since
        self.data = data
    }
}

extension OperatorCondition {
    /// Makes the event of its beginning.
    /// - Parameters:
    ///   - id: a new one, with room for the ids of deliveries.
    ///   - lifeMilliseconds: the life of the event.
    package func begun(id: UUIDv7, lifeMilliseconds: UInt64) -> Event {
        event(key.kind.begun, id: id, now: since, life: lifeMilliseconds, key.kind.isPair ? [] : [("state", "began")])
    }

    /// Makes the event of its end.
    /// - Parameters:
    ///   - id: a new one, with room for the ids of deliveries.
    ///   - now: the time when the end was noticed.
    ///   - lifeMilliseconds: the life of the event.
    package func ended(_ end: End, id: UUIDv7, now: UnixMilliseconds, lifeMilliseconds: UInt64) -> Event {
        let times: [(String, JSONValue)] = [("ended_at", .string(RFC3339.text(now))), ("ended_because", .string(end.rawValue))]
        return event(key.kind.ended, id: id, now: now, life: lifeMilliseconds, (key.kind.isPair ? [] : [("state", "ended")]) + times)
    }

    /// The event has no app, except when the condition is about one, and no person.
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
    /// Whether begin and end have types of their own.
    fileprivate var isPair: Bool { self == .notifierPaused }

    /// The type of the event of the beginning.
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

    /// The type of the event of the end.
    package var ended: Event.Kind { self == .notifierPaused ? .notifierRecovered : begun }
}

package enum ConditionStatus: Sendable, Equatable {
    case holds
    /// Neither is proven: a reported condition lasts, and none begins.
    case unknown
    /// The condition has ended.
    case over(OperatorCondition.End)
}

extension OperatorCondition: Timestamped {
    package mutating func convertMoments(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        since.convertMoments(convert)
    }
}
