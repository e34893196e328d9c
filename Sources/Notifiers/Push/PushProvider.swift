internal import Bytes
internal import Core
internal import Crypto
internal import Time

/// The differences between push providers: addresses, message formats, answers and remedies.
protocol PushProvider: Sendable {
    /// The environments. The environment for apps from the store comes first.
    var environments: [PushEnvironment] { get }
    /// A message that no device shows, and that the provider evaluates only after it has accepted the credential.
    var proof: PushMessage { get }
    /// Whether the issue of an access token proves the credential, because the provider cannot check a message without showing it.
    var isProvedByToken: Bool { get }
    /// The operator's remedies by reason: ends of sentences. Contains every reason that can pause the notifier or that makes its settings
    /// doubtful, except for reasons with a variable number, such as `token_status_451`.
    var remedies: [String: String] { get }
    /// The operator's remedy for a reason without a specific remedy.
    var generalRemedy: String { get }

    /// Renders a message.
    ///
    /// Throws when the token is malformed or the message cannot be shortened to the limit.
    /// - Parameters:
    ///   - token: the device's token.
    ///   - id: the delivery's id, which is the same in every attempt.
    ///   - limit: the maximum size of the body in bytes.
    ///   - now: the current time, for the time to live.
    func message(
        _ notification: PushNotification, to token: String, id: UUIDv7, limit: Int, now: UnixMilliseconds
    ) throws(PushPayloadError) -> PushMessage

    /// Renders a message that no device shows. The message is small, so it needs no limit.
    ///
    /// Throws when the token is malformed.
    /// - Parameters: the same as for the other `message`.
    func message(
        _ withdrawal: PushWithdrawal, to token: String, id: UUIDv7, now: UnixMilliseconds
    ) throws(PushPayloadError) -> PushMessage

    /// Interprets an answer.
    /// - Parameters:
    ///   - token: the device's token; nil for a proof.
    ///   - retryAfter: the value of the header Retry-After, in milliseconds.
    func answer(status: Int, body: [UInt8], token: String?, retryAfter: UInt64?) -> ProviderAnswer
}

extension PushProvider {
    /// False by default: the provider checks `proof`.
    var isProvedByToken: Bool { false }
}

/// One environment of a provider, such as APNs' sandbox.
struct PushEnvironment: Sendable {
    /// Scheme, host and port.
    let url: String
    /// The name that is stored with a device after this environment has accepted its token.
    let name: String
    /// Limits the number of requests before the provider has accepted the sender; nil for no limit.
    let gate: ConnectionGate?

    init(_ name: String, url: String, gate: ConnectionGate? = nil) {
        self.url = url
        self.name = name
        self.gate = gate
    }
}

/// A request to a provider, without its authorization.
struct PushMessage: Sendable {
    let path: String
    let headers: [(name: String, value: String)]
    let body: [UInt8]
}

enum PushAuthorization: Sendable {
    case certificate
    case fixed(SecretBytes)
    /// Tokens from a cache, which replaces tokens that the provider rejects.
    case minted(ProviderTokenCache)
}

enum PushBearer: Sendable {
    case none
    case fixed(SecretBytes)
    case minted(ProviderToken)

    var headers: [(name: String, value: String)] {
        switch self {
        case .none: []
        case .fixed(let secret):
            [("authorization", "Bearer " + secret.withSpan { span in String(repairing: span) })]
        case .minted(let token): [("authorization", "Bearer " + token.text)]
        }
    }
}
