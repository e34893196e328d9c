internal import Core
package import HTTPClient

extension PushNotifier {
    /// Makes a notifier for Firebase Cloud Messaging, which checks a message to prove the credential, and sends nothing.
    /// - Parameters:
    ///   - concurrency: how many messages may be under way.
    ///   - client: stays the caller's to close; it speaks HTTP/2.
    ///   - monotonicMilliseconds: a clock that only goes forward, for deadlines and the age of tokens.
    ///   - unixMilliseconds: the time, for tokens, times to live and Retry-After.
    /// - Throws: when the URL cannot be sent.
    package convenience init(
        _ destination: FCMDestination, concurrency: Int, client: Client, monotonicMilliseconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) throws {
        let source = GoogleTokenSource(
            destination.account, client: client, timeoutMilliseconds: destination.timeoutMilliseconds, unixMilliseconds: unixMilliseconds)
        let tokens = ProviderTokenCache(
            source, policy: .oauth, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
        let provider = FCMProvider(
            "fcm", url: destination.url, projectID: destination.account.projectID,
            write: { notification, token, now, limit throws(PushPayloadError) in
                try FCMMessage.body(notification, token: token, nowMilliseconds: now, limit: limit)
            },
            read: { FCMAnswer.of(status: $0, body: $1, retryAfter: $2) })
        let sender = try PushSender(
            provider, .minted(tokens), style: destination.style, timeoutMilliseconds: destination.timeoutMilliseconds, client: client,
            monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
        self.init(sender, concurrency: concurrency)
    }
}
