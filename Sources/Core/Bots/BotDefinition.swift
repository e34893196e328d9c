internal import Bytes
package import Crypto

/// The owner of the model behind a bot: the chat vendor, or the company itself.
package enum BotModel: String, Sendable, CaseIterable {
    case vendor
    case own
}

/// A chatbot: the apps that it serves, its instructions, and the functions that a model may call for it.
package struct BotDefinition: Sendable {
    package struct FirstMessage: Sendable, Equatable {
        package let message: String
        /// Quick replies below the message, in order; may be empty.
        package let options: [String]

        package init(message: String, options: [String]) {
            (self.message, self.options) = (message, options)
        }
    }

    /// A path segment: 1 to 32 lower-case letters, digits, `-` or `_`.
    package let name: String
    /// Ids of the served apps; at least one.
    package let apps: [String]
    /// The URL at which the vendor reaches the public listener, without a trailing slash.
    package let publicURL: String
    /// Secrets that sign calls to the backend and derive `keys`, newest first; at least one.
    package let secrets: [StandardWebhookSecret]
    /// Keys of tickets and confirmations, derived from `secrets`.
    package let keys: BotKeys
    /// Determines the longest texts; see `BotTokenBound.most`.
    package let model: BotModel
    package let systemMessage: BotText
    /// Nil when the bot does not send the first message.
    package let firstMessage: FirstMessage?
    package let ticketLifetimeSeconds: UInt64
    /// Whether arguments of calls are stored in plain text.
    package let recordsArguments: Bool
    /// Functions that a model may call, in the order of the configuration; names are unique.
    package let functions: [BotFunction]

    /// Takes parts that the caller has validated.
    package init(
        name: String, apps: [String], publicURL: String, secrets: [StandardWebhookSecret], model: BotModel = .vendor,
        systemMessage: BotText, firstMessage: FirstMessage? = nil, ticketLifetimeSeconds: UInt64 = defaultTicketLifetimeSeconds,
        recordsArguments: Bool = false, functions: [BotFunction]
    ) throws(CryptoError) {
        keys = try BotKeys(secrets)
        (self.name, self.apps, self.publicURL, self.secrets) = (name, apps, publicURL, secrets)
        (self.model, self.systemMessage, self.firstMessage) = (model, systemMessage, firstMessage)
        (self.ticketLifetimeSeconds, self.recordsArguments, self.functions) = (ticketLifetimeSeconds, recordsArguments, functions)
    }

    package static var defaultTicketLifetimeSeconds: UInt64 { 600 }

    package func function(named name: String) -> BotFunction? {
        functions.first { $0.name.hasSameBytes(as: name) }
    }

    /// Returns the URL at which the vendor calls a function.
    package func address(of function: BotFunction) -> String {
        "\(publicURL)/bots/\(name)/functions/\(function.name)"
    }
}
