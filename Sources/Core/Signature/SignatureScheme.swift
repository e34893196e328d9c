internal import Crypto

/// A webhook's signature: an HMAC in a header.
package struct SignatureScheme: Sendable {
    package enum Algorithm: String, Sendable, CaseIterable {
        case sha1 = "HMAC-SHA-1"
        case sha256 = "HMAC-SHA-256"

        /// The size of a code in bytes.
        package var codeCount: Int { self == .sha1 ? 20 : 32 }

        /// Compares in constant time.
        func isCode(_ code: [UInt8], of message: [UInt8], secret: SecretBytes) throws(CryptoError) -> Bool {
            try secret.withSpan { secret throws(CryptoError) in
                switch self {
                case .sha1:
                    let expected = try HMACKey<SHA1>(secret: secret).code { hash throws(CryptoError) in try hash.append(message.span) }
                    return constantTimeEquals(expected.span, code.span)
                case .sha256:
                    let expected = try HMACKey<SHA256>(secret: secret).code { hash throws(CryptoError) in try hash.append(message.span) }
                    return constantTimeEquals(expected.span, code.span)
                }
            }
        }
    }

    package enum Encoding: String, Sendable, CaseIterable {
        case hexadecimal
        case base64
    }

    package let header: String
    package let algorithm: Algorithm
    package let encoding: Encoding
    /// The prefix of the code, in lower case; optional unless `decodesSecret` is set.
    package let prefix: String
    /// Whether the HMAC key is the base64-decoded secret after `whsec_`, not the text itself.
    package let decodesSecret: Bool

    package init(header: String, algorithm: Algorithm, encoding: Encoding, prefix: String, decodesSecret: Bool = false) {
        self.header = header
        self.algorithm = algorithm
        self.encoding = encoding
        self.prefix = prefix
        self.decodesSecret = decodesSecret
    }

    /// Standard Webhooks 1.0.
    package static let standardWebhooks = SignatureScheme(
        header: "webhook-signature", algorithm: .sha256, encoding: .base64, prefix: "v1,", decodesSecret: true)
}
