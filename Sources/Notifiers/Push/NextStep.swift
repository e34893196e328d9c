/// What an adapter does with an answer before the delivery's try ends, or beside that.
///
/// What sends again is done once a try: when it was done before, the outcome counts.
enum NextStep: Sendable, Equatable {
    /// Ask the provider's other environment, and remember the one that took it.
    case switchEnvironment
    /// Ask the provider's other environment, because the key is not for this one; when the other one has refused before, end with what it said.
    case switchForKey
    /// Make a new provider token, shared by all who wait for one, and send again.
    case mintToken
    /// Make a new provider token and send again if a wrong clock of ours is why this one was refused; else the outcome counts.
    case compareClocks
    /// Make the message with `PushNotification.shortenedPayload` and send again.
    case shorten
    /// Send again on a new connection.
    case reconnect
    /// Ask the notifier's `MismatchAlarm` whether the token is to blame, the settings are, or nobody knows yet.
    case askAlarm
    /// Send nothing to this device for a while.
    case delayDevice(milliseconds: UInt64)
    /// Make no provider token for a while, and go on with the one that there is.
    case stopMinting(milliseconds: UInt64)
}
