/// A validated request for a new ticket.
package struct TicketDraft: Sendable, Equatable {
    /// In UTF-16 code units.
    package static let longestUserName = 80
    /// In UTF-16 code units.
    package static let longestTitle = 100
    /// In characters.
    package static let longestGroupKey = 100
    /// The maximum number of channels that a ticket may be related to.
    package static let maximumRelatedChannels = 3
    /// In UTF-16 code units.
    package static let longestChannel = 200
    /// In UTF-16 code units.
    package static let longestMessage = 3000

    /// The customer's user id in the app.
    package var userID: String
    /// The customer's name for support; nil keeps the help desk's.
    package let userName: String?
    package let title: String
    /// The support team that gets the ticket; nil applies the help desk's own rules.
    package let groupKey: String?
    /// Nil for the help desk's default.
    package let priority: TicketPriority?
    package let fields: [TicketField]
    /// URLs of the customer's related channels.
    package let relatedChannels: [String]
    /// The customer's first message. Without a message, support does not see the ticket.
    package let message: String?

    /// - Parameter userID: already validated.
    package init(
        userID: String, userName: String? = nil, title: String?, groupKey: String?, priority: String?, fields: [TicketField],
        relatedChannels: [String],
        message: String?
    ) throws(TicketProblem) {
        self.userID = userID
        if let userName, FieldGrammar.problem(of: userName.utf8.span, longest: Self.longestUserName) != nil {
            throw TicketProblem("user_name", "expected 1 to \(Self.longestUserName) UTF-16 code units without control characters")
        }
        self.userName = userName
        guard let title, FieldGrammar.problem(of: title.utf8.span, longest: Self.longestTitle) == nil else {
            throw TicketProblem("title", "expected 1 to \(Self.longestTitle) UTF-16 code units without control characters")
        }
        self.title = title
        if let groupKey, !Self.isGroupKey(groupKey) {
            throw TicketProblem(
                "group_key", "expected 1 to \(Self.longestGroupKey) characters of a to z, 0 to 9, underscore and hyphen")
        }
        self.groupKey = groupKey
        self.priority = try priority.map { text throws(TicketProblem) in try TicketPriority(wanted: text) }
        self.fields = fields.isEmpty ? [] : try TicketField.wanted(fields)
        self.relatedChannels = try Ticket.relatedChannels(wanted: relatedChannels)
        if let message, message.isEmpty || message.utf16.count > Self.longestMessage || message.utf8.contains(0) {
            throw TicketProblem("message", "expected 1 to \(Self.longestMessage) UTF-16 code units without NUL")
        }
        self.message = message
    }

    private static func isGroupKey(_ text: String) -> Bool {
        (1...longestGroupKey).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension Ticket {
    /// The maximum length of a comment for closing a ticket, in UTF-16 code units.
    package static let longestCloseComment = 500

    package static func closeComment(wanted text: String) throws(TicketProblem) -> String {
        guard FieldGrammar.problem(of: text.utf8.span, longest: longestCloseComment) == nil else {
            throw TicketProblem("comment", "expected 1 to \(longestCloseComment) UTF-16 code units without control characters")
        }
        return text
    }

    /// Validates related channels and removes duplicates.
    package static func relatedChannels(wanted channels: [String]) throws(TicketProblem) -> [String] {
        guard channels.count <= TicketDraft.maximumRelatedChannels else {
            throw TicketProblem("related_channels", "expected at most \(TicketDraft.maximumRelatedChannels) channels")
        }
        for channel in channels {
            // The help desk takes them as one string, separated by commas.
            guard FieldGrammar.problem(of: channel.utf8.span, longest: TicketDraft.longestChannel) == nil,
                !channel.utf8.contains(UInt8(ascii: ","))
            else {
                throw TicketProblem(
                    "related_channels",
                    "expected URLs of channels of 1 to \(TicketDraft.longestChannel) UTF-16 code units without commas and control "
                        + "characters"
                )
            }
        }
        var once: [String] = []
        for channel in channels where !once.contains(where: { $0.utf8.elementsEqual(channel.utf8) }) { once.append(channel) }
        return once
    }
}

extension TicketPriority {
    package init(wanted text: String) throws(TicketProblem) {
        guard let priority = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) }) else {
            throw TicketProblem("priority", "expected one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = priority
    }
}
