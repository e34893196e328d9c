internal import Configuration
internal import Core
internal import Crypto
internal import Observability
internal import Threading

/// What a reload replaces, all of it at once: an immutable snapshot.
final class LiveState: Sendable {
    let authorizer: Authorizer
    let counters: AuthorizeCounters
    let defaultLifeSeconds: UInt64
    let adminToken: SecretBytes?
    let metricsNeedToken: Bool
    /// When the certificates of the listeners expire, in Unix seconds.
    let certificateExpiries: [(listener: String, expiresAt: UInt64)]
    let webhooks: WebhookApps
    let subscriptions: AppSubscriptions
    let names: KnownNames
    let pushTokenLimits: [LimitRule]
    /// How long after its arrival an event is delivered.
    let eventLifeMilliseconds: UInt64

    /// Builds the snapshot of a configuration.
    /// - Throws: when OpenSSL fails.
    init(_ configuration: Configuration, metrics: ServiceMetrics) throws(CryptoError) {
        authorizer = try configuration.makeAuthorizer()
        counters = metrics.authorizeCounters(for: authorizer.applications)
        defaultLifeSeconds = configuration.defaultLifeSeconds
        adminToken = configuration.admin.token
        metricsNeedToken = configuration.admin.metricsNeedToken || !configuration.admin.isLocal
        certificateExpiries = configuration.certificateExpiries
        webhooks = try WebhookApps(configuration.apps, counters: metrics.webhookCounters)
        for app in configuration.apps { metrics.pushTokenCounters.expect(app: app.id) }
        subscriptions = AppSubscriptions(configuration)
        names = KnownNames(configuration)
        pushTokenLimits = configuration.pushTokens.limits
        eventLifeMilliseconds = UInt64(configuration.deliveries.expireAfterSeconds) * 1000
    }
}

/// The snapshot in force.
///
/// The lock is held to copy one reference and never longer, by readers and by the reload alike; everything is built before.
final class LiveStateHolder: Sendable {
    private let state: Monitor<LiveState>

    init(_ state: LiveState) {
        self.state = Monitor(state)
    }

    var current: LiveState {
        state.withLock { $0 }
    }

    func replace(with next: LiveState) {
        var previous = next
        state.withLock { swap(&$0, &previous) }
        // What has been replaced is let go here, after the lock: freeing thousands of keys takes its time.
    }
}
