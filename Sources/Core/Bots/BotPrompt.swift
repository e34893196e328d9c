package import JSON

/// The texts for a bot's model. The customer's app passes them to the vendor, and a company's own model receives the same.
package struct BotPrompt: Sendable {
    package static let maximumFields = 32
    /// The maximum size in bytes of a JSON string without its quotes.
    package static let longestField = 256
    package static let userPlaceholder = BotBinding.userID.rawValue

    private let bot: BotDefinition
    private let userID: String
    private let fields: [String: String]

    /// - Parameter fields: values of the system message's placeholders besides `user_id`; others are ignored.
    /// - Throws: a sentence about a field that is missing or too long.
    package init(of bot: BotDefinition, userID: String, fields: [(name: String, text: String)]) throws(BotArgumentsProblem) {
        for name in bot.fields {
            guard let text = fields.first(where: { $0.name == name })?.text else { throw BotArgumentsProblem("fields.\(name) is missing") }
            guard Self.escapedCount(text) <= Self.longestField else {
                throw BotArgumentsProblem("fields.\(name) is longer than \(Self.longestField) bytes")
            }
        }
        self.bot = bot
        self.userID = userID
        self.fields = Dictionary(fields.map { ($0.name, $0.text) }) { first, _ in first }
    }

    /// Returns the text of a `data` with `ai_attrs`: the system message, and functions whose URLs point to Deskgate.
    package func aiAttributes(ticket: String) -> String {
        Self.text(systemMessage: systemMessage, functions: bot.functions.map { Self.attributes(of: $0, bot: bot, ticket: ticket) })
    }

    /// The text of a channel's `data` with the first message; nil when the bot does not send the first message.
    package var firstMessageData: String? { Self.firstMessageData(of: bot) }

    /// The functions in the format of chat-completions models.
    package var tools: JSONValue {
        .array(
            bot.functions.map { function in
                [
                    "type": "function",
                    "function": [
                        "name": .string(function.name), "description": .string(function.description),
                        "parameters": function.modelParameters,
                    ],
                ]
            })
    }

    package var systemMessage: String {
        bot.systemMessage.filled { $0 == Self.userPlaceholder ? userID : fields[$0] ?? "" }
    }

    /// Counts the bytes of a JSON string without its quotes.
    static func escapedCount(_ text: String) -> Int { JSONValue.string(text).serialized().count - 2 }

    /// Returns a function in the form of `ai_attrs`. The vendor sends POST, which all functions accept.
    static func attributes(of function: BotFunction, bot: BotDefinition, ticket: String) -> JSONValue {
        [
            "request": [
                "headers": ["Authorization": .string("Bearer \(ticket)")], "method": "POST", "url": .string(bot.address(of: function)),
            ],
            "name": .string(function.name), "description": .string(function.description), "parameters": function.modelParameters,
        ]
    }

    static func text(systemMessage: String, functions: [JSONValue]) -> String {
        text(["ai_attrs": ["system_message": .string(systemMessage), "functions": .array(functions)]])
    }

    static func firstMessageData(of bot: BotDefinition) -> String? {
        bot.firstMessage.map { first in
            let data: JSONValue = first.options.isEmpty ? [:] : ["options": .array(first.options.map { .string($0) })]
            return text(["first_message_data": [["data": data, "message": .string(first.message)]]])
        }
    }

    private static func text(_ value: JSONValue) -> String { String(decoding: value.serialized(), as: UTF8.self) }
}

extension BotDefinition {
    /// The fields that a start must provide: the system message's placeholders except `user_id`, each once.
    package var fields: [String] {
        var names: [String] = []
        for name in systemMessage.placeholders where name != BotPrompt.userPlaceholder && !names.contains(name) { names.append(name) }
        return names
    }
}
