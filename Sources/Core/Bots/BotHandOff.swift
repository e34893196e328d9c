internal import JSON
internal import JSONSchema
internal import Time

/// The built-in function with which a model hands a conversation to a support agent: a message in the user's ticket at the help desk.
///
/// The model writes only the summary. The message begins with a text from the configuration, so that the reader first learns who wrote it.
package struct BotHandOff: Sendable, Equatable {
    package static let functionName = "connect_to_person"
    /// In code points.
    package static let longestSummary = 500
    /// The maximum length of a message without the summary, in UTF-16 code units. The help desk accepts both together.
    package static let longestMessage = 1000
    package static let defaultTitle = "Handed over by the bot"
    package static let defaultMessage = "Summary of the bot, unchecked: {summary}"
    /// The maximum wait before the first call to the help desk.
    package static let queueMilliseconds: UInt64 = TimeLimit.milliseconds(5000)
    /// The maximum time of a hand-off: the wait, then six calls to the help desk of at most five seconds each.
    static let timeoutMilliseconds: Int = TimeLimit.milliseconds(35_000)
    /// Never reached in practice, because a start hands over only once.
    static let limits = [LimitRule(per: .user, max: 10, windowMilliseconds: 600_000)]

    private static let summaryName = "summary"
    private static let description =
        "Hands the conversation over to a support agent. Call it when the customer asks for a person, or when you cannot help."
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

    /// Validates the configured texts.
    /// - Parameter message: with one placeholder, `{summary}`, after a text of the company.
    package init(title: String, message: BotText) throws(TicketProblem) {
        guard FieldGrammar.problem(of: title.utf8.span, longest: TicketDraft.longestTitle) == nil else {
            throw TicketProblem("title", "expected 1 to \(TicketDraft.longestTitle) UTF-16 code units without control characters")
        }
        guard message.placeholders == [Self.summaryName] else {
            throw TicketProblem("message", "expected one place in braces, {\(Self.summaryName)}")
        }
        guard case .literal(let words)? = message.pieces.first, !Self.shown(words).isEmpty else {
            throw TicketProblem(
                "message", "expected words before {\(Self.summaryName)} that say who wrote it, such as \"\(Self.defaultMessage)\"")
        }
        guard message.filled({ _ in "" }).utf16.count <= Self.longestMessage else {
            throw TicketProblem("message", "expected at most \(Self.longestMessage) UTF-16 code units beside the summary")
        }
        (self.title, self.message) = (title, message)
    }

    package func function(confirmation: BotConfirmation) -> BotFunction {
        guard let schema = try? JSONSchema(Self.parameters, refusesUnknownNames: true) else { preconditionFailure("the schema is valid") }
        return BotFunction(
            name: Self.functionName, description: Self.description, parameters: schema, modelParameters: Self.parameters, bindings: [],
            action: .handOff(self), confirmation: confirmation, limits: Self.limits)
    }

    /// Returns the arguments with the summary as support reads it. Throws a sentence about a summary without visible characters.
    static func shown(_ given: JSONObject) throws(BotArgumentsProblem) -> JSONObject {
        let summary = shown(given[summaryName]?.text ?? "")
        guard summary.unicodeScalars.contains(where: { !$0.properties.isDefaultIgnorableCodePoint && $0 != " " }) else {
            throw BotArgumentsProblem("\(summaryName) has no visible characters")
        }
        return [summaryName: .string(summary)]
    }

    /// Returns the message, and the user's ticket if one must be created.
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

    /// Returns the text on one line and in reading order. Each run of spaces and invisible characters becomes one space.
    ///
    /// A line break could separate the summary from the text before it. An invisible or bidirectional character could hide or reorder that
    /// text. Joiners remain, because scripts and emoji need them.
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
