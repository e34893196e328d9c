package import HTTPClient

extension PushNotifier {
    /// Makes a notifier for RuStore, which answers as FCM does.
    ///
    /// RuStore tells a wrong project and a wrong device in the same words, so that only the service token is ever proved.
    /// - Parameters:
    ///   - concurrency: how many messages may be under way.
    ///   - client: stays the caller's to close; it speaks HTTP/2.
    ///   - monotonicMilliseconds: a clock that only goes forward, for deadlines.
    ///   - unixMilliseconds: the time, for times to live and Retry-After.
    /// - Throws: when the URL, the project or the token cannot be sent.
    package convenience init(
        _ destination: RuStoreDestination, concurrency: Int, client: Client, monotonicMilliseconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) throws {
        let provider = FCMProvider(
            "rustore", url: destination.url, projectID: destination.projectID,
            write: { notification, token, now, limit throws(PushPayloadError) in
                try RuStoreMessage.body(notification, token: token, nowMilliseconds: now, limit: limit)
            },
            read: { RuStoreAnswer.of(status: $0, body: $1, retryAfter: $2) })
        let sender = try PushSender(
            provider, .fixed(destination.token), style: destination.style, timeoutMilliseconds: destination.timeoutMilliseconds,
            client: client, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
        self.init(sender, concurrency: concurrency)
    }
}
