/// Generates new secrets in the formats of the configuration.
package enum NewSecret {
    /// Returns 32 random bytes as 43 base64url characters: for an app, a webhook's path or an admin token.
    package static func text() throws(CryptoError) -> String {
        let bytes: InlineArray<32, UInt8> = try randomBytes()
        return Base64URL.encode(bytes.span)
    }

    /// Returns `whsec_` and 32 random bytes in base64, for signing events (Standard Webhooks 1.0).
    package static func signing() throws(CryptoError) -> String {
        let bytes: InlineArray<32, UInt8> = try randomBytes()
        return "whsec_" + Base64.encode(bytes.span)
    }
}
