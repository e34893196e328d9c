internal import Core
package import HTTPClient

extension PushNotifier {
    /// Makes a notifier for Apple's Push Notification service.
    ///
    /// A connection is first given one push, and the others when that has been answered. A token that one environment doesn't know is tried in
    /// the other, and the outcome says which took it. When the token that no device has is all that APNs finds wrong, the credential is proved.
    /// - Parameters:
    ///   - concurrency: how many pushes may be under way.
    ///   - client: stays the caller's to close. It speaks HTTP/2, opens one connection a host, since Apple wants few, and with a credential of
    ///     `.certificate` shows that certificate.
    ///   - monotonicMilliseconds: a clock that only goes forward, for deadlines and the age of tokens.
    ///   - unixMilliseconds: the time, for tokens and Retry-After.
    /// - Throws: when a URL or the topic cannot be sent.
    package convenience init(
        _ destination: APNsDestination, concurrency: Int, client: Client, monotonicMilliseconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) throws {
        let authorization: PushAuthorization =
            switch destination.credential {
            case .certificate: .certificate
            case .token(let key, let keyID, let teamID):
                .minted(
                    ProviderTokenCache(
                        APNsTokenSource(key: key, keyID: keyID, teamID: teamID), policy: .apns,
                        monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds))
            }
        let sender = try PushSender(
            APNsProvider(destination), authorization, style: destination.style, timeoutMilliseconds: destination.timeoutMilliseconds,
            client: client, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
        self.init(sender, concurrency: concurrency)
    }
}
