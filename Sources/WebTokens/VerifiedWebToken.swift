package import Crypto
package import JSON

/// The contents of a JSON Web Token (RFC 7519) whose signature is verified.
///
/// For simulators of providers. Times are not checked, because each provider has its own rules for the age of a token.
package struct VerifiedWebToken: Sendable {
    package enum Problem: Error, Equatable {
        /// There are not three parts between two dots, or more than 8 KiB.
        case notThreeParts
        /// A part is not unpadded base64url.
        case notBase64URL
        case unreadableHeader
        /// `alg` is not the key's algorithm.
        case wrongAlgorithm
        /// The header demands extensions (`crit`, RFC 7515 section 4.1.11), which are not supported.
        case unknownExtension
        case wrongSignature
        case unreadableClaims
    }

    private static let longest = 8192

    /// Includes `alg`.
    package let header: JSONObject
    package let claims: JSONObject

    /// Verifies the signature before the claims are parsed.
    package init(_ text: String, key: some VerifyingKey) throws(Problem) {
        let bytes = Array(text.utf8.prefix(Self.longest + 1))
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, bytes.count <= Self.longest else { throw .notThreeParts }
        let signature = try Self.decoded(parts[2])
        header = try Self.object(parts[0], otherwise: .unreadableHeader)
        guard header["alg"] == .string(type(of: key).algorithm) else { throw .wrongAlgorithm }
        guard header["crit"] == nil else { throw .unknownExtension }
        let message = Array(bytes[..<parts[1].endIndex])
        guard key.verify(signature.span, message.span) else { throw .wrongSignature }
        claims = try Self.object(parts[1], otherwise: .unreadableClaims)
    }

    private static func decoded(_ part: ArraySlice<UInt8>) throws(Problem) -> [UInt8] {
        guard let bytes = Base64URL.decode(String(decoding: part, as: UTF8.self)) else { throw .notBase64URL }
        return bytes
    }

    private static func object(_ part: ArraySlice<UInt8>, otherwise problem: Problem) throws(Problem) -> JSONObject {
        let text = try decoded(part)
        guard let document = try? JSONDocument(parsing: text.span), case .object(let object) = document.value() else { throw problem }
        return object
    }
}
