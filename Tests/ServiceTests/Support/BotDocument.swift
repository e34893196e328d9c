import TestSupport

@testable import Configuration

/// Chatbots in a valid configuration, except for the test's changes.
enum BotDocument {
    static let parameters =
        #"{"type":"object","properties":{"customer_id":{"type":"string"},"order_id":{"type":"string","maxLength":9},"#
        + #""note":{"type":"string"}},"#
        + #""required":["customer_id","order_id"]}"#
    static let request = #"{"method":"POST","url":"https://shop.example.com/orders/{order_id}/cancel"}"#

    /// A valid function, with members replaced or added.
    static func function(_ members: [String: String] = [:]) -> String {
        object(
            [
                ("name", #""cancel_order""#), ("description", #""Cancels an order""#), ("parameters", parameters),
                ("bind", #"{"customer_id":"user_id"}"#), ("request", request),
            ], members)
    }

    /// A valid bot, with members replaced or added.
    static func bot(_ members: [String: String] = [:]) -> String {
        object(
            [
                ("name", #""orders""#), ("apps", #"["shop"]"#), ("public_url", #""https://chat.example.com""#),
                ("secret", #"{"file":"secrets/bot.whsec"}"#), ("system_message", #""You help {user_id}.""#),
                ("functions", "[\(function())]"),
            ], members)
    }

    /// An empty member removes the key.
    private static func object(_ members: [(String, String)], _ others: [String: String]) -> String {
        let own = members.map { ($0.0, others[$0.0] ?? $0.1) }
        let more = others.filter { other in !members.contains { $0.0 == other.key } }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return "{\((own + more).filter { !$0.1.isEmpty }.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}"
    }

    /// A directory with the secrets of these bots.
    static func directory() throws -> ConfigurationDirectory {
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("secrets/bot.whsec", TestSecret.signing(40))
        try directory.scratch.write("secrets/shop", "Bearer \(TestSecret.text(41))")
        return directory
    }
}

extension ConfigurationDirectory {
    /// The configuration with these bots.
    func configuration(bots: String...) throws -> Configuration {
        try configuration(members: "\"bots\":[\(bots.joined(separator: ","))]")
    }

    /// The mistakes of a configuration with these bots.
    func problems(bots: String...) throws -> [String] {
        try problems(members: "\"bots\":[\(bots.joined(separator: ","))]")
    }

    /// The mistakes of a configuration with one bot that has one function with these members.
    func problems(function members: [String: String]) throws -> [String] {
        try problems(bots: BotDocument.bot(["functions": "[\(BotDocument.function(members))]"]))
    }
}
