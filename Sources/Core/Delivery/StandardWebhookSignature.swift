package import Crypto
package import Time

/// The headers that prove a webhook's origin, Standard Webhooks 1.0: an HMAC-SHA-256 over `id.timestamp.body` for each secret.
package struct StandardWebhookSignature: Sendable {
    /// The maximum difference between a timestamp and the current time, in milliseconds.
    package static let defaultTolerance: UInt64 = 300_000

    /// The value of `webhook-timestamp`: Unix seconds in decimal digits.
    package let timestamp: String
    /// The value of `webhook-signature`: `v1,` and base64 for each secret in order, separated by spaces.
    package let signature: String

    /// Signs one attempt. The id (the value of `webhook-id`) is the same for all attempts of a delivery; `now` is the time of the attempt.
    /// The id must not contain a full stop, which would make the signed text ambiguous.
    package init(id: String, now: UnixMilliseconds, body: Span<UInt8>, secrets: [StandardWebhookSecret]) throws(CryptoError) {
        precondition(!secrets.isEmpty, "a webhook is signed with at least one secret")
        precondition(!Self.holdsFullStop(id), "the id must not contain a full stop")
        timestamp = now.seconds.description
        var signatures: [String] = []
        for secret in secrets {
            let code = try Self.code(id: id, timestamp: timestamp, body: body, secret: secret)
            signatures.append(Self.version + Base64.encode(code.span))
        }
        signature = signatures.joined(separator: " ")
    }

    /// Whether a signature matches one of the secrets, and the timestamp is at most `toleranceMilliseconds` before or after the current
    /// time. Signatures are compared in constant time. Signatures of unknown versions are ignored.
    package static func isGenuine(
        signature: String, id: String, timestamp: String, body: Span<UInt8>, secrets: [StandardWebhookSecret], now: UnixMilliseconds,
        toleranceMilliseconds: UInt64 = defaultTolerance
    ) throws(CryptoError) -> Bool {
        guard !holdsFullStop(id), let sent = moment(ofTimestamp: timestamp) else { return false }
        guard now.offset(from: sent).magnitude <= toleranceMilliseconds else { return false }
        let given = codes(in: signature)
        var isGenuine = false
        for secret in secrets {
            let code = try Self.code(id: id, timestamp: timestamp, body: body, secret: secret)
            for candidate in given where constantTimeEquals(candidate.span, code.span) { isGenuine = true }
        }
        return isGenuine
    }
}

extension StandardWebhookSignature {
    private static let version = "v1,"

    private static func code(
        id: String, timestamp: String, body: Span<UInt8>, secret: StandardWebhookSecret
    ) throws(CryptoError) -> InlineArray<32, UInt8> {
        try secret.key.code { message throws(CryptoError) in
            try message.append(id.utf8.span)
            try message.append(".")
            try message.append(timestamp.utf8.span)
            try message.append(".")
            try message.append(body)
        }
    }

    /// Returns the codes of all well-formed `v1` signatures.
    private static func codes(in signature: String) -> [[UInt8]] {
        signature.utf8.split(separator: UInt8(ascii: " ")).compactMap { part in
            guard part.starts(with: version.utf8) else { return nil }
            return Base64.decode(String(decoding: part.dropFirst(version.utf8.count), as: UTF8.self))
        }
    }

    /// Returns nil when the text is not a number or the time overflows. Different notations of a number are accepted, because the text
    /// itself is signed.
    private static func moment(ofTimestamp text: String) -> UnixMilliseconds? {
        guard let seconds = UInt64(text), seconds <= .max / 1000 else { return nil }
        return UnixSeconds(rawValue: seconds).milliseconds
    }

    private static func holdsFullStop(_ id: String) -> Bool {
        id.utf8.contains(UInt8(ascii: "."))
    }
}
