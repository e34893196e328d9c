import Core
import Crypto
import JSON
import JSONSchema
import TestSupport
import Time

/// Bots and texts for tests.
enum BotSamples {
    /// A fixed secret.
    static func secret(_ number: UInt8) throws -> StandardWebhookSecret {
        try StandardWebhookSecret("whsec_\(Base64.encode(secretBytes(number).span))")
    }

    private static func secretBytes(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    /// Signs with the key that is derived from the secret of `bot` for a purpose.
    static func code(_ purpose: StaticString, _ build: (inout HMACMessage) throws(CryptoError) -> Void) throws -> [UInt8] {
        let secret = try HMACKey<SHA256>(secret: secretBytes(1).span)
        let derived = try secret.code { message throws(CryptoError) in try message.append(purpose) }
        let code = try HMACKey<SHA256>(secret: derived.span).code(of: build)
        return code.indices.map { code[$0] }
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

    static func grant(
        _ userID: String = "user-1", app: String = "shop", key: KeyIdentity? = key(), issuedAt: UnixSeconds = 1_800_000_000,
        life: UInt64 = 600
    ) -> BotGrant {
        BotGrant(appID: app, userID: userID, key: key, issuedAt: issuedAt, expiresAt: issuedAt + life)
    }

    static func key(_ keyID: UInt32 = 1, issuedAt: UnixSeconds = 1_799_999_000, salt: UInt8 = 9) -> KeyIdentity {
        KeyIdentity(keyID: keyID, issuedAt: issuedAt, salt: [UInt8](repeating: salt, count: 16))
    }

    static func value(_ text: String) throws -> JSONValue {
        let bytes = Array(text.utf8)
        return try JSONDocument(parsing: bytes.span).value()
    }

    /// A function with these `properties`, all required and none bound.
    static func function(
        _ method: BotMethod = .post, url: String = "https://shop.example.com/orders/{order_id}",
        properties: String = #""order_id":{"type":"string"},"note":{"type":"string"}"#, required: String = #""order_id""#,
        bindings: [(parameter: String, binding: BotBinding)] = [], headers: [BotRequest.Header] = []
    ) throws -> BotFunction {
        let schema = try value(#"{"type":"object","properties":{\#(properties)},"required":[\#(required)]}"#)
        return BotFunction(
            name: "cancel_order", description: "Cancels an order", parameters: try JSONSchema(schema, refusesUnknownNames: true),
            modelParameters: schema, bindings: bindings,
            action: .request(BotRequest(method: method, url: try BotURLTemplate(url), headers: headers)), confirmation: .none, limits: [])
    }

    /// A text of up to `most` Unicode scalars, many of which are special in a URL, a header or JSON.
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
