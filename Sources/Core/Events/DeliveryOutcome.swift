package import Time

/// What came of one try: all that a notifier has to say.
package struct DeliveryOutcome: Sendable, Equatable {
    /// What follows from it.
    package enum Verdict: Sendable, Equatable {
        /// It has arrived.
        case delivered
        /// It may arrive later.
        /// - Parameter retryAfterMilliseconds: how long the receiver asked to be left alone, if it did.
        case retry(retryAfterMilliseconds: UInt64?)
        /// It can never arrive: trying again would not help.
        case dead
        /// It can never arrive, as the device has no use for what is sent to this token any more.
        /// - Parameter since: from when on, if the provider has said so: a token registered later is another matter.
        case deviceGone(since: UnixMilliseconds?)
        /// Nothing can arrive through this notifier until somebody changes the configuration, which keeps everything that waits.
        case misconfigured
    }

    /// Why an operator should check the notifier's settings although the outcome does not pause it.
    package enum SettingsFault: Sendable, Equatable {
        /// The receiver's words for this device are the same as for any device while the settings are those of another app.
        case possible
        /// The receiver lacks what it needs for this type of device, and can reach the others.
        case ofDeviceType
    }

    /// What follows.
    package let verdict: Verdict
    /// Why, in a stable word for metrics and people, such as `status_503`; never anything that the receiver wrote.
    package let reason: String
    /// Whether the receiver asked for less: 429, 502 or 504.
    package let slowsDown: Bool
    /// Whether it is about this one device and says nothing of the receiver's health: what comes later may come for others now.
    package let isAboutDevice: Bool
    /// Whether the receiver was asked: what is decided without it, such as that a delivery comes too early, shows nothing of its health.
    package let wasAsked: Bool
    /// Which of the provider's environments has taken the token, when the device's record does not say so yet: to be remembered there.
    package let environment: String?
    /// What is doubtful about the notifier's settings; nil when nothing is, or when the verdict is `misconfigured`.
    package let settingsFault: SettingsFault?

    /// Makes an outcome.
    package init(
        _ verdict: Verdict, reason: String, slowsDown: Bool = false, isAboutDevice: Bool = false, wasAsked: Bool = true,
        environment: String? = nil, settingsFault: SettingsFault? = nil
    ) {
        self.verdict = verdict
        self.reason = reason
        self.slowsDown = slowsDown
        self.isAboutDevice = isAboutDevice
        self.wasAsked = wasAsked
        self.environment = environment
        self.settingsFault = settingsFault
    }
}
