internal import Configuration
internal import Core
internal import Crypto
internal import Observability
internal import Operators
internal import Threading

/// What a reload replaces, all of it at once: an immutable snapshot.
final class LiveState: Sendable {
    let authorizer: Authorizer
    let counters: AuthorizeCounters
    /// When the certificates of the listeners expire, in Unix seconds.
    let certificateExpiries: [(listener: String, expiresAt: UInt64)]
    let webhooks: WebhookApps
    let subscriptions: AppSubscriptions
    let operators: OperatorState
    let pushTokenLimits: [LimitRule]
    /// How long after its arrival an event is delivered.
    let eventLifeMilliseconds: UInt64

    /// Builds the snapshot of a configuration.
    /// - Throws: when OpenSSL fails.
    init(_ configuration: Configuration, metrics: ServiceMetrics) throws(CryptoError) {
        authorizer = try configuration.makeAuthorizer()
        counters = metrics.authorizeCounters(for: authorizer.applications)
        certificateExpiries = configuration.certificateExpiries
        webhooks = try WebhookApps(configuration.apps, counters: metrics.webhookCounters)
        for app in configuration.apps { metrics.pushTokenCounters.expect(app: app.id) }
        subscriptions = AppSubscriptions(configuration)
        operators = OperatorState(configuration, authorizer: authorizer)
        pushTokenLimits = configuration.pushTokens.limits
        eventLifeMilliseconds = UInt64(configuration.deliveries.expireAfterSeconds) * 1000
    }
}
