package import Core
internal import HTTPServer
internal import JSON

/// Creates actions from callers' requests. These functions validate the texts for both the admin listener and the command line.
extension TicketAction {
    package static func creating(
        appID: String?, userID: String?, userName: String?, title: String?, groupKey: String?, priority: String?, fields: [TicketField],
        relatedChannels: [String], message: String?
    ) throws(AdminProblem) -> TicketAction {
        let (app, user) = (try PersonFields.app(appID), try PersonFields.user(userID))
        return TicketAction(
            appID: app,
            kind: .create(
                try checked { () throws(TicketProblem) in
                    try TicketDraft(
                        userID: user, userName: userName, title: title, groupKey: groupKey, priority: priority, fields: fields,
                        relatedChannels: relatedChannels, message: message)
                }))
    }

    /// Shows one ticket by its number or by the channel of its conversation.
    package static func showing(appID: String?, ticketID: Int64?, channel: String?) throws(AdminProblem) -> TicketAction {
        let app = try PersonFields.app(appID)
        guard (ticketID == nil) != (channel == nil) else { throw AdminProblem("ticket_id", "expected either it or \(field: "channel").") }
        if let ticketID { return TicketAction(appID: app, kind: .show(.id(try id(ticketID)))) }
        guard let channel, FieldGrammar.problem(of: channel.utf8.span, longest: TicketDraft.longestChannel) == nil else {
            throw AdminProblem("channel", "expected 1 to \(TicketDraft.longestChannel) UTF-16 code units without control characters.")
        }
        return TicketAction(appID: app, kind: .show(.channel(channel)))
    }

    /// Lists tickets.
    /// - Parameters:
    ///   - field: a field that the tickets must have, as `KEY=VALUE`.
    ///   - after: the value of `next` from an earlier page.
    package static func listing(
        appID: String?, state: String?, userID: String?, field: String?, after: String?, limit: Int?
    ) throws(AdminProblem) -> TicketAction {
        let app = try PersonFields.app(appID)
        guard let selection = state.map({ TicketQuery.Selection(rawValue: $0) }) ?? .open else {
            throw AdminProblem("state", "expected \(TicketQuery.Selection.alternatives).")
        }
        let limit = limit ?? TicketQuery.pageLength
        guard (1...TicketQuery.longestPage).contains(limit) else {
            throw AdminProblem("limit", "expected a number from 1 to \(TicketQuery.longestPage).")
        }
        let place = after.map { TicketCursor($0) } ?? TicketCursor()
        guard let place else { throw AdminProblem("after", "expected the value of next from an earlier list.") }
        let user = try userID.map { text throws(AdminProblem) in try PersonFields.user(text) }
        let wanted = try field.map { text throws(AdminProblem) in try self.field(text) }
        return TicketAction(
            appID: app,
            kind: .list(TicketQuery(selection, userID: user, fields: wanted.map { [$0] } ?? [], after: place, limit: limit)))
    }

    package static func counting(appID: String?, userID: String?) throws(AdminProblem) -> TicketAction {
        let user = try userID.map { text throws(AdminProblem) in try PersonFields.user(text) }
        return TicketAction(appID: try PersonFields.app(appID), kind: .count(userID: user))
    }

    package static func closing(appID: String?, ticketID: Int64?, comment: String?) throws(AdminProblem) -> TicketAction {
        let comment = try comment.map { text throws(AdminProblem) in
            try checked { () throws(TicketProblem) in try Ticket.closeComment(wanted: text) }
        }
        return TicketAction(appID: try PersonFields.app(appID), kind: .close(try id(ticketID), comment: comment))
    }

    package static func reopening(appID: String?, ticketID: Int64?) throws(AdminProblem) -> TicketAction {
        TicketAction(appID: try PersonFields.app(appID), kind: .reopen(try id(ticketID)))
    }

    package static func prioritizing(appID: String?, ticketID: Int64?, priority: String?) throws(AdminProblem) -> TicketAction {
        let app = try PersonFields.app(appID)
        guard let priority else { throw AdminProblem("priority", "missing.") }
        return TicketAction(
            appID: app,
            kind: .prioritize(try id(ticketID), try checked { () throws(TicketProblem) in try TicketPriority(wanted: priority) }))
    }

    /// Sets the related channels of a ticket. An empty list clears them.
    package static func relating(appID: String?, ticketID: Int64?, channels: [String]?) throws(AdminProblem) -> TicketAction {
        let app = try PersonFields.app(appID)
        guard let channels else { throw AdminProblem("related_channels", "missing.") }
        return TicketAction(
            appID: app,
            kind: .relate(try id(ticketID), to: try checked { () throws(TicketProblem) in try Ticket.relatedChannels(wanted: channels) }))
    }

    /// Sets fields of either a ticket or a customer; exactly one of them must be given.
    package static func settingFields(
        appID: String?, ticketID: Int64?, userID: String?, _ fields: [TicketField]
    ) throws(AdminProblem) -> TicketAction {
        let app = try PersonFields.app(appID)
        guard (ticketID == nil) != (userID == nil) else { throw AdminProblem("ticket_id", "expected either it or \(field: "user_id").") }
        let fields = try checked { () throws(TicketProblem) in try TicketField.wanted(fields) }
        if let ticketID { return TicketAction(appID: app, kind: .setFields(ofTicket: try id(ticketID), fields)) }
        return TicketAction(appID: app, kind: .setCustomerFields(of: try PersonFields.user(userID), fields))
    }

    /// Parses `KEY=VALUE`.
    package static func field(_ text: String) throws(AdminProblem) -> TicketField {
        let parts = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { throw AdminProblem("custom_fields", "expected KEY=VALUE.") }
        return TicketField(key: String(Substring(parts[0])), value: String(Substring(parts[1])))
    }

    private static func id(_ id: Int64?) throws(AdminProblem) -> Int64 {
        guard let id else { throw AdminProblem("ticket_id", "missing.") }
        guard id > 0 else { throw AdminProblem("ticket_id", "expected a number from 1 on.") }
        return id
    }

    private static func checked<Result>(_ make: () throws(TicketProblem) -> Result) throws(AdminProblem) -> Result {
        do throws(TicketProblem) {
            return try make()
        } catch {
            throw AdminProblem(error.field, "\(error.expectation).")
        }
    }
}
