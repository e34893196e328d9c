internal import Crypto
internal import JSON

/// A JSON Web Token as it was presented, RFC 7519: read, and not believed before `isSigned` says so.
struct JSONWebToken {
    let header: JSONValue
    let claims: JSONValue
    private let signed: [UInt8]
    private let signature: [UInt8]

    /// Reads the compact form; nil when it is none.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(String(parts[0])), let claims = Base64URL.decode(String(parts[1])),
            let signature = Base64URL.decode(String(parts[2])), let header = JSONValue(header), let claims = JSONValue(claims)
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// Whether the key's owner has signed it, with the algorithm that it names.
    func isSigned(by key: some VerifyingKey) -> Bool {
        header["alg"]?.text == type(of: key).algorithm && key.verify(signature.span, signed.span)
    }
}
