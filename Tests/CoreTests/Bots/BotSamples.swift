import Core
import Crypto
import JSON
import JSONSchema
import TestSupport

/// Bots and texts for tests.
enum BotSamples {
    /// A secret that is the same on every run.
    static func secret(_ number: UInt8) throws -> StandardWebhookSecret {
        let bytes = [UInt8](repeating: number, count: 32)
        return try StandardWebhookSecret("whsec_\(Base64.encode(bytes.span))")
    }

    static func bot(
        name: String = "orders", apps: [String] = ["shop", "store"], secrets: [UInt8] = [1], systemMessage: String = "You help {user_id}.",
        firstMessage: BotDefinition.FirstMessage? = nil, functions: [BotFunction] = []
    ) throws -> BotDefinition {
        try BotDefinition(
            name: name, apps: apps, publicURL: "https://chat.example.com", secrets: secrets.map(secret),
            systemMessage: BotText(systemMessage),
            firstMessage: firstMessage, functions: functions)
    }

    static func value(_ text: String) throws -> JSONValue {
        let bytes = Array(text.utf8)
        return try JSONDocument(parsing: bytes.span).value()
    }

    /// A function with these members of `properties`, all required, none of them bound.
    static func function(
        _ method: BotMethod = .post, url: String = "https://shop.example.com/orders/{order_id}",
        properties: String = #""order_id":{"type":"string"},"note":{"type":"string"}"#, required: String = #""order_id""#,
        bindings: [(parameter: String, binding: BotBinding)] = [], headers: [BotRequest.Header] = []
    ) throws -> BotFunction {
        let schema = try value(#"{"type":"object","properties":{\#(properties)},"required":[\#(required)]}"#)
        return BotFunction(
            name: "cancel_order", description: "Cancels an order", parameters: try JSONSchema(schema, refusesUnknownNames: true),
            modelParameters: schema, bindings: bindings,
            request: BotRequest(method: method, url: try BotURLTemplate(url), headers: headers), confirmation: .none, limits: [])
    }

    /// A text of up to so many Unicode scalars, many of which mean something to a URL, a header or JSON.
    static func text(_ most: Int, using generator: inout SeededGenerator) -> String {
        let pointed = Array("/\\.%?#&=;:@ {}\"\r\n\0\u{7f}+~_-aZ09éЖ漢😀\u{202e}\u{feff}".unicodeScalars)
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...most, using: &generator) {
            if Bool.random(using: &generator) {
                scalars.append(generator.element(of: pointed))
            } else if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator)) {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
