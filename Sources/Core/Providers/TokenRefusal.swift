/// What follows when a provider has refused a token in a request.
package enum TokenRefusal: Sendable, Equatable {
    /// Another token has taken its place, or will: ask for one and try once more.
    case askAgain
    /// The clocks differ by so many seconds (the provider's is ahead when positive), and tokens are minted with its time from now on: report
    /// `clock_skew`, ask for a token and try once more.
    case clockSkew(seconds: Int64)
    /// No other token may be had for now: what the try comes to.
    case hold(ProviderTokenFailure)
    /// It is not a matter of this token's age: the credential itself is refused.
    case credentialRefused
}
