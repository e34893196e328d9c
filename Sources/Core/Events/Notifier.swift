package import Time

/// Delivers events to one destination, such as a push provider, the company's backend or the log.
///
/// A notifier makes a single attempt. The dispatcher decides when the next one is due, and the store keeps the delivery meanwhile, so a
/// notifier holds no state that must survive. All its methods may be called on any thread, `deliver` up to `concurrency` times at once.
///
///     struct ConsoleNotifier: Notifier {
///         let preservesTicketOrder = true
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
    /// Whether the deliveries of one ticket must be attempted one after the other, in the order of acceptance.
    var preservesTicketOrder: Bool { get }
    /// The most attempts that run at once.
    var concurrency: Int { get }
    var retryPolicy: RetryPolicy { get }
    /// The longest attempt. If a process ends during an attempt, the next attempt waits a little longer than this.
    var longestAttemptMilliseconds: UInt64 { get }
    /// The time after a `misconfigured` outcome until one delivery is attempted, to find out whether the receiver was repaired; nil: only a
    /// reload resumes deliveries.
    var probeIntervalMilliseconds: UInt64? { get }
    /// The most calls to the receiver about one person or one device; at most one rule per scope. Only the calls that `RateLimitedCall`
    /// describes are counted, and the notifier must make no others.
    var rateLimits: [OutboundRateLimit] { get }

    /// The server that receives the attempt's trace with each request; nil: requests carry no trace.
    var tracedServer: ServerAddress? { get }

    /// Returns the remedy, the end of a sentence, for an outcome with this reason that is `misconfigured` or has a `settingsFault`.
    func remedy(for reason: String) -> String

    /// Makes one attempt, which the notifier itself limits in time.
    /// - Parameter completion: called exactly once, on any thread, and must not block.
    func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void)
}

extension Notifier {
    /// The longest that can be configured.
    package var longestAttemptMilliseconds: UInt64 { 120_000 }
    package var probeIntervalMilliseconds: UInt64? { nil }
    package var tracedServer: ServerAddress? { nil }
    package var rateLimits: [OutboundRateLimit] { [] }
    /// For notifiers without settings.
    package func remedy(for reason: String) -> String { "look at the log" }
}

package struct DeliveryOutcome: Sendable, Equatable {
    package enum Verdict: Sendable, Equatable {
        case delivered
        /// A later attempt may succeed.
        /// - Parameter retryAfterMilliseconds: the delay that the receiver requested, if any.
        case retry(retryAfterMilliseconds: UInt64?)
        /// No attempt can succeed.
        case dead
        /// No attempt can succeed, because the device no longer uses this push token.
        /// - Parameter since: the time from which on that holds, if the provider reports one; a token registered later stays valid.
        case deviceGone(since: UnixMilliseconds?)
        /// No delivery of this notifier can succeed until an operator changes the configuration. Pending deliveries stay.
        case misconfigured
    }

    /// The reason for an operator to check the notifier's settings although the outcome does not pause it.
    package enum SettingsFault: Sendable, Equatable {
        /// The receiver responds about this device as it would about every device if the settings were those of another app.
        case possible
        /// The receiver lacks what this type of device requires, and can reach the other types.
        case ofDeviceType
        /// The receiver rejects the credential of one app, and may accept those of others.
        case ofApp
    }

    package let verdict: Verdict
    /// A stable word for metrics and operators, such as `status_503`; never text that the receiver wrote.
    package let reason: String
    /// Whether attempts pause for a while: the receiver requested fewer, or responded 502 or 504.
    package let requestsBackoff: Bool
    /// Whether the outcome concerns only this device and says nothing about the receiver's health, so that other deliveries may start now.
    package let isAboutDevice: Bool
    /// Whether the receiver was called. An outcome without a call, such as for a superseded event, says nothing about its health.
    package let calledReceiver: Bool
    /// Whether the call may have reached the receiver. A call that has not is not counted towards `rateLimits`.
    package let mayHaveArrived: Bool
    /// The provider's environment that accepted the token, to be stored with the device; nil when the device's record already has it.
    package let environment: String?
    /// Whether the receiver works and only requests fewer attempts, which is no failure. A proxy responds 502 or 504 if it is down.
    package var isThrottled: Bool { requestsBackoff && status.map { $0 < 500 } ?? true }
    /// nil: nothing is doubtful, or the verdict is `misconfigured`.
    package let settingsFault: SettingsFault?
    /// The status of the only response; nil when there was none or there were several.
    package let status: Int?

    package init(
        _ verdict: Verdict, reason: String, requestsBackoff: Bool = false, isAboutDevice: Bool = false, calledReceiver: Bool = true,
        mayHaveArrived: Bool = true,
        environment: String? = nil, settingsFault: SettingsFault? = nil, status: Int? = nil
    ) {
        self.verdict = verdict
        self.reason = reason
        self.requestsBackoff = requestsBackoff
        self.isAboutDevice = isAboutDevice
        self.calledReceiver = calledReceiver
        self.mayHaveArrived = calledReceiver && mayHaveArrived
        self.environment = environment
        self.settingsFault = settingsFault
        self.status = status
    }
}
