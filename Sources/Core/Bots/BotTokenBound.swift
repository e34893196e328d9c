internal import JSON

/// The maximum size of the texts for a bot's model in bytes, and so in tokens.
///
/// A byte-level BPE, as common tokenisers are, makes no more tokens than the text has bytes of UTF-8. So the bound is the number of bytes
/// with the longest ticket, the longest user's id and the longest fields.
package struct BotTokenBound: Sendable, Equatable {
    /// The longest text of either kind, in bytes: the vendor takes 4,027 tokens of one `data`. A model of the company's own takes what its
    /// context has room for, so the bound is only there to keep the answers to starts small.
    package static func most(for model: BotModel) -> Int {
        switch model {
        case .vendor: 4027
        case .own: 256 * 1024
        }
    }

    package struct Part: Sendable, Equatable {
        /// The owner of the part: a key of the configuration, or a function's name.
        package let name: String
        /// In bytes.
        package let bytes: Int
    }

    /// A user's id has at most 100 UTF-16 code units: none takes more than three bytes of UTF-8, or two with an escape.
    static let longestUserID = 3 * FieldGrammar.longestUserID

    /// The bound of `ai_attrs`.
    package let prompt: Int
    /// The parts of the `ai_attrs` size, the largest first.
    package let parts: [Part]
    /// The bound of `first_message_data`.
    package let firstMessage: Int

    package init(of bot: BotDefinition) {
        let ticket = String(repeating: "x", count: BotAccessTokenLayout.longestText)
        let system = bot.systemMessage.pieces.reduce(0) { count, piece in
            switch piece {
            case .literal(let text): count + BotPrompt.escapedCount(text)
            case .placeholder(BotPrompt.userPlaceholder): count + Self.longestUserID
            case .placeholder: count + BotPrompt.longestField
            }
        }
        let functions = bot.functions.map { function in
            // With the comma that separates it from the next one.
            Part(name: function.name, bytes: BotPrompt.attributes(of: function, bot: bot, ticket: ticket).serialized().count + 1)
        }
        let frame = BotPrompt.text(systemMessage: "", functions: []).utf8.count
        parts = ([Part(name: "system_message", bytes: system)] + functions).sorted { $0.bytes > $1.bytes }
        prompt = parts.reduce(frame) { $0 + $1.bytes }
        firstMessage = BotPrompt.firstMessageData(of: bot)?.utf8.count ?? 0
    }
}
