internal import Core

/// Why a notification cannot be put into a provider's format.
enum PushPayloadError: Error, Equatable {
    /// The device's token is none that the provider could have given out.
    case invalidToken
    /// There is no room even without the body.
    case tooLarge

    /// What follows for the delivery.
    var outcome: DeliveryOutcome {
        switch self {
        case .invalidToken: DeliveryOutcome(.deviceGone(since: nil), reason: "invalid_token", wasAsked: false)
        case .tooLarge: DeliveryOutcome(.dead, reason: "payload_too_large", wasAsked: false)
        }
    }
}
