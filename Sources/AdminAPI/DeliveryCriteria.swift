internal import Configuration
package import Core
internal import JSON
internal import Time

/// A filter of deliveries as names with texts, shared by queries, bodies and the command line.
package struct DeliveryCriteria {
    static let parameters = [
        AdminRoute.Parameter(
            "state", place: .query, kind: .choice(Delivery.State.allCases.map(\.rawValue)), text: "Its state."),
        AdminRoute.Parameter(
            "type", place: .query, kind: .choice(Event.Kind.allCases.map(\.rawValue)),
            text: "The type of its event, such as comment.created."),
        AdminRoute.Parameter("app_id", place: .query, text: "The app of its event."),
        AdminRoute.Parameter("user_id", place: .query, text: "The person of its event."),
        AdminRoute.Parameter("ticket_id", place: .query, kind: .identity, text: "The ticket of its comment."),
        AdminRoute.Parameter("comment_id", place: .query, kind: .identity, text: "Its comment."),
        AdminRoute.Parameter("notifier", place: .query, text: "The notifier's name."),
        AdminRoute.Parameter("reason", place: .query, text: "The reason of its state."),
        AdminRoute.Parameter("from", place: .query, kind: .time, text: "Its event arrived at this time or later."),
        AdminRoute.Parameter("before", place: .query, kind: .time, text: "Its event arrived before this time."),
    ]
    /// The criteria that are identities of the help desk.
    static let identities = ["ticket_id", "comment_id"]

    package private(set) var filter = DeliveryFilter()
    private var given: Set<[UInt8]> = []

    /// Makes an empty filter, which matches every delivery.
    package init() {}

    package var isEmpty: Bool { given.isEmpty }

    /// Adds a criterion.
    /// - Parameter text: for `ticket_id` and `comment_id` an identity of the help desk, for `from` and `before` an RFC 3339 time.
    /// - Throws: when the name is unknown or was added before, or the text is not a valid value.
    package mutating func add(_ name: String, _ text: String) throws(AdminProblem) {
        let name = try Self.parameters.known(name)
        guard given.insert(Array(name.utf8)).inserted else { throw AdminProblem(name, "given twice.") }
        switch name {
        case "state": filter.state = try Self.state(text)
        case "type": filter.kind = try Self.kind(text)
        case "app_id": filter.appID = text
        case "user_id": filter.userID = text
        case "ticket_id": filter.ticketID = try Self.identity(name, text)
        case "comment_id": filter.commentID = try Self.identity(name, text)
        case "notifier": filter.notifier = text
        case "reason": filter.reason = text
        case "from": filter.receivedFrom = try Self.time(name, text)
        default: filter.receivedBefore = try Self.time(name, text)
        }
        if let from = filter.receivedFrom, let before = filter.receivedBefore, from >= before {
            throw AdminProblem(name, "expected \(field: "from") to be earlier than \(field: "before"); nothing is received in between.")
        }
    }

    /// Parses an RFC 3339 time.
    static func time(_ name: String, _ text: String) throws(AdminProblem) -> UnixMilliseconds {
        guard let time = RFC3339.unixMilliseconds(text) else {
            throw AdminProblem(name, "expected a time such as 2026-03-10T08:15:12Z.")
        }
        return time
    }

    static func identity(_ name: String, _ text: String) throws(AdminProblem) -> HelpDeskID {
        guard let id = HelpDeskID(text) else {
            throw AdminProblem(name, "expected 1 to \(HelpDeskID.longest) bytes without control characters.")
        }
        return id
    }

    static func state(_ text: String) throws(AdminProblem) -> Delivery.State {
        guard let state = Delivery.State.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) }) else {
            throw AdminProblem("state", "expected pending, delivered, dead or no_target.")
        }
        return state
    }

    private static func kind(_ text: String) throws(AdminProblem) -> Event.Kind {
        guard let kind = Event.Kind(rawValue: text) else {
            throw AdminProblem("type", "expected the type of an event, such as \(Event.Kind.commentCreated.rawValue).")
        }
        return kind
    }

    /// The criteria of a filter, as `add` accepts them.
    static func texts(of filter: DeliveryFilter) -> [(name: String, text: String)] {
        let values: [(String, String?)] = [
            ("state", filter.state?.rawValue), ("type", filter.kind?.rawValue), ("app_id", filter.appID), ("user_id", filter.userID),
            ("ticket_id", filter.ticketID?.text), ("comment_id", filter.commentID?.text),
            ("notifier", filter.notifier), ("reason", filter.reason), ("from", filter.receivedFrom.map(RFC3339.text)),
            ("before", filter.receivedBefore.map(RFC3339.text)),
        ]
        return values.compactMap { name, text in text.map { (name, $0) } }
    }
}

/// The body of `POST /v1/deliveries/retry`: criteria as in the query of a list, or `{"all": true}`.
enum DeliveryRetryBody {
    /// The criteria. Only dead deliveries can be retried.
    static let criteria = DeliveryCriteria.parameters.map { parameter in
        parameter.placed(.body, parameter.name == "state" ? .choice([Delivery.State.dead.rawValue]) : nil)
    }
    /// The flag that selects all dead deliveries.
    static let all = AdminRoute.Parameter("all", place: .body, kind: .flag, text: "All dead deliveries, without a criterion.")

    static let after = AdminRoute.Parameter(
        "after", place: .body,
        text:
            "The end of the previous step (next), or a counted set (set), with the same criteria; without it a new set begins.")

    /// Parses the body. Without a criterion it must have `all`, so that a forgotten filter does not retry everything.
    static func action(_ body: Span<UInt8>) throws(AdminProblem) -> DeliveryAction {
        var criteria = DeliveryCriteria()
        var (wantsAll, cursor) = (false, nil as RetryCursor?)
        for member in try AdminBody.object(body).members {
            if member.key.utf8.elementsEqual(all.name.utf8) {
                guard member.value == true else { throw AdminProblem("all", "expected true.") }
                wantsAll = true
            } else if member.key.utf8.elementsEqual(after.name.utf8) {
                cursor = RetryCursor(try text(member))
                guard cursor != nil else {
                    throw AdminProblem("after", "expected the value of next from an earlier step, or of set from a count.")
                }
            } else {
                try criteria.add(member.key, try text(member))
            }
        }
        guard wantsAll == criteria.isEmpty else {
            throw AdminProblem(nil, #"Send at least one criterion, or {"all": true} alone."#)
        }
        guard criteria.filter.state ?? .dead == .dead else {
            throw AdminProblem("state", "expected dead; nothing else can be tried again.")
        }
        return .retry(criteria.filter, after: cursor)
    }

    private static func text(_ member: JSONObject.Member) throws(AdminProblem) -> String {
        let isIdentity = DeliveryCriteria.identities.contains { $0.utf8.elementsEqual(member.key.utf8) }
        switch member.value {
        case .string(let text): return text
        case .integer(let number) where isIdentity: return "\(number)"
        default:
            throw AdminProblem(printable(member.key), "expected \(isIdentity ? "a whole number or a string" : "a string").")
        }
    }
}
