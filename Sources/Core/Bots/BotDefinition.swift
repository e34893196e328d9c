internal import Bytes
package import Crypto

/// The owner of the model that a bot talks with.
package enum BotModel: String, Sendable, CaseIterable {
    case vendor
    case own
}

/// A chatbot: the apps that it serves, its instructions, and the functions that a model may call.
package struct BotDefinition: Sendable {
    package struct FirstMessage: Sendable, Equatable {
        package let message: String
        /// The quick replies below it, in their order; empty for none.
        package let options: [String]

        package init(message: String, options: [String]) {
            (self.message, self.options) = (message, options)
        }
    }

    /// The last part of its path: 1 to 32 lower-case letters, digits, `-` or `_`.
    package let name: String
    /// The ids of the apps that it serves; at least one.
    package let apps: [String]
    /// The address at which the vendor reaches the public listener, without a slash at its end.
    package let publicURL: String
    /// The secrets that sign calls to the company's backend, the first one for new calls; at least one.
    package let secrets: [StandardWebhookSecret]
    /// The keys that sign tickets and confirmations, derived from the secrets.
    package let keys: BotKeys
    /// The owner of the model that it talks with, which bounds its texts.
    package let model: BotModel
    package let systemMessage: BotText
    package let firstMessage: FirstMessage?
    /// The life of a ticket in seconds.
    package let ticketLifeSeconds: UInt64
    /// Whether the arguments of calls are stored in clear.
    package let recordsArguments: Bool
    /// Unique names, in the order of the configuration.
    package let functions: [BotFunction]

    /// Makes a bot of parts that have been checked; throws when OpenSSL fails.
    /// - Parameter secrets: at least one.
    package init(
        name: String, apps: [String], publicURL: String, secrets: [StandardWebhookSecret], model: BotModel = .vendor,
        systemMessage: BotText, firstMessage: FirstMessage? = nil, ticketLifeSeconds: UInt64 = usualTicketLifeSeconds,
        recordsArguments: Bool = false, functions: [BotFunction]
    ) throws(CryptoError) {
        keys = try BotKeys(secrets)
        (self.name, self.apps, self.publicURL, self.secrets) = (name, apps, publicURL, secrets)
        (self.model, self.systemMessage, self.firstMessage) = (model, systemMessage, firstMessage)
        (self.ticketLifeSeconds, self.recordsArguments, self.functions) = (ticketLifeSeconds, recordsArguments, functions)
    }

    /// The default life of a ticket in seconds.
    package static var usualTicketLifeSeconds: UInt64 { 600 }

    /// The function of this name; nil when there is none.
    package func function(named name: String) -> BotFunction? {
        functions.first { $0.name.hasSameBytes(as: name) }
    }

    /// The address at which the vendor calls a function.
    package func address(of function: BotFunction) -> String {
        "\(publicURL)/bots/\(name)/functions/\(function.name)"
    }
}
