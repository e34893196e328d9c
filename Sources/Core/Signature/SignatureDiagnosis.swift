internal import Bytes
package import Crypto

/// Finds the likely reason why a webhook's signature is not valid. Never reveals the valid signature, so it cannot be used to sign
/// messages.
package struct SignatureDiagnosis {
    /// A secret that may have made the signature.
    package struct Secret: Sendable {
        /// The name for messages to operators.
        package let name: String
        /// Whether the secret is valid for this webhook; others are tried to find a mix-up.
        package let counts: Bool
        package let text: SecretBytes

        package init(name: String, counts: Bool, text: SecretBytes) {
            self.name = name
            self.counts = counts
            self.text = text
        }
    }

    package enum Finding: Sendable, Equatable {
        /// The header is not a signature of this or any other known scheme.
        case malformed
        /// The signature is valid for a different input; each sentence names one difference.
        case differences([String])
        case unknown
    }

    /// A match with more kinds of differences would be chance, and takes time to find.
    private static let maximumDifferences = 2

    private let scheme: SignatureScheme
    private let secrets: [(counts: Bool, differences: [String], bytes: SecretBytes)]
    private let messages: [(differences: [String], bytes: [UInt8])]

    /// - Parameters:
    ///   - body: the bytes that were received.
    ///   - signed: each guess of the signed text before the body, with its difference from the correct text; the correct text has no
    ///     difference and comes first.
    package init(_ scheme: SignatureScheme, body: [UInt8], signed: [(difference: String?, start: String)], secrets: [Secret]) {
        self.scheme = scheme
        self.secrets = secrets.flatMap { secret in
            Self.forms(of: secret.text, scheme).filter { secret.counts || $0.0 == nil }.map { change, bytes in
                let owner = secret.counts ? [] : ["It was made with \(secret.name)."]
                return (secret.counts, owner + [change].compactMap(\.self), bytes)
            }
        }
        let forms = BodyForm.all(of: body)
        messages = signed.flatMap { difference, start in
            forms.map { form in
                let change = form.change.map {
                    "It belongs to the body \($0): verify the bytes as they were received, before anything parses or changes them."
                }
                return ([difference, change].compactMap(\.self), Array(start.utf8) + form.bytes)
            }
        }
    }

    package func explain(_ header: String) throws(CryptoError) -> Finding {
        let readings = ParsedSignature.all(in: header, scheme)
        guard !readings.isEmpty else { return .malformed }
        var best: [String]?
        for reading in readings {
            for secret in secrets {
                // There may be thousands of apps, so their secrets are tried with the received bytes only.
                for message in messages where secret.counts || message.differences.isEmpty {
                    let differences = reading.differences + secret.differences + message.differences
                    guard differences.count <= Self.maximumDifferences, differences.count < best?.count ?? .max else { continue }
                    if try reading.algorithm.isCode(reading.code, of: message.bytes, secret: secret.bytes) { best = differences }
                }
            }
        }
        return best.map { .differences($0) } ?? .unknown
    }

    /// Returns the keys that programs derive from a secret's text, each with its difference from the correct one.
    private static func forms(of text: SecretBytes, _ scheme: SignatureScheme) -> [(String?, SecretBytes)] {
        text.withSpan { span in
            let characters = Array(copying: span)
            let line = characters + [UInt8(ascii: "\n")]
            let prefix = Array("whsec_".utf8)
            let rest = characters.starts(with: prefix) ? Array(characters.dropFirst(prefix.count)) : characters
            let decoded = Base64.decode(String(decoding: rest, as: UTF8.self))
            let texts: [(String?, [UInt8]?)] = [
                (scheme.decodesSecret ? nil : "The secret was decoded from base64, which it must not be.", decoded),
                (scheme.decodesSecret ? "The secret was not decoded from base64." : nil, characters),
                ("The secret was read with the line feed at the end of its file.", line),
                ("The secret was decoded from hexadecimal, which it must not be.", ParsedSignature.bytes(ofHexadecimal: rest)),
                ("The secret was used without whsec_, but not decoded from base64.", rest.count < characters.count ? rest : nil),
            ]
            return texts.compactMap { change, bytes in
                bytes.flatMap { $0.isEmpty ? nil : (change, SecretBytes(copying: $0.span)) }
            }
        }
    }
}

private struct ParsedSignature {
    let code: [UInt8]
    let algorithm: SignatureScheme.Algorithm
    let differences: [String]

    private static let prefixes = ["sha1=", "sha256=", "v1,", "v1=", "sha1,", "sha256,"]

    static func all(in header: String, _ scheme: SignatureScheme) -> [ParsedSignature] {
        header.utf8.split { [UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\"")].contains($0) }
            .flatMap { readings(of: $0[...], scheme) }
    }

    private static func readings(of part: Substring.UTF8View, _ scheme: SignatureScheme) -> [ParsedSignature] {
        let lower = String(Substring(part)).lowercased()
        let prefix = prefixes.first { lower.hasPrefix($0) } ?? ""
        let characters = Array(part.dropFirst(prefix.utf8.count))
        let isRightPrefix = prefix == scheme.prefix || prefix.isEmpty && !scheme.decodesSecret
        let start =
            isRightPrefix
            ? []
            : [
                prefix.isEmpty
                    ? "The header must begin with \(scheme.prefix)" : "The header begins with \(prefix) in place of \(scheme.prefix)"
            ]
        let decodings: [(SignatureScheme.Encoding, [UInt8]?)] = [
            (.hexadecimal, bytes(ofHexadecimal: characters)), (.base64, Base64.decode(String(decoding: characters, as: UTF8.self))),
        ]
        return decodings.flatMap { encoding, code -> [ParsedSignature] in
            guard let code else { return [] }
            return SignatureScheme.Algorithm.allCases.filter { $0.codeCount == code.count }.map { algorithm in
                var differences = start
                if encoding != scheme.encoding {
                    differences.append("It is written in \(encoding.rawValue), not in \(scheme.encoding.rawValue).")
                }
                if algorithm != scheme.algorithm {
                    differences.append("It is an \(algorithm.rawValue), not an \(scheme.algorithm.rawValue).")
                }
                return ParsedSignature(code: code, algorithm: algorithm, differences: differences)
            }
        }
    }

    /// Decodes hexadecimal digits; nil for any other or an empty text.
    static func bytes(ofHexadecimal digits: [UInt8]) -> [UInt8]? { digits.isEmpty ? nil : Hexadecimal.bytes(digits.span) }
}
