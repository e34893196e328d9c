internal import Core

/// Who is told of events, as far as the meaning of its answers depends on that.
package enum ReasonSource: Sendable, Equatable {
    /// The service's own log.
    case log
    /// A receiver of signed events.
    case http
    /// A help desk that takes registrations.
    case relay
    /// A push provider.
    case push(PushDestination)
    /// A notifier that is not configured any more.
    case unknown
}

/// What the reason of an attempt means, for a person who asks why a delivery did not arrive.
package struct ReasonMeaning: Sendable, Equatable {
    /// What happened: the end of a sentence.
    package let text: String
    /// What to do: the end of a sentence; nil when it has arrived, so that nothing need be done.
    package let remedy: String?

    /// Gives a meaning.
    package init(_ text: String, _ remedy: String?) {
        self.text = text
        self.remedy = remedy
    }

    /// The meaning of a reason; nil for one that this version does not know.
    package init?(_ reason: String, from source: ReasonSource) {
        let meaning =
            NotifierReason(rawValue: reason).map { Self.of($0, source) } ?? ClientReason(rawValue: reason).map { Self.of($0, source) }
            ?? Self.ofPush(reason, source) ?? Self.ofToken(reason, source) ?? Self.ofStatus(reason, source)
        guard let meaning else { return nil }
        self = meaning
    }
}

/// Waiting is the remedy where Deskgate tries again by itself.
extension ReasonMeaning {
    static let waiting = "wait: Deskgate tries again by itself until the event expires"
    static let newToken =
        "have the person open the app, which registers its present token; the device with the old one has left the registry"

    private static func of(_ reason: NotifierReason, _ source: ReasonSource) -> ReasonMeaning {
        switch reason {
        case .credentialAccepted: ReasonMeaning("the provider accepts the credential", nil)
        case .deviceDelayed:
            ReasonMeaning("the provider wants fewer pushes for this device, so it was not asked for a while", waiting)
        case .invalidToken: ReasonMeaning("the device's push token is malformed: no device of this provider has such a one", newToken)
        case .keyNotForEnvironment:
            ReasonMeaning(
                "the device seems to belong to the environment that the APNs key is not for",
                "use a key for both environments, or test with an app of the key's environment")
        case .logged: ReasonMeaning("it was written to the log", nil)
        case .misconfiguredForDeviceType:
            ReasonMeaning("the provider lacks the credential for devices of this type", source.settingsRemedy(reason.rawValue))
        case .noDevice:
            ReasonMeaning(
                "the device was not registered any more when its turn came",
                "have the person open the app, which registers the device again")
        case .notForPush: ReasonMeaning("an event of this type is not shown on phones", nil)
        case .payloadTooLarge:
            ReasonMeaning("the push is larger than the provider takes", "shorten the notifier's texts")
        case .requestCannotBeMade:
            ReasonMeaning("the request could not be made from the notifier's settings", source.settingsRemedy(reason.rawValue))
        case .unreadablePayload:
            ReasonMeaning(
                "the stored event cannot be read by this version", "run the version of Deskgate that stored it, and retry the delivery")
        }
    }

    private static func of(_ reason: ClientReason, _ source: ReasonSource) -> ReasonMeaning {
        let network = "check \"url\", the network and the firewall between this machine and the receiver; Deskgate tries again"
        return switch reason {
        case .invalidURL: ReasonMeaning("the address of the receiver is no URL", "check \"url\"")
        case .hostUnknown: ReasonMeaning("the receiver's host name could not be resolved", "check \"url\" and this machine's DNS")
        case .cannotConnect: ReasonMeaning("no connection to the receiver could be made", network)
        case .proxy: ReasonMeaning("the proxy did not connect to the receiver", "check \"proxy\", and what it allows")
        case .tls:
            ReasonMeaning(
                "the receiver's TLS certificate was not accepted, or TLS failed",
                "check the receiver's certificate, and \"certificate_authorities\" if it is from an authority of your own")
        case .timeout:
            ReasonMeaning("the receiver did not answer in time, and may have got it", "see why it is slow, or raise \"timeout_seconds\"")
        case .closedEarly, .connectionReset:
            ReasonMeaning("the connection was lost before an answer came; the receiver may have got it", network)
        case .malformedResponse, .headersTooLarge:
            ReasonMeaning("what answered does not speak proper HTTP", "check \"url\" and \"proxy\": another server may answer there")
        case .cancelled, .overloaded: ReasonMeaning("Deskgate did not send it then", waiting)
        }
    }

    /// The reasons about the tokens with which a push provider is asked.
    private static func ofToken(_ reason: String, _ source: ReasonSource) -> ReasonMeaning? {
        switch reason {
        case ProviderTokenFailure.OwnReason.clockSkew.rawValue:
            return ReasonMeaning(
                "this machine's clock and the provider's differ too much",
                PushNotifier.clockRemedy)
        case ProviderTokenFailure.OwnReason.tooManyUpdates.rawValue:
            return ReasonMeaning("the provider complains of too many access tokens", waiting)
        default: break
        }
        let inner = TokenReason.withoutPrefix(reason)
        guard inner != reason else { return nil }
        let meaning = ClientReason(rawValue: inner).map { of($0, source) }
        return ReasonMeaning(
            meaning.map { "while an access token was fetched, \($0.text)" } ?? "the provider's token server gave no access token",
            meaning?.remedy ?? source.settingsRemedy(reason))
    }
}

extension ReasonSource {
    /// What an operator does about refused settings: the notifier's own remedy where it has one.
    func settingsRemedy(_ reason: String) -> String {
        switch self {
        case .push(let provider): provider.remedy(for: reason)
        case .http: "check \"url\" and \"secret\""
        case .relay: "check the notifier's address, and that the help desk has this app_id and the address of our authorization"
        case .log, .unknown: "check the notifier's settings"
        }
    }
}

extension PushDestination {
    /// What an operator does when an answer with this reason pauses the notifier: one sentence's end.
    fileprivate func remedy(for reason: String) -> String {
        switch self {
        case .apns: APNsRemedy.byReason[reason] ?? APNsRemedy.credential.rawValue
        case .fcm: FCMRemedy.byReason[reason] ?? FCMRemedy.account.rawValue
        case .rustore: RuStoreRemedy.byReason[reason] ?? RuStoreRemedy.token.rawValue
        case .hms: HMSRemedy.byReason[reason] ?? HMSRemedy.credential.rawValue
        }
    }
}
