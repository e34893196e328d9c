package import JSON

/// A push that was accepted, as the phone would get it.
package struct SimulatedPush: Sendable {
    /// Who accepted it.
    package let provider: SimulatedProvider
    /// The device's push token.
    package let token: String
    /// What the provider calls it: `apns-id`, or the message's name.
    package let id: String
    /// The title that the phone shows; empty for none.
    package let title: String
    /// The text that the phone shows; empty for none.
    package let body: String
    /// The headers of the request, names in lower case, without its credentials.
    package let headers: [(name: String, value: String)]
    /// The body of the request.
    package let payload: JSONValue
    /// Whether it was to be checked only, so that the phone gets nothing.
    package let isDryRun: Bool
}
