internal import Core
internal import Crypto

/// What a provider knows the sender by.
enum PushAuthorization: Sendable {
    /// The connection's client certificate.
    case certificate
    /// A token that never changes.
    case fixed(SecretBytes)
    /// Tokens that are made, and replaced when they are refused.
    case minted(ProviderTokenCache)
}

/// What one request was authorized with.
enum PushBearer: Sendable {
    /// Nothing of its own.
    case none
    /// A token that never changes.
    case fixed(SecretBytes)
    /// A token that the cache can replace.
    case minted(ProviderToken)

    /// The header; none when there is no token.
    var headers: [(name: String, value: String)] {
        switch self {
        case .none: []
        case .fixed(let secret):
            [("authorization", "Bearer " + secret.withSpan { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) })]
        case .minted(let token): [("authorization", "Bearer " + token.text)]
        }
    }
}
