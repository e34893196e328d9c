internal import Core
internal import JSON

/// Formats a delivery's history from the admin listener's answer, in sentences with UTC times.
enum DeliveriesStory {
    /// Returns the whole history: the event, each attempt, and the end or the next step.
    static func sentences(_ story: JSONObject) -> String {
        var tries: [JSONObject] = []
        if case .array(let values) = story["tries"] {
            for case .object(let attempt) in values { tries.append(attempt) }
        }
        return (beginning(story) + forgotten(story) + tries.map(sentence) + [end(story, tries)]).joined(separator: "\n")
    }

    /// Returns the state of a delivery, or the outcome of an attempt. Logged and superseded deliveries have separate words, because they
    /// notified no person.
    /// - Parameter key: `state` or `outcome`.
    static func shown(_ key: String, of object: JSONObject) -> String {
        let word = AdminText.text(object[key])
        let (read, reason) = (DeliveryEnding.supersededByRead, AdminText.text(object["reason"]))
        guard word == Delivery.State.delivered.rawValue else { return word }
        return Delivery.silentReasons.contains(reason) ? reason : reason == read.reason ? read.outcome : word
    }

    private static func beginning(_ story: JSONObject) -> [String] {
        func value(_ key: String) -> String { AdminText.text(story[key]) }
        let isComment = story["comment_id"] != .null
        return [
            "Delivery \(value("id")) to the notifier \(value("notifier")) is \(shown("state", of: story)).",
            "Event \(value("event_id")) (\(value("type"))): \(subject(story)).",
            "It happened at \(value("occurred_at"))\(isComment ? ", as the help desk says" : "").",
            "It was received at \(value("received_at")), and stored before that was confirmed.",
            "Nothing is sent after \(value("expires_at")).",
        ] + (value("trace_id").isEmpty ? [] : ["It belongs to the trace \(value("trace_id"))."])
    }

    /// Returns the subject of the event; for operator events, a fixed text.
    private static func subject(_ story: JSONObject) -> String {
        func value(_ key: String) -> String { AdminText.text(story[key]) }
        if Event.Kind(rawValue: value("type"))?.isForOperators == true { return "for the operators of this service" }
        let what = story["comment_id"] != .null ? "comment \(value("comment_id")) in ticket \(value("ticket_id"))" : "a push token"
        return "\(what) of app \(value("app_id")), for user \(value("user_id"))\(device(story))"
    }

    /// Returns a sentence if the event's data, such as the comment's text, was deleted.
    private static func forgotten(_ story: JSONObject) -> [String] {
        let state = AdminText.text(story["state"])
        guard story["data_kept"] == .bool(false), state == "delivered" || state == "no_target" else { return [] }
        return ["Its data is deleted, because no delivery needs it any more."]
    }

    /// Returns the delivery's device, and the event's device if it differs: a comment for an unknown device is sent to the person's other
    /// devices.
    private static func device(_ story: JSONObject) -> String {
        let target = AdminText.text(of: "target.device_id", in: story)
        let named = AdminText.text(story["device_id"])
        if target.isEmpty { return named.isEmpty ? "" : ", naming device \(named)" }
        let isNamed = named.isEmpty || named.utf8.elementsEqual(target.utf8)
        return ", on device \(target)" + (isNamed ? "" : " (the event names device \(named))")
    }

    private static func sentence(_ attempt: JSONObject) -> String {
        func value(_ key: String) -> String { AdminText.text(attempt[key]) }
        let start = "Attempt \(value("number")) began at \(value("started_at"))"
        if value("outcome") == "interrupted" { return "\(start) and was interrupted, because Deskgate ended; it may have arrived." }
        guard !value("ended_at").isEmpty else { return "\(start); its outcome is not known." }
        let outcome =
            switch shown("outcome", of: attempt) {
            case "delivered": "it arrived"
            case Delivery.loggedReason: "it was written to the log"
            case Delivery.withdrawnReason: "the device was asked to remove read notifications"
            case "retry": "it did not arrive, and may later"
            case "dead": "it did not arrive, and never can"
            case "expired": "it did not arrive, and there was no time left for another"
            case "attempts_spent": "it did not arrive, and was the last that may be"
            default: "its outcome is not known"
            }
        return "\(start) and ended at \(value("ended_at")): \(outcome)" + (value("reason").isEmpty ? "." : " (\(value("reason"))).")
    }

    private static func end(_ story: JSONObject, _ tries: [JSONObject]) -> String {
        func value(_ key: String) -> String { AdminText.text(story[key]) }
        let count =
            story["attempts"] == .integer(0)
            ? "without an attempt" : "after \(AdminText.count(story["attempts"], one: "attempt", many: "attempts"))"
        switch shown("state", of: story) {
        case Delivery.loggedReason: return "It was written to the log at \(value("ended_at")), \(count); no one was notified."
        case Delivery.withdrawnReason:
            return "The device was asked at \(value("ended_at")), \(count), to remove read notifications; no one was notified."
        case "delivered": return "It arrived at \(value("ended_at")), \(count)."
        case DeliveryEnding.supersededByRead.outcome: return "It ended at \(value("ended_at")), \(count): the user had read it before."
        case "no_target": return "It ended at \(value("ended_at")), \(count): there was no registered device that this notifier serves."
        case "dead": return "It was given up at \(value("ended_at")), \(count): \(value("reason"))."
        default:
            if let reason = hold(story) { return "It waits: \(reason)." }
            if value("waits") != "" { return "It is due, and waits for its turn." }
            guard let last = tries.last, AdminText.text(last["outcome"]).isEmpty else {
                return "The next attempt is due at \(value("due_at"))."
            }
            return "That attempt may still run; the next one is due at \(value("due_at")) if it is not reported."
        }
    }

    /// Returns the reason why a due delivery was not attempted yet; nil when it only waits for earlier deliveries.
    static func hold(_ delivery: JSONObject) -> String? {
        let reason = AdminText.text(delivery["waits"])
        return reason.isEmpty || reason == "its turn" ? nil : reason
    }
}
