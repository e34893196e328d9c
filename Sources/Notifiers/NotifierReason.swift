package import Core
package import HTTPClient

/// The reasons that notifiers define. All other reasons come from a status, a client error or a provider's code.
package enum NotifierReason: String, Sendable, CaseIterable {
    case credentialAccepted = "credential_accepted"
    case deviceDelayed = "device_delayed"
    case invalidToken = "invalid_token"
    /// The device probably belongs to the APNs environment that the key is not valid for.
    case keyNotForEnvironment = "key_not_for_environment"
    case logged
    /// The provider lacks a credential for the platform of this device.
    case misconfiguredForDeviceType = "misconfigured_for_device_type"
    case noDevice = "no_device"
    case notForPush = "not_for_push"
    case payloadTooLarge = "payload_too_large"
    case requestCannotBeMade = "request_cannot_be_made"
    case unreadablePayload = "unreadable_payload"
    case withdrawn
}

extension DeliveryOutcome {
    /// Creates the outcome of an attempt that ended without a request to the receiver.
    package init(_ verdict: Verdict, unasked reason: NotifierReason, isAboutDevice: Bool = false) {
        self.init(verdict, reason: reason.rawValue, isAboutDevice: isAboutDevice, calledReceiver: false)
    }
}

/// The reason for an HTTP status that no other reason explains, such as `status_503`.
package enum StatusReason {
    private static let prefix = "status_"

    package static func word(_ status: Int) -> String { "\(prefix)\(status)" }

    /// Returns the status of a reason; nil for any other reason.
    package static func status(_ word: String) -> Int? { (100...599).first { self.word($0) == word } }

    package static func contains(_ word: String) -> Bool { word.hasPrefix(prefix) }
}

/// The reason why a request got no response. The raw values are stable. They replace the texts of client errors, which may contain host
/// names.
package enum ClientReason: String, Sendable, CaseIterable {
    case invalidURL = "invalid_url"
    case hostUnknown = "host_unknown"
    case cannotConnect = "cannot_connect"
    case proxy
    case tls
    case timeout
    case closedEarly = "closed_early"
    case connectionReset = "connection_reset"
    case malformedResponse = "malformed_response"
    case headersTooLarge = "headers_too_large"
    case cancelled
    case overloaded

    /// The prefix of the reasons for other errors of libcurl.
    package static let otherPrefix = "client_"

    /// Returns the reason for an error. Other errors of libcurl become `client_` and their number.
    package static func word(_ error: ClientError) -> String {
        let reason: ClientReason
        switch error {
        case .invalidURL: reason = .invalidURL
        case .resolve: reason = .hostUnknown
        case .connect: reason = .cannotConnect
        case .proxy: reason = .proxy
        case .tls: reason = .tls
        case .timeout: reason = .timeout
        case .closedEarly: reason = .closedEarly
        case .reset: reason = .connectionReset
        case .malformedResponse: reason = .malformedResponse
        case .headersTooLarge: reason = .headersTooLarge
        case .cancelled: reason = .cancelled
        case .overloaded: reason = .overloaded
        case .other(let code): return "\(otherPrefix)\(code)"
        }
        return reason.rawValue
    }
}
