internal import Configuration
internal import Core
internal import Crypto
internal import HelpDesk
internal import Observability

/// The apps that accept webhooks, with the secrets that authenticate them: an immutable snapshot.
///
/// If an app has path secrets, the path of its webhooks must contain one of them. If it has signature secrets, its webhooks must be signed.
/// If it has both, both are required.
final class WebhookApps: Sendable {
    struct App: Sendable {
        let id: String
        let counters: LabelledCounters<WebhookResult>
        let acceptsAnonymous: Bool
        /// Nil when unknown.
        let avatars: AvatarAddress?
        fileprivate let secrets: [SecretBytes]
        /// The indices of its keys in `keys`; empty if it has no signature secrets.
        fileprivate let signers: [Int]
    }

    /// Counts webhooks without a known app under an empty name, because the caller chooses the name in a webhook.
    let unknown: LabelledCounters<WebhookResult>
    private let apps: [App]
    private let indices: [ByteKey: Int]
    // Each distinct signature secret once, even if several apps share it.
    private let keys: [HMACKey<SHA1>]

    /// - Parameters:
    ///   - apps: the configuration's apps of this help desk.
    ///   - family: by app and result.
    /// - Throws: when OpenSSL fails.
    init(_ apps: [Configuration.App], of configuration: Configuration, counters family: MetricFamily<Counter>) throws(CryptoError) {
        func counters(_ app: String) -> LabelledCounters<WebhookResult> {
            WebhookResult.counters(WebhookResult.common + [.anonymous], app: app, in: family)
        }
        var acceptingApps: [App] = []
        var distinct: [SecretBytes] = []
        for app in apps {
            guard let webhook = app.webhook else { continue }
            let signers = webhook.signatureSecrets.map { Self.index(of: $0, in: &distinct) }
            acceptingApps.append(
                App(
                    id: app.id, counters: counters(app.id), acceptsAnonymous: app.anonymous == .accept,
                    avatars: configuration.registryAddress(of: app).flatMap { AvatarAddress(registry: $0) }, secrets: webhook.secrets,
                    signers: signers))
        }
        var keys: [HMACKey<SHA1>] = []
        for secret in distinct {
            keys.append(try secret.withSpan { secret throws(CryptoError) in try HMACKey<SHA1>(secret: secret) })
        }
        unknown = counters("")
        self.apps = acceptingApps
        self.keys = keys
        indices = Dictionary(uniqueKeysWithValues: acceptingApps.enumerated().map { (ByteKey($0.element.id), $0.offset) })
    }

    /// Nil for an app that accepts no webhooks.
    func app(_ id: String) -> App? {
        indices[ByteKey(id)].map { apps[$0] }
    }

    func app(_ id: String, among candidates: Candidates) -> App? {
        indices[ByteKey(id)].flatMap { candidates.indices.contains($0) ? apps[$0] : nil }
    }

    /// Nil when there are several candidates.
    func only(of candidates: Candidates) -> App? {
        candidates.indices.count == 1 ? apps[candidates.indices[0]] : nil
    }

    /// Returns the apps with this path secret, usually one or none.
    ///
    /// The secret is compared with all path secrets, each time in constant time, so that the duration does not reveal which one matches.
    func candidates(withSecret secret: Span<UInt8>) -> Candidates {
        var candidates = Candidates()
        for index in apps.indices {
            var isOwner = false
            for expected in apps[index].secrets where expected.withSpan({ constantTimeEquals($0, secret) }) { isOwner = true }
            if isOwner { candidates.indices.append(index) }
        }
        return candidates
    }

    /// Returns the apps without a path secret: the candidates for a webhook on the path without a secret.
    func candidatesWithoutSecret() -> Candidates {
        var candidates = Candidates()
        candidates.indices = apps.indices.filter { apps[$0].secrets.isEmpty }
        return candidates
    }

    /// Returns the candidates without signature secrets: those for a webhook without a signature.
    func unsigned(_ candidates: Candidates) -> Candidates {
        var unsigned = candidates
        unsigned.indices.removeAll { !apps[$0].signers.isEmpty }
        return unsigned
    }

    /// Returns the candidates with a key that has signed the body, or without signature secrets.
    ///
    /// Every key of the candidates is tried once, even after a match. The configuration limits their number.
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

    /// The apps to which a webhook may belong, according to its verified secret or signature.
    struct Candidates {
        fileprivate var indices: [Int] = []

        var isEmpty: Bool { indices.isEmpty }
    }
}
