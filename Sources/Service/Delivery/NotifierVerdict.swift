package import Configuration
internal import Core
internal import JSON
internal import Notifiers
internal import Time

/// The result of a notifier's test, for a person.
package struct NotifierVerdict: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case good
        /// The provider rejects the credentials or the settings.
        case bad
        /// The provider rejects this token or this message; the credentials are valid.
        case refused
        /// Unknown: the provider could not be reached, or requested a later retry.
        case unknown
    }

    package let kind: Kind
    /// The reason, a stable word such as `invalid_provider_token`.
    package let reason: String
    /// nil when no action is needed.
    package let remedy: String?

    init(_ configured: Configuration.Notifier, _ outcome: DeliveryOutcome, of notifier: any Notifier, now: UnixSeconds) {
        let type = configured.type
        reason = outcome.reason
        switch outcome.verdict {
        case .delivered: (kind, remedy) = (.good, nil)
        case .misconfigured: (kind, remedy) = (.bad, notifier.remedy(for: outcome.reason))
        case .deviceGone where outcome.reason == NotifierReason.invalidToken.rawValue:
            (kind, remedy) = (
                .refused, "the token is malformed for this provider; use exactly the token that the app received"
            )
        case .deviceGone:
            (kind, remedy) = (.refused, Self.unknownToken)
        case .retry where outcome.settingsFault != nil: (kind, remedy) = (.refused, Self.unknownToken)
        case .dead where outcome.reason == NotifierReason.keyNotForEnvironment.rawValue:
            (kind, remedy) = (.refused, "the token seems to be of the APNs environment that the key is not for: take one of the other")
        case .dead where outcome.settingsFault != nil: (kind, remedy) = (.refused, notifier.remedy(for: outcome.reason))
        case .dead: (kind, remedy) = (.refused, "the provider rejects this push: check the token's form and \"url\"")
        case .retry where type == .http && [401, 403].map(StatusReason.word).contains(outcome.reason):
            let advice = HTTPNotifier.signatureRemedy(of: configured.name).english
            (kind, remedy) = (.bad, "the receiver does not take the signature: \(advice)")
        case .retry where type == .http && StatusReason.contains(outcome.reason):
            (kind, remedy) = (.unknown, "the receiver has not taken the event: check \"url\", and look at the receiver's log")
        case .retry:
            let advice = (kind: Kind.unknown, remedy: Self.advice(reason: outcome.reason))
            let certificate = Self.certificateEnd(configured).map { Self.verdict(onCertificateUntil: $0, outcome.reason, now) }
            (kind, remedy) = certificate ?? advice
        }
    }

    /// The expiry of a notifier's client certificate; nil for a notifier without one.
    private static func certificateEnd(_ configured: Configuration.Notifier) -> UnixSeconds? {
        if case .push(let push) = configured.kind { push.provider.certificateExpiresAt } else { nil }
    }

    /// The verdict on a certificate that the provider has not verified: its known properties.
    private static func verdict(onCertificateUntil end: UnixSeconds, _ reason: String, _ now: UnixSeconds) -> (kind: Kind, remedy: String) {
        let time = RFC3339.text(end.milliseconds)
        if end <= now {
            return (.bad, "\"certificate\" expired at \(time): get a new one from Apple, or a key (.p8), which does not expire")
        }
        let cause =
            endsConnection(reason)
            ? "APNs ended the connection: it rejects \"certificate\", for example a revoked one, or \"url\", \"proxy\" or "
                + "\"certificate_authorities\" is wrong" : advice(reason: reason)
        let known = "\"key\" belongs to \"certificate\", which is valid until \(time)"
        return (.unknown, "\(cause); proven is only that \(known), and not that Apple accepts it")
    }

    /// Whether a connection with this reason may have ended because the server rejected the client's certificate.
    private static func endsConnection(_ reason: String) -> Bool {
        [.tls, .closedEarly, .connectionReset].contains(ClientReason(rawValue: reason)) || reason.hasPrefix(ClientReason.otherPrefix)
    }

    /// Creates the verdict from a help desk's outcome about a credential; nil at the time limit.
    init(_ outcome: DeliveryOutcome?, remedy: String) {
        reason = outcome?.reason ?? ClientReason.timeout.rawValue
        switch outcome?.verdict {
        case .delivered: (kind, self.remedy) = (.good, nil)
        case .misconfigured: (kind, self.remedy) = (.bad, remedy)
        default: (kind, self.remedy) = (.unknown, Self.advice(reason: reason))
        }
    }

    /// Parses the verdict of the running service; nil when it is malformed.
    init?(_ json: JSONValue) {
        guard let kind = json["status"]?.text.flatMap({ Kind(rawValue: $0) }), let reason = json["reason"]?.text else { return nil }
        (self.kind, self.reason, remedy) = (kind, reason, json["remedy"]?.text)
    }

    func json(of notifier: String) -> JSONValue {
        [
            "notifier": .string(notifier), "status": .string(kind.rawValue), "reason": .string(reason),
            "remedy": remedy.map { .string($0) } ?? .null,
        ]
    }

    private static let unknownToken =
        "the provider does not know this token: take one that the app has just been given, of the same app and provider"

    /// Returns the properties that a provider of this type does not verify when it accepts a credential; nil when it verifies all.
    package static func notVerified(_ type: NotifierType) -> String? {
        switch type {
        // The test used a token that no device has, which verifies only the credential.
        case .apns: "the topic"
        case .rustore: "the project"
        // The test only got an access token.
        case .hms: "the permission to push"
        // The provider validated a message for this project.
        case .fcm: nil
        case .log, .http, .relay: nil
        }
    }

    /// The verdict when no answer came in time.
    static func silent(_ configured: Configuration.Notifier, _ notifier: any Notifier, now: UnixSeconds) -> NotifierVerdict {
        let outcome = DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: ClientReason.timeout.rawValue)
        return NotifierVerdict(configured, outcome, of: notifier, now: now)
    }

    private static func advice(reason: String) -> String {
        if reason == ProviderTokenFailure.StateReason.tooManyUpdates.rawValue {
            return
                "Apple refuses provider tokens that are made more often than every 20 minutes: try again later, or run the command beside the "
                + "running service, which uses its own"
        }
        // Token servers are reached with the provider's client, so their failures have the same reasons.
        return switch ClientReason(rawValue: TokenReason.withoutPrefix(reason)) {
        case .tls: "the server's certificate is not trusted: check \"url\" and \"certificate_authorities\""
        case .proxy: "check \"proxy\""
        case .hostUnknown, .cannotConnect, .timeout, .closedEarly, .connectionReset:
            "the provider cannot be reached: check \"url\", \"proxy\" and the firewall"
        case .invalidURL, .malformedResponse, .headersTooLarge, .cancelled, .overloaded, nil:
            "the provider has a problem of its own or asks for patience; try again later"
        }
    }
}
