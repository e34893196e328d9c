internal import Core
internal import HelpDesk
internal import JSON

/// A customer's request about their own tickets, without the customer's identity.
enum TicketRequest: Sendable {
    case list(TicketQuery.Selection, [TicketField], after: TicketCursor)
    case show(TicketLocator)
    case count
    /// The draft's user id is still empty.
    case create(TicketDraft)
    case close(Int64, comment: String?)
    case reopen(Int64)
    case relate(Int64, to: [String])
    /// Sets fields of a ticket, or the customer's own fields when no ticket is given.
    case setFields([TicketField], ofTicket: Int64?)
    case answer(CustomerAnswer, messageID: Int64, ticket: Int64)

    private static let longestComment = 1000

    var isChange: Bool {
        switch self {
        case .list, .show, .count: false
        case .create, .close, .reopen, .relate, .setFields, .answer: true
        }
    }

    static func list(_ body: JSONObject) throws(BodyError) -> TicketRequest {
        guard let selection = try body.text("state").map({ TicketQuery.Selection(rawValue: $0) }) ?? .open else {
            throw .unexpected(field: "state", expectation: "expected \(TicketQuery.Selection.alternatives)")
        }
        let after = try body.text("after")
        guard let place = after.map({ TicketCursor($0) }) ?? TicketCursor() else {
            throw .unexpected(field: "after", expectation: "expected the value of next from an earlier list")
        }
        let fields = try body.fields("custom_fields")
        return .list(selection, fields.isEmpty ? [] : try checked(fields), after: place)
    }

    static func show(_ body: JSONObject) throws(BodyError) -> TicketRequest {
        if let channel = try body.text("channel") {
            guard body["ticket_id"] == nil else { throw .unexpected(field: "ticket_id", expectation: "expected either it or channel") }
            guard FieldGrammar.problem(of: channel.utf8.span, longest: TicketDraft.longestChannel) == nil else {
                throw .unexpected(
                    field: "channel",
                    expectation: "expected 1 to \(TicketDraft.longestChannel) UTF-16 code units without control characters")
            }
            return .show(.channel(channel))
        }
        return .show(.id(try body.number("ticket_id")))
    }

    static func create(_ body: JSONObject) throws(BodyError) -> TicketRequest {
        let (name, title, groupKey) = (try body.text("user_name"), try body.text("title"), try body.text("group_key"))
        let (priority, message) = (try body.text("priority"), try body.text("message"))
        let (fields, related) = (try body.fields("custom_fields"), try body.texts("related_channels"))
        // The same checks as for the company's backend; the person is known only after them.
        return .create(
            try checked { () throws(TicketProblem) in
                try TicketDraft(
                    userID: "", userName: name, title: title, groupKey: groupKey, priority: priority, fields: fields,
                    relatedChannels: related, message: message)
            })
    }

    static func close(_ body: JSONObject) throws(BodyError) -> TicketRequest {
        let comment = try body.comment().map { text throws(BodyError) in
            try checked { () throws(TicketProblem) in try Ticket.closeComment(wanted: text) }
        }
        return .close(try body.number("ticket_id"), comment: comment)
    }

    static func reopen(_ body: JSONObject) throws(BodyError) -> TicketRequest { .reopen(try body.number("ticket_id")) }

    static func relate(_ body: JSONObject) throws(BodyError) -> TicketRequest {
        // A missing member must not clear the channels.
        guard case .array? = body["related_channels"] else {
            throw .unexpected(field: "related_channels", expectation: "expected a list of strings; an empty list clears them")
        }
        let channels = try body.texts("related_channels")
        return .relate(
            try body.number("ticket_id"),
            to: try checked { () throws(TicketProblem) in try Ticket.relatedChannels(wanted: channels) })
    }

    static func ticketFields(_ body: JSONObject) throws(BodyError) -> TicketRequest {
        .setFields(try checked(body.fields("custom_fields")), ofTicket: try body.number("ticket_id"))
    }

    static func customerFields(_ body: JSONObject) throws(BodyError) -> TicketRequest {
        .setFields(try checked(body.fields("custom_fields")), ofTicket: nil)
    }

    static func confirm(_ body: JSONObject) throws(BodyError) -> TicketRequest {
        guard case .bool(let isConfirmed)? = body["confirmed"] else {
            throw .unexpected(field: "confirmed", expectation: "expected true or false")
        }
        return .answer(
            .closure(isConfirmed: isConfirmed), messageID: try body.number("message_id"), ticket: try body.number("ticket_id"))
    }

    static func rate(_ body: JSONObject) throws(BodyError) -> TicketRequest {
        guard let score = body["score"]?.integer, (1...5).contains(score) else {
            throw .unexpected(field: "score", expectation: "expected a whole number from 1 to 5")
        }
        let comment = try body.comment()
        if let comment, comment.utf16.count > longestComment || comment.utf8.contains(0) {
            throw .unexpected(field: "comment", expectation: "expected at most \(longestComment) UTF-16 code units without NUL")
        }
        return .answer(
            .rating(score: score, comment: comment), messageID: try body.number("message_id"), ticket: try body.number("ticket_id"))
    }

    private static func checked(_ fields: [TicketField]) throws(BodyError) -> [TicketField] {
        try checked { () throws(TicketProblem) in try TicketField.wanted(fields) }
    }

    private static func checked<Result>(_ make: () throws(TicketProblem) -> Result) throws(BodyError) -> Result {
        do throws(TicketProblem) {
            return try make()
        } catch {
            throw .unexpected(field: error.field, expectation: error.expectation)
        }
    }
}

extension JSONObject {
    /// Returns nil when the member is missing or null.
    fileprivate func text(_ name: String) throws(BodyError) -> String? {
        switch self[name] {
        case nil, .null: return nil
        case .string(let text): return text
        default: throw .unexpected(field: name, expectation: "expected a string, or null")
        }
    }

    /// Returns nil also for an empty comment, which the vendor's SDKs write for none.
    fileprivate func comment() throws(BodyError) -> String? { try text("comment").flatMap { $0.isEmpty ? nil : $0 } }

    /// Reads a positive number, or its digits as text, because programs without 64-bit integers cannot write every number.
    fileprivate func number(_ name: String) throws(BodyError) -> Int64 {
        guard let number = self[name].flatMap(DeskTicket.number), number > 0 else {
            throw .unexpected(field: name, expectation: "expected a whole number from 1 on, or its digits as a string")
        }
        return number
    }

    fileprivate func texts(_ name: String) throws(BodyError) -> [String] {
        switch self[name] {
        case nil, .null: return []
        case .array(let values):
            let texts = values.compactMap(\.text)
            if texts.count == values.count { return texts }
        default: break
        }
        throw .unexpected(field: name, expectation: "expected a list of strings")
    }

    fileprivate func fields(_ name: String) throws(BodyError) -> [TicketField] {
        switch self[name] {
        case nil, .null: return []
        case .object(let object):
            let fields = object.members.compactMap { member in member.value.text.map { TicketField(key: member.key, value: $0) } }
            if fields.count == object.members.count { return fields }
        default: break
        }
        throw .unexpected(field: name, expectation: "expected an object of strings")
    }
}
