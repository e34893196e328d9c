internal import JSON
internal import JSONSchema
internal import Time

/// The built-in function with which a model hands a conversation over to a person of support: a message in the person's ticket at the help
/// desk.
///
/// The model chooses the summary alone. Whoever reads the message sees first who wrote it, because it begins with words of the
/// configuration.
package struct BotHandOff: Sendable, Equatable {
    package static let functionName = "connect_to_person"
    package static let longestSummary = 500
    /// The longest message without the summary, in UTF-16 code units; the help desk takes both together.
    package static let longestMessage = 1000
    /// The title of a new ticket where nothing else is said.
    package static let usualTitle = "Handed over by the bot"
    /// The message where nothing else is said.
    package static let usualMessage = "Summary of the bot, unchecked: {summary}"
    /// The maximum wait before the help desk is called, in milliseconds.
    package static let queueMilliseconds: UInt64 = TimeLimit.milliseconds(5000)
    /// The timeout in milliseconds: the longest wait, then six calls of the help desk of at most five seconds each.
    static let timeoutMilliseconds: Int = TimeLimit.milliseconds(35_000)
    /// More than enough: a start hands over once.
    static let limits = [LimitRule(per: .user, max: 10, windowMilliseconds: 600_000)]

    private static let summaryName = "summary"
    private static let description =
        "Hands the conversation over to a person of support. Call it when the customer asks for a person, or when you cannot help."
    private static let parameters: JSONValue = [
        "type": "object",
        "properties": [
            summaryName: [
                "type": "string", "minLength": 1, "maxLength": .integer(Int64(longestSummary)),
                "description": "The customer's request and the attempts so far, in the customer's language.",
            ]
        ], "required": [.string(summaryName)],
    ]

    private let title: String
    private let message: BotText

    /// Checks the texts of the configuration.
    /// - Parameter message: with one placeholder, `{summary}`, behind the company's own words.
    /// - Throws: the mistake and its text.
    package init(title: String, message: BotText) throws(TicketProblem) {
        guard FieldGrammar.problem(of: title.utf8.span, longest: TicketDraft.longestTitle) == nil else {
            throw TicketProblem("title", "expected 1 to \(TicketDraft.longestTitle) UTF-16 code units without control characters")
        }
        guard message.placeholders == [Self.summaryName] else {
            throw TicketProblem("message", "expected one place in braces, {\(Self.summaryName)}")
        }
        guard case .literal(let words)? = message.pieces.first, !Self.shown(words).isEmpty else {
            throw TicketProblem(
                "message", "expected words before {\(Self.summaryName)} that say who wrote it, such as \"\(Self.usualMessage)\"")
        }
        guard message.filled({ _ in "" }).utf16.count <= Self.longestMessage else {
            throw TicketProblem("message", "expected at most \(Self.longestMessage) UTF-16 code units beside the summary")
        }
        (self.title, self.message) = (title, message)
    }

    /// The function as a model sees it.
    /// - Parameter confirmation: who agrees before it is called.
    package func function(confirmation: BotConfirmation) -> BotFunction {
        guard let schema = try? JSONSchema(Self.parameters, refusesUnknownNames: true) else { preconditionFailure("the schema is right") }
        return BotFunction(
            name: Self.functionName, description: Self.description, parameters: schema, modelParameters: Self.parameters, bindings: [],
            action: .handOff(self), confirmation: confirmation, limits: Self.limits)
    }

    /// The arguments with the summary as support will read it.
    /// - Throws: a sentence about a summary that says nothing.
    static func shown(_ given: JSONObject) throws(BotArgumentsProblem) -> JSONObject {
        let summary = shown(given[summaryName]?.text ?? "")
        guard summary.unicodeScalars.contains(where: { !$0.properties.isDefaultIgnorableCodePoint && $0 != " " }) else {
            throw BotArgumentsProblem("\(summaryName) has no visible characters")
        }
        return [summaryName: .string(summary)]
    }

    /// The person's ticket, if one must be made, and the message in any case.
    func draft(of userID: String, with arguments: BotArguments) throws(BotArgumentsProblem) -> TicketDraft {
        let summary = arguments.complete[Self.summaryName]?.text ?? ""
        do throws(TicketProblem) {
            return try TicketDraft(
                userID: userID, title: title, groupKey: nil, priority: nil, fields: [], relatedChannels: [],
                message: message.filled { _ in summary })
        } catch {
            throw BotArgumentsProblem("\(error.field): \(error.expectation)")
        }
    }

    /// Returns a text in one line and in reading order, each run of spaces and invisible characters as one space.
    ///
    /// A line break could separate the rest from the words before it, and an invisible or a bidirectional character could hide or reorder
    /// them. Joiners stay, as scripts and emoji need them.
    private static func shown(_ text: String) -> String {
        text.unicodeScalars.split { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
            case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
            default: false
            }
        }.map { String($0) }.joined(separator: " ")
    }
}
