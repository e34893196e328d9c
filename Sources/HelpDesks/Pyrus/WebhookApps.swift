internal import Configuration
internal import Core
internal import Crypto
internal import Observability

/// What comes of a webhook, as it stands in logs and metrics.
enum WebhookResult: String, CaseIterable {
    case accepted, duplicate, ignored, malformed, denied, unavailable
}

/// The apps that take webhooks, with what proves their origin: an immutable snapshot.
///
/// An app with a secret in the path is reached there alone, and one that signs must also have signed what comes there.
final class WebhookApps: Sendable {
    /// One of them.
    struct App: Sendable {
        let id: String
        let counters: LabelledCounters<WebhookResult>
        fileprivate let secrets: [SecretBytes]
        /// The indices of the keys that may sign for it; empty if it does not sign.
        fileprivate let signers: [Int]
    }

    /// Counts what belongs to none of them, under an empty name, since the name in a webhook is the caller's to choose.
    let unknown: LabelledCounters<WebhookResult>
    private let apps: [App]
    private let indices: [ByteKey: Int]
    // Each once, however many apps have it.
    private let keys: [HMACKey<SHA1>]

    /// - Parameter family: webhooks by app and result.
    /// - Throws: when OpenSSL fails.
    init(_ apps: [Configuration.App], counters family: MetricFamily<Counter>) throws(CryptoError) {
        func counters(_ app: String) -> LabelledCounters<WebhookResult> {
            LabelledCounters(WebhookResult.allCases) { family.child(app, $0.rawValue) }
        }
        var takers: [App] = []
        var distinct: [SecretBytes] = []
        for app in apps {
            guard let webhook = app.webhook else { continue }
            let signers = webhook.signatureSecrets.map { Self.index(of: $0, in: &distinct) }
            takers.append(App(id: app.id, counters: counters(app.id), secrets: webhook.secrets, signers: signers))
        }
        var keys: [HMACKey<SHA1>] = []
        for secret in distinct {
            keys.append(try secret.withSpan { secret throws(CryptoError) in try HMACKey<SHA1>(secret: secret) })
        }
        unknown = counters("")
        self.apps = takers
        self.keys = keys
        indices = Dictionary(uniqueKeysWithValues: takers.enumerated().map { (ByteKey($0.element.id), $0.offset) })
    }

    /// The app of exactly this id, if it takes webhooks.
    func app(_ id: String) -> App? {
        indices[ByteKey(id)].map { apps[$0] }
    }

    /// The apps that one of the candidates names.
    func app(_ id: String, among candidates: Candidates) -> App? {
        indices[ByteKey(id)].flatMap { candidates.indices.contains($0) ? apps[$0] : nil }
    }

    /// The apps that a webhook may be of that has this secret at the end of its path, mostly one or none.
    ///
    /// It is compared with all, each time in constant time, so that the time tells nothing of which it is.
    func candidates(withSecret secret: Span<UInt8>) -> Candidates {
        var candidates = Candidates()
        for index in apps.indices {
            var isOwner = false
            for expected in apps[index].secrets where expected.withSpan({ constantTimeEquals($0, secret) }) { isOwner = true }
            if isOwner { candidates.indices.append(index) }
        }
        return candidates
    }

    /// The apps that a webhook may be of that comes to the path without a secret.
    func candidatesWithoutSecret() -> Candidates {
        var candidates = Candidates()
        candidates.indices = apps.indices.filter { apps[$0].secrets.isEmpty }
        return candidates
    }

    /// Those of the candidates that do not sign: all that is left of a webhook without a signature.
    func unsigned(_ candidates: Candidates) -> Candidates {
        var unsigned = candidates
        unsigned.indices.removeAll { !apps[$0].signers.isEmpty }
        return unsigned
    }

    /// Those of the candidates that have signed the body, or do not sign.
    ///
    /// Every key of theirs is tried once, the right one or not; the configuration bounds how many there are.
    func signers(
        of body: Span<UInt8>, _ signature: WebhookSignature, among candidates: Candidates
    ) throws(CryptoError) -> Candidates {
        var genuine: Set<Int> = []
        for key in Set(candidates.indices.flatMap { apps[$0].signers }) where try signature.isGenuine(for: body, keys[key]) {
            genuine.insert(key)
        }
        var signers = candidates
        signers.indices.removeAll { !apps[$0].signers.isEmpty && genuine.isDisjoint(with: apps[$0].signers) }
        return signers
    }

    private static func index(of secret: SecretBytes, in distinct: inout [SecretBytes]) -> Int {
        let known = distinct.firstIndex { other in secret.withSpan { left in other.withSpan { constantTimeEquals($0, left) } } }
        if let known { return known }
        distinct.append(secret)
        return distinct.count - 1
    }

    /// The apps that a webhook may be of, as far as is known.
    struct Candidates {
        fileprivate var indices: [Int] = []

        var isEmpty: Bool { indices.isEmpty }
    }
}
