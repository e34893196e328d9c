package import Crypto

/// A secret shared with a webhook's receiver, Standard Webhooks 1.0: `whsec_` and 24 to 64 bytes in standard base64 with padding.
package struct StandardWebhookSecret: Sendable {
    /// The reason for rejecting a secret. It contains no part of the text.
    package enum Problem: Error, Equatable {
        case missingPrefix
        /// The text is not valid base64. This includes spaces or a line break around it.
        case notBase64
        case tooShort
        case tooLong
        case unusable(CryptoError)
    }

    private static let prefix = Array("whsec_".utf8)
    private static let byteCounts = 24...64
    let key: HMACKey<SHA256>

    /// Parses a secret. The bytes are copied only into OpenSSL; the caller must erase the text.
    package init(_ text: Span<UInt8>) throws(Problem) {
        let secret = try Self.decode(text)
        guard secret.count >= Self.byteCounts.lowerBound else { throw .tooShort }
        guard secret.count <= Self.byteCounts.upperBound else { throw .tooLong }
        do {
            key = try secret.withSpan { bytes throws(CryptoError) in try HMACKey(secret: bytes) }
        } catch {
            throw .unusable(error)
        }
    }

    package init(_ text: String) throws(Problem) {
        try self.init(text.utf8.span)
    }

    private static func decode(_ text: Span<UInt8>) throws(Problem) -> SecretBytes {
        guard text.count >= prefix.count, prefix.indices.allSatisfy({ text[$0] == prefix[$0] }) else { throw .missingPrefix }
        let encoded = text.extracting(prefix.count...)
        guard let count = Base64.decodedCount(of: encoded) else { throw .notBase64 }
        return try SecretBytes(count: count) { bytes throws(Problem) in
            guard Base64.decode(encoded, into: &bytes) != nil else { throw .notBase64 }
        }
    }
}

extension StandardWebhookSecret.Problem: CustomStringConvertible {
    /// The end of a sentence that begins with the name of the secret.
    package var description: String {
        switch self {
        case .missingPrefix: "does not start with whsec_"
        case .notBase64: "is not whsec_ and standard base64 with padding"
        case .tooShort: "has fewer than 24 bytes"
        case .tooLong: "has more than 64 bytes"
        case .unusable(let error): "cannot be used: \(error)"
        }
    }
}
