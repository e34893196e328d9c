internal import Core
internal import Crypto

/// The apps that take webhooks, with what proves their origin: an immutable snapshot.
final class WebhookApps: Sendable {
    /// One of them.
    struct App: Sendable {
        let id: String
        let counters: WebhookCounters.App
        fileprivate let secret: SecretBytes?
        fileprivate let signatureKey: HMACKey<SHA1>?
    }

    /// Counts what belongs to none of them.
    let unknown: WebhookCounters.App
    private let apps: [App]
    private let indices: [ByteKey: Int]
    // Stands in for the key of an app that is unknown or has none, so that naming one takes as long as signing wrongly.
    private let dummyKey: HMACKey<SHA1>

    /// - Throws: when OpenSSL fails.
    init(_ apps: [Configuration.App], counters: WebhookCounters) throws(CryptoError) {
        var takers: [App] = []
        for app in apps {
            guard let webhook = app.webhook else { continue }
            let key = try webhook.signatureSecret?.withSpan { secret throws(CryptoError) in try HMACKey<SHA1>(secret: secret) }
            takers.append(
                App(
                    id: app.id, counters: counters.app(app.id), secret: webhook.secret, signatureKey: key))
        }
        unknown = counters.unknown
        self.apps = takers
        indices = Dictionary(uniqueKeysWithValues: takers.enumerated().map { (ByteKey($0.element.id), $0.offset) })
        let random: InlineArray<32, UInt8> = try randomBytes()
        dummyKey = try HMACKey(secret: random.span)
    }

    /// The app of exactly this id, if it takes webhooks.
    func app(_ id: String) -> App? {
        indices[ByteKey(id)].map { apps[$0] }
    }

    /// The ids of the apps that a path's secret belongs to, mostly one or none.
    ///
    /// It is compared with all, each time in constant time, so that the time tells nothing of which it is.
    func owners(ofSecret secret: Span<UInt8>) -> Owners {
        var owners = Owners()
        for app in apps {
            guard let expected = app.secret else { continue }
            if expected.withSpan({ constantTimeEquals($0, secret) }) { owners.ids.append(ByteKey(app.id)) }
        }
        return owners
    }

    /// Whether the secret of this app has signed the body; false for an app without one, which takes as long.
    func isSigned(_ body: Span<UInt8>, _ signature: WebhookSignature, by app: App?) throws(CryptoError) -> Bool {
        let key = app?.signatureKey
        let isGenuine = try signature.isGenuine(for: body, key ?? dummyKey)
        return key != nil && isGenuine
    }

    /// The apps that a proof belongs to.
    struct Owners {
        fileprivate var ids: [ByteKey] = []

        var isEmpty: Bool { ids.isEmpty }

        func contains(_ app: App) -> Bool {
            ids.contains(ByteKey(app.id))
        }
    }
}
