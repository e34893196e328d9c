internal import Bytes
package import Configuration
package import Core
package import Crypto
internal import HelpDesk
internal import JSON
internal import Notifiers
package import Time

/// Verifies a webhook that a help desk has sent to an app, or one that a notifier has sent to a backend.
package struct WebhookProof: Sendable {
    /// The headers of Standard Webhooks except the signature.
    package struct Stamp: Sendable {
        let id: String
        let timestamp: String
        let now: UnixMilliseconds

        /// Takes the values of `webhook-id` and `webhook-timestamp`.
        /// - Parameter now: the time of the verification.
        package init(id: String, timestamp: String, now: UnixMilliseconds) {
            self.id = id
            self.timestamp = timestamp
            self.now = now
        }
    }

    package enum Verdict: Sendable, Equatable {
        /// The webhook is genuine, and was signed with the secret at this JSON path.
        case genuine(secret: String)
        /// The webhook was signed with the secret at this JSON path, but its timestamp is too far from the current time.
        case expired(secret: String)
        case different
    }

    package let scheme: SignatureScheme
    /// The paths of the accepted secrets.
    package let secretNames: [String]
    package let verdict: Verdict
    private let body: [UInt8]
    private let signature: String
    private let stamp: Stamp?
    private let secrets: [SignatureDiagnosis.Secret]

    /// Checks a webhook of an app's help desk by the rule of its route.
    /// - Parameter index: the app's index in the configuration.
    /// - Returns: nil when the app has no signature secret.
    /// - Throws: when OpenSSL fails.
    package init?(
        ofApp index: Int, in configuration: Configuration, body: [UInt8], signature: String
    ) throws(CryptoError) {
        let app = configuration.apps[index]
        let rules = HelpDesk.all.first { $0.kind == app.helpDesk }?.signatures ?? []
        guard let rule = rules.first(where: { $0.fits(signature) }) ?? rules.first,
            rule.secrets(app).contains(where: { !$0.values.isEmpty })
        else { return nil }
        // Users confuse the secret of the address with that of the signature, so the diagnosis tries both.
        secrets = configuration.apps.enumerated().flatMap { place, app in
            rule.secrets(app).flatMap { Self.named($0.values, "$.apps[\(place)].\($0.key)", counts: place == index) }
                + Self.named(app.webhook?.secrets ?? [], "$.apps[\(place)].webhook.secret", counts: false)
        }
        var verdict = Verdict.different
        for secret in secrets where secret.counts && verdict == .different {
            if try rule.isGenuine(signature, body, secret.text) { verdict = .genuine(secret: secret.name) }
        }
        self.verdict = verdict
        scheme = rule.scheme
        secretNames = secrets.filter(\.counts).map(\.name)
        (self.body, self.signature, stamp) = (body, signature, nil)
    }

    /// Checks a webhook of a notifier by the rule of Standard Webhooks, as a backend does.
    /// - Returns: nil when no notifier of type `http` has this name.
    /// - Throws: when OpenSSL fails.
    package init?(
        ofNotifier name: String, in configuration: Configuration, body: [UInt8], signature: String, stamp: Stamp
    ) throws(CryptoError) {
        var secrets: [SignatureDiagnosis.Secret] = []
        for notifier in configuration.notifiers {
            guard case .http(let destination) = notifier.kind else { continue }
            secrets += Self.named(destination.secrets, "$.notifiers.\(notifier.name).secret", counts: notifier.name == name)
        }
        secretNames = secrets.filter(\.counts).map(\.name)
        guard !secretNames.isEmpty else { return nil }
        var verdict = Verdict.different
        for secret in secrets where secret.counts && verdict == .different {
            let text = secret.text.withSpan { span in String(repairing: span) }
            guard let key = try? StandardWebhookSecret(text) else { continue }
            func holds(within tolerance: UInt64) throws(CryptoError) -> Bool {
                try StandardWebhookSignature.isGenuine(
                    signature: signature, id: stamp.id, timestamp: stamp.timestamp, body: body.span, secrets: [key], now: stamp.now,
                    toleranceMilliseconds: tolerance)
            }
            if try holds(within: StandardWebhookSignature.defaultTolerance) {
                verdict = .genuine(secret: secret.name)
            } else if try holds(within: .max) {
                verdict = .expired(secret: secret.name)
            }
        }
        self.verdict = verdict
        scheme = .standardWebhooks
        (self.body, self.signature, self.stamp, self.secrets) = (body, signature, stamp, secrets)
    }

    /// Whether the given `webhook-id` is the id in the body. The body has the event's id, and the header has the delivery's.
    package var hasEventID: Bool {
        guard let stamp, let event = JSONValue(parsing: body)?["id"]?.text else { return false }
        return event.utf8.elementsEqual(stamp.id.utf8)
    }

    /// Diagnoses why the webhook is not genuine.
    /// - Throws: when OpenSSL fails.
    package func explain() throws(CryptoError) -> SignatureDiagnosis.Finding {
        try SignatureDiagnosis(scheme, body: body, signed: signed, secrets: secrets).explain(signature)
    }

    /// The possible texts before the body in the signed content.
    private var signed: [(difference: String?, start: String)] {
        guard let stamp else { return [(nil, "")] }
        return [
            (nil, "\(stamp.id).\(stamp.timestamp)."), ("The id and the timestamp were not signed with the body.", ""),
            ("The id was not signed with the body.", "\(stamp.timestamp)."),
            ("The timestamp was not signed with the body.", "\(stamp.id)."),
            ("The timestamp was signed before the id.", "\(stamp.timestamp).\(stamp.id)."),
        ]
    }

    private static func named(_ secrets: [SecretBytes], _ path: String, counts: Bool) -> [SignatureDiagnosis.Secret] {
        secrets.enumerated().map { index, text in
            SignatureDiagnosis.Secret(name: secrets.count == 1 ? path : "\(path)[\(index)]", counts: counts, text: text)
        }
    }
}
