internal import Core
package import HTTPClient

extension PushNotifier {
    /// Makes a notifier for Huawei's Push Kit, whose access token proves the credential.
    /// - Parameters:
    ///   - concurrency: how many messages may be under way.
    ///   - client: stays the caller's to close; it speaks HTTP/2.
    ///   - monotonicMilliseconds: a clock that only goes forward, for deadlines and the age of tokens.
    ///   - unixMilliseconds: the time, for tokens, times to live and Retry-After.
    /// - Throws: when the URL or the app's id cannot be sent.
    package convenience init(
        _ destination: HMSDestination, concurrency: Int, client: Client, monotonicMilliseconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) throws {
        let source = HuaweiTokenSource(
            clientID: destination.appID, clientSecret: destination.secret, url: destination.tokenURL, client: client,
            timeoutMilliseconds: destination.timeoutMilliseconds, unixMilliseconds: unixMilliseconds)
        let tokens = ProviderTokenCache(
            source, policy: .oauth, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
        let sender = try PushSender(
            HMSProvider(destination), .minted(tokens), style: destination.style, timeoutMilliseconds: destination.timeoutMilliseconds,
            client: client, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
        self.init(sender, concurrency: concurrency, provenBy: tokens)
    }
}
