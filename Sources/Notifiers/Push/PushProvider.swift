internal import Bytes
internal import Core
internal import Crypto
internal import Time

/// The differences between push providers: addresses, messages, answers, and remedies.
protocol PushProvider: Sendable {
    /// The environments; the one for apps from a store comes first.
    var environments: [PushEnvironment] { get }
    /// A message that no device shows, and that the provider judges only for a sender that it knows.
    var proof: PushMessage { get }
    /// Whether issuing an access token proves the credential, because the provider judges no message that it does not show.
    var isProvedByToken: Bool { get }
    /// The operator's remedies by reason: ends of sentences. Holds every reason that can pause the notifier or that casts doubt on its
    /// settings, except for the unbounded ones, such as `token_status_451`.
    var remedies: [String: String] { get }
    /// The operator's remedy for a reason without one of its own.
    var generalRemedy: String { get }

    /// Writes a message.
    ///
    /// Throws when the token is malformed or the message cannot be shortened to the limit.
    /// - Parameters:
    ///   - token: the device's.
    ///   - id: the delivery's, the same on every attempt.
    ///   - limit: of the body, in bytes.
    ///   - now:.
    func message(
        _ notification: PushNotification, to token: String, id: UUIDv7, limit: Int, now: UnixMilliseconds
    ) throws(PushPayloadError) -> PushMessage

    /// Writes a message that no device shows. It is small, so no limit is asked.
    ///
    /// Throws when the token is malformed.
    /// - Parameters: as of `message`.
    func message(
        _ withdrawal: PushWithdrawal, to token: String, id: UUIDv7, now: UnixMilliseconds
    ) throws(PushPayloadError) -> PushMessage

    /// Reads an answer.
    /// - Parameters:
    ///   - token: the device's; nil for a proof.
    ///   - retryAfter: what the header Retry-After asks for, in milliseconds.
    func answer(status: Int, body: [UInt8], token: String?, retryAfter: UInt64?) -> ProviderAnswer
}

extension PushProvider {
    /// The provider judges `proof`.
    var isProvedByToken: Bool { false }
}

/// One environment of a provider, such as APNs' sandbox.
struct PushEnvironment: Sendable {
    /// Scheme, host and port.
    let url: String
    /// The name that is stored with a device once this environment has accepted its token.
    let name: String
    /// Limits the requests before a connection is proven; nil for no limit.
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
    /// Tokens from a cache, which replaces those that the provider refuses.
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
