internal import Core

/// What differs between push providers: where messages go, how they are written, and what the answers mean.
protocol PushProvider: Sendable {
    /// The environments, the one for apps from a store first.
    var routes: [PushRoute] { get }
    /// A message that nobody ever sees, and that is only understood from who may send.
    var proof: PushMessage { get }

    /// Writes a message.
    ///
    /// Throws when the token is none, or the message cannot be made so short.
    /// - Parameters:
    ///   - token: the device's.
    ///   - id: the delivery's, the same on every try.
    ///   - limit: of the body, in bytes.
    ///   - now: in Unix milliseconds.
    func message(
        _ notification: PushNotification, to token: String, id: UUIDv7, limit: Int, nowMilliseconds now: UInt64
    ) throws(PushPayloadError) -> PushMessage

    /// Reads an answer.
    /// - Parameters:
    ///   - token: the device's; nil for a proof.
    ///   - retryAfter: what the header Retry-After asks for, in milliseconds.
    func answer(status: Int, body: [UInt8], token: String?, retryAfter: UInt64?) -> ProviderAnswer
}
