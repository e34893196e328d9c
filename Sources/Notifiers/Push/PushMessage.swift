/// A request to a provider, beside its authorization.
struct PushMessage: Sendable {
    /// What follows the provider's URL.
    let path: String
    /// Names and values.
    let headers: [(name: String, value: String)]
    /// As it is sent.
    let body: [UInt8]
}
