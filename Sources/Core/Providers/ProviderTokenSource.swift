/// Where tokens come from: they are minted here, or fetched from a provider.
package protocol ProviderTokenSource: Sendable {
    /// Mints or fetches one token; its cache calls it once at a time.
    /// - Parameters:
    ///   - unixSeconds: the time that a token is to be minted at; the provider's, when our clock is known to be wrong.
    ///   - completion: called exactly once, on any thread, perhaps before this returns. A source bounds its own time.
    func fetch(unixSeconds: Int64, completion: @escaping @Sendable (ProviderTokenFetch) -> Void)
}

/// What came of minting or fetching a token.
package enum ProviderTokenFetch: Sendable {
    /// A token, and how long the provider accepts it from when it was asked for, in milliseconds.
    case token(String, lifetimeMilliseconds: UInt64)
    /// The provider refuses the credential.
    /// - Parameters:
    ///   - reason: a stable word, never anything that the provider wrote.
    ///   - providerUnixSeconds: its time by the Date header, where a wrong clock may be why it refuses.
    case refused(reason: String, providerUnixSeconds: Int64?)
    /// It could not be had; `retryAfterMilliseconds` is what the provider asked for.
    case unavailable(reason: String, retryAfterMilliseconds: UInt64?)
}
