internal import JSON
package import Time

/// The recent authorizations of one user, as recorded by one or more processes.
package struct KnownAuthorizations: Sendable {
    /// The start of recording. For several processes, it is the latest start.
    package let startedAt: UnixSeconds
    /// The time since which no denial was evicted for lack of space: a user without a record was not denied since then.
    package let completeSince: UnixSeconds
    /// The user's record; nil when there is none.
    package let history: AuthorizationHistory?
    /// Other processes that were queried and have not responded.
    package var silentReplicas = 0

    package init(startedAt: UnixSeconds, completeSince: UnixSeconds, history: AuthorizationHistory?) {
        (self.startedAt, self.completeSince, self.history) = (startedAt, completeSince, history)
    }

    package func merged(with other: KnownAuthorizations) -> KnownAuthorizations {
        let both = history.flatMap { own in other.history.map(own.merged) }
        var merged = KnownAuthorizations(
            startedAt: max(startedAt, other.startedAt), completeSince: max(completeSince, other.completeSince),
            history: both ?? history ?? other.history)
        merged.silentReplicas = silentReplicas + other.silentReplicas
        return merged
    }

    /// Converts the times to a clock that is ahead by this number of milliseconds, rounded to whole seconds. Negative values mean that it
    /// is behind.
    package func moved(byMilliseconds milliseconds: Int64) -> KnownAuthorizations {
        let seconds = Int64((Double(milliseconds) / 1000).rounded())
        var moved = KnownAuthorizations(
            startedAt: startedAt.advanced(by: seconds), completeSince: completeSince.advanced(by: seconds),
            history: history?.moved(bySeconds: seconds))
        moved.silentReplicas = silentReplicas
        return moved
    }
}

/// The serialization between processes: JSON, with times in seconds by the shared clock.
extension KnownAuthorizations {
    package func serialized() -> [UInt8] {
        let value: JSONValue = [
            "started_at": Self.number(startedAt.rawValue), "complete_since": Self.number(completeSince.rawValue),
            "history": history.map(Self.json) ?? .null,
        ]
        return value.serialized()
    }

    /// Returns nil for malformed text.
    package init?(parsing text: [UInt8]) {
        guard let value = JSONValue(parsing: text), let startedAt = Self.moment(value["started_at"]),
            let completeSince = Self.moment(value["complete_since"])
        else { return nil }
        self.init(startedAt: startedAt, completeSince: completeSince, history: value["history"].flatMap(Self.history))
    }

    private static func json(_ history: AuthorizationHistory) -> JSONValue {
        [
            "success": history.lastSuccess.map {
                ["at": number($0.at.rawValue), "key_id": keyID($0.keyID), "is_shadowed": .bool($0.isShadowed)]
            } ?? .null,
            "is_denied": .bool(history.isDenied),
            "denials": .array(
                history.denials.map {
                    ["reason": .string($0.reason.word), "key_id": keyID($0.keyID), "at": number($0.at.rawValue)]
                }),
            "minutes": .array(history.minutes.map { .array([number($0.minute), number(UInt64($0.count))]) }),
            "failure": history.failure.map {
                [
                    "reason": .string($0.reason.word), "at": number($0.at.rawValue),
                    "next_at": $0.nextAt.map { number($0.rawValue) } ?? .null,
                    "limit": $0.rule.map { ["max": .integer(Int64($0.max)), "milliseconds": number($0.windowMilliseconds)] } ?? .null,
                ]
            } ?? .null,
        ]
    }

    private static func history(_ value: JSONValue) -> AuthorizationHistory? {
        guard value.isObject else { return nil }
        let success = value["success"].flatMap { success in
            // A replica of an earlier version does not send the flag for shadow mode.
            moment(success["at"]).map {
                AuthorizationHistory.Success(at: $0, keyID: keyID(success["key_id"]), isShadowed: success["is_shadowed"] == true)
            }
        }
        // Skips unknown reasons, which a later version may send.
        let denials = (value["denials"]?.elements ?? []).compactMap { value -> AuthorizationHistory.Denied? in
            guard let reason = value["reason"]?.text.flatMap(AuthorizationHistory.Reason.init(word:)), let at = moment(value["at"]) else {
                return nil
            }
            return AuthorizationHistory.Denied(reason: reason, keyID: keyID(value["key_id"]), at: at)
        }
        let counts = (value["minutes"]?.elements ?? []).compactMap { value -> (minute: UInt64, count: UInt32)? in
            let pair = value.elements
            guard pair.count == 2, let minute = pair[0].integer, let count = pair[1].integer else { return nil }
            return (UInt64(clamping: minute), UInt32(clamping: count))
        }
        return AuthorizationHistory(
            success, denials: denials, isDenied: value["is_denied"] == true && !denials.isEmpty, minutes: counts,
            failure: value["failure"].flatMap(failure))
    }

    private static func failure(_ value: JSONValue) -> AuthorizationFailure? {
        guard let reason = value["reason"]?.text.flatMap(AuthorizationFailure.Reason.init(word:)), let at = moment(value["at"]) else {
            return nil
        }
        return AuthorizationFailure(reason, at: at, nextAt: moment(value["next_at"]), rule: value["limit"].flatMap { rule($0, reason) })
    }

    private static func rule(_ value: JSONValue, _ reason: AuthorizationFailure.Reason) -> LimitRule? {
        guard case .limited(let scope) = reason, let max = value["max"]?.integer, let window = value["milliseconds"]?.integer, max > 0,
            window > 0
        else { return nil }
        return LimitRule(per: scope, max: Int(max), windowMilliseconds: UInt64(window))
    }

    private static func number(_ value: UInt64) -> JSONValue { .integer(Int64(clamping: value)) }

    private static func keyID(_ keyID: UInt32?) -> JSONValue { keyID.map { .integer(Int64($0)) } ?? .null }

    private static func keyID(_ value: JSONValue?) -> UInt32? { value?.integer.flatMap { UInt32(exactly: $0) } }

    private static func moment(_ value: JSONValue?) -> UnixSeconds? {
        value?.integer.flatMap { UInt64(exactly: $0) }.map { UnixSeconds(rawValue: $0) }
    }
}
