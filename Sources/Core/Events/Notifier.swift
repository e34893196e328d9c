package import Time

/// Delivers events to one destination, such as a push provider, the company's backend or the log.
///
/// A notifier makes a single attempt. The dispatcher decides when the next one is due, and the store keeps the delivery meanwhile, so a
/// notifier holds no state that must survive. All its methods may be called on any thread, `deliver` up to `concurrency` times at once.
///
///     struct ConsoleNotifier: Notifier {
///         let keepsTicketOrder = true
///         let concurrency = 1
///         let retryPolicy = RetryPolicy.webhook
///
///         func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
///             print(delivery.event.kind.rawValue, delivery.event.id)
///             completion(DeliveryOutcome(.delivered, reason: "printed"))
///         }
///     }
///
/// An outcome that may succeed later is `retry`, one that never can is `dead`, and one that needs a change of the configuration is
/// `misconfigured`, which pauses the notifier. A new type of notifier is also added to the configuration; `CONTRIBUTING.md` lists the
/// steps.
package protocol Notifier: Sendable {
    /// Whether the deliveries of one ticket must be tried one after the other, in the order of their acceptance.
    var keepsTicketOrder: Bool { get }
    /// The maximum number of concurrent attempts.
    var concurrency: Int { get }
    /// The delays between attempts.
    var retryPolicy: RetryPolicy { get }
    /// The maximum length of an attempt in milliseconds. It bounds the lease: after a crash, the next attempt waits a little longer than
    /// that.
    var longestAttemptMilliseconds: UInt64 { get }
    /// Milliseconds after `misconfigured` until one delivery probes whether the other side was repaired; nil waits for a reload.
    var probeAfterMilliseconds: UInt64? { get }
    /// The limits of calls to the receiver about one person or one device; at most one for each scope. `RateLimitedCall` names the calls
    /// that count; the notifier must make no others.
    var rateLimits: [OutboundRateLimit] { get }

    /// The server that it calls, if its requests carry the attempt's trace on; nil when they do not.
    var tracedServer: ServerAddress? { get }

    /// The operator's remedy when an outcome with this reason is `misconfigured` or has a `settingsFault`: the end of a sentence.
    func remedy(for reason: String) -> String

    /// Attempts one delivery.
    /// - Parameter completion: called exactly once, on any thread, and must not block. A notifier bounds its own time.
    func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void)
}

extension Notifier {
    package var longestAttemptMilliseconds: UInt64 { 120_000 }
    package var probeAfterMilliseconds: UInt64? { nil }
    package var tracedServer: ServerAddress? { nil }
    /// By default unlimited.
    package var rateLimits: [OutboundRateLimit] { [] }
    package func remedy(for reason: String) -> String { "look at the log" }
}

package struct DeliveryOutcome: Sendable, Equatable {
    package enum Verdict: Sendable, Equatable {
        case delivered
        /// It may arrive later.
        /// - Parameter retryAfterMilliseconds: how long the receiver asked to be left alone, if it did.
        case retry(retryAfterMilliseconds: UInt64?)
        /// It can never arrive: trying again would not help.
        case dead
        /// It can never arrive, because this token is no longer valid for the device.
        /// - Parameter since: the time from which it is invalid, if the provider reported it: a token registered later may be valid.
        case deviceGone(since: UnixMilliseconds?)
        /// Nothing can arrive through this notifier until the configuration is changed; pending deliveries are kept.
        case misconfigured
    }

    /// The reason why an operator should check the notifier's settings although the outcome does not pause it.
    package enum SettingsFault: Sendable, Equatable {
        /// The receiver's words for this device are the same as for any device while the settings are those of another app.
        case possible
        /// The receiver lacks what it needs for this type of device, and can reach the others.
        case ofDeviceType
        /// The receiver refuses the credential of one app, and may take those of others.
        case ofApp
    }

    package let verdict: Verdict
    /// A stable word for metrics and people, such as `status_503`; never the receiver's own text.
    package let reason: String
    /// Whether attempts rest for a while: the receiver asked for less, or answered 502 or 504.
    package let slowsDown: Bool
    /// Whether it is about this one device and says nothing of the receiver's health: what comes later may come for others now.
    package let isAboutDevice: Bool
    /// Whether the receiver was called: an outcome without a call, such as a superseded event, shows nothing of its health.
    package let wasAsked: Bool
    /// Whether the call may have reached the receiver; one that has not does not count towards the notifier's pace.
    package let mayHaveArrived: Bool
    /// The provider's environment that accepted the token, to be stored with a device whose record lacks it.
    package let environment: String?
    /// Whether the receiver works and only wants fewer attempts, which is no failure. A proxy answers 502 or 504 for a receiver that is
    /// down.
    package var asksForLess: Bool { slowsDown && status.map { $0 < 500 } ?? true }
    /// The doubt about the notifier's settings; nil for none, or when the verdict is `misconfigured`.
    package let settingsFault: SettingsFault?
    /// The status of the one response that it follows from; nil when there was none, or when it follows from several.
    package let status: Int?

    package init(
        _ verdict: Verdict, reason: String, slowsDown: Bool = false, isAboutDevice: Bool = false, wasAsked: Bool = true,
        mayHaveArrived: Bool = true,
        environment: String? = nil, settingsFault: SettingsFault? = nil, status: Int? = nil
    ) {
        self.verdict = verdict
        self.reason = reason
        self.slowsDown = slowsDown
        self.isAboutDevice = isAboutDevice
        self.wasAsked = wasAsked
        self.mayHaveArrived = wasAsked && mayHaveArrived
        self.environment = environment
        self.settingsFault = settingsFault
        self.status = status
    }
}
