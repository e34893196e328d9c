package import Time

/// Delivers events to one destination, such as a push provider, the company's backend or the log.
///
/// A notifier makes a single attempt. The dispatcher decides when the next attempt is due, and the store keeps the delivery meanwhile, so a
/// notifier needs no persistent state. All methods may be called on any thread, and `deliver` up to `concurrency` times at once.
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
/// The outcome is `retry` if a later attempt may succeed, `dead` if no attempt can succeed, and `misconfigured` if the configuration must
/// be changed, which pauses the notifier. A new notifier type must also be added to the configuration; `CONTRIBUTING.md` lists the steps.
package protocol Notifier: Sendable {
    /// Whether the deliveries of one ticket must be attempted one after the other, in the order of acceptance.
    var preservesTicketOrder: Bool { get }
    /// The maximum number of concurrent attempts.
    var concurrency: Int { get }
    var retryPolicy: RetryPolicy { get }
    /// The maximum duration of an attempt. If a process ends during an attempt, the next attempt is delayed by slightly more than this.
    var longestAttemptMilliseconds: UInt64 { get }
    /// The time after a `misconfigured` outcome until one delivery is attempted as a probe, to detect whether the receiver works again; nil
    /// if only a reload resumes deliveries.
    var probeIntervalMilliseconds: UInt64? { get }
    /// The limits of calls to the receiver per person or device, with at most one rule per scope. Only calls that `RateLimitedCall`
    /// describes are counted, and the notifier must make no other calls.
    var rateLimits: [OutboundRateLimit] { get }

    /// The server that receives the trace context with each request; nil if requests contain no trace context.
    var tracedServer: ServerAddress? { get }

    /// Returns the remedy, as the end of a sentence, for a reason whose outcome is `misconfigured` or has a `settingsFault`.
    func remedy(for reason: String) -> String

    /// Makes one attempt. The notifier must limit its duration.
    /// - Parameter completion: called exactly once, on any thread, and must not block.
    func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void)
}

extension Notifier {
    /// The largest configurable timeout.
    package var longestAttemptMilliseconds: UInt64 { 120_000 }
    package var probeIntervalMilliseconds: UInt64? { nil }
    package var tracedServer: ServerAddress? { nil }
    package var rateLimits: [OutboundRateLimit] { [] }
    /// The default for notifiers without settings.
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
        /// - Parameter since: the time since which the token is invalid, if the provider reports one. A token registered later is valid.
        case deviceGone(since: UnixMilliseconds?)
        /// No delivery of this notifier can succeed until an operator changes the configuration. Deliveries stay pending.
        case misconfigured
    }

    /// The reason why an operator should check the notifier's settings, although the outcome does not pause the notifier.
    package enum SettingsFault: Sendable, Equatable {
        /// The receiver's response concerns one device, but would be the same for every device if the settings belonged to another app.
        case possible
        /// The receiver lacks a credential or setting for this type of device, but can reach the other types.
        case ofDeviceType
        /// The receiver rejects the credential of one app, but may accept the credentials of other apps.
        case ofApp
    }

    package let verdict: Verdict
    /// A stable identifier for metrics and operators, such as `status_503`; never text from the receiver.
    package let reason: String
    /// Whether attempts pause for a while, because the receiver requested fewer requests, or responded 502 or 504.
    package let requestsBackoff: Bool
    /// Whether the outcome concerns only this device and not the health of the receiver, so that other deliveries may start now.
    package let isAboutDevice: Bool
    /// Whether the receiver was called. An outcome without a call, such as for a superseded event, is no evidence of the receiver's health.
    package let calledReceiver: Bool
    /// Whether the call may have reached the receiver. Otherwise the call is not counted toward `rateLimits`.
    package let mayHaveArrived: Bool
    /// The provider's environment that accepted the token, to be stored with the device; nil when the device's record already has it.
    package let environment: String?
    /// Whether the receiver works and only requests fewer attempts, which is not a failure. A response with 502 or 504 is excluded, because
    /// a proxy sends these statuses when the receiver is down.
    package var isThrottled: Bool { requestsBackoff && status.map { $0 < 500 } ?? true }
    /// The doubt about the settings; nil when there is none, or the verdict is `misconfigured`.
    package let settingsFault: SettingsFault?
    /// The status of the response; nil when there was no response or more than one.
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
