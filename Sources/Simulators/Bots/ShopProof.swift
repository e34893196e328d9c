internal import Crypto
internal import Time

/// Checks that Deskgate made a request recently, as docs/BOTS.md recommends to a company's backend.
///
/// It follows Standard Webhooks 1.0 and shares no code with the signer, so that a bug in the signer is detected.
struct ShopProof: Sendable {
    private static let toleranceSeconds: UInt64 = 300
    private static let prefix = "whsec_"

    private let keys: [HMACKey<SHA256>]
    private let now: @Sendable () -> UnixSeconds

    /// - Parameter secrets: each `whsec_` and base64; any of them may have signed.
    /// - Throws: when a secret has another form.
    init(secrets: [String], now: @escaping @Sendable () -> UnixSeconds) throws(SimulatorSet.Failure) {
        var keys: [HMACKey<SHA256>] = []
        for secret in secrets {
            guard secret.hasPrefix(Self.prefix), let bytes = Base64.decode(String(secret.dropFirst(Self.prefix.count))),
                let key = try? HMACKey<SHA256>(secret: bytes.span)
            else { throw SimulatorSet.Failure(description: "a shop's secret is whsec_ and base64") }
            keys.append(key)
        }
        self.keys = keys
        self.now = now
    }

    struct Headers {
        let id: String
        let timestamp: String
        let signature: String
    }

    /// Returns the fault of a request's signature; nil when the signature is valid.
    /// - Parameter signed: the body; for GET, which has none, the request target: the path and the query as sent.
    func problem(_ headers: Headers, signed: [UInt8]) -> String? {
        guard !headers.id.isEmpty, !headers.id.utf8.contains(UInt8(ascii: ".")) else { return "there is no webhook-id" }
        guard let sent = UInt64(headers.timestamp) else { return "there is no webhook-timestamp" }
        guard UnixSeconds(rawValue: sent).offset(from: now()).magnitude <= Self.toleranceSeconds else {
            return "the timestamp is more than five minutes away"
        }
        let given = headers.signature.split(separator: " ").filter { $0.hasPrefix("v1,") }
            .compactMap { Base64.decode(String($0.dropFirst(3))) }
        for key in keys {
            let code = try? key.code { message throws(CryptoError) in
                try message.append("\(headers.id).\(headers.timestamp).".utf8.span)
                try message.append(signed.span)
            }
            guard let code else { continue }
            if given.contains(where: { constantTimeEquals($0.span, code.span) }) { return nil }
        }
        return "the signature is not valid"
    }
}
