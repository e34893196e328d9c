internal import JSON

/// The maximum number of bytes, and thus of tokens, in the texts for a bot's model.
///
/// A byte-level BPE, as in the common tokenizers, makes at most one token per byte of UTF-8. So the bound is the number of bytes with the
/// longest ticket, the longest user id and the longest fields.
package struct BotTokenBound: Sendable, Equatable {
    /// Returns the maximum size of either kind of text, in bytes. The vendor accepts 4,027 tokens per `data`. A company's own model is
    /// limited only by its context, so this bound only keeps responses to starts small.
    package static func most(for model: BotModel) -> Int {
        switch model {
        case .vendor: 4027
        case .own: 256 * 1024
        }
    }

    package struct Part: Sendable, Equatable {
        /// A configuration key, or a function's name.
        package let name: String
        package let bytes: Int
    }

    /// In bytes: each of the 100 UTF-16 code units takes at most three bytes of UTF-8, or two with an escape.
    static let longestUserID = 3 * FieldGrammar.longestUserID

    /// The upper bound of `ai_attrs`, in bytes.
    package let prompt: Int
    /// The parts of `prompt`, largest first.
    package let parts: [Part]
    /// The upper bound of `first_message_data`, in bytes.
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
            // Includes the comma after it.
            Part(name: function.name, bytes: BotPrompt.attributes(of: function, bot: bot, ticket: ticket).serialized().count + 1)
        }
        let frame = BotPrompt.text(systemMessage: "", functions: []).utf8.count
        parts = ([Part(name: "system_message", bytes: system)] + functions).sorted { $0.bytes > $1.bytes }
        prompt = parts.reduce(frame) { $0 + $1.bytes }
        firstMessage = BotPrompt.firstMessageData(of: bot)?.utf8.count ?? 0
    }
}
