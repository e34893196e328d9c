internal import Time

/// How the simulators are started.
package struct SimulatorSettings: Sendable {
    /// The address, an IPv4 address of this machine.
    package var host = "127.0.0.1"
    /// The ports; what is not named is chosen by the system.
    package var ports: [SimulatedProvider: UInt16] = [:]
    /// How many threads each provider has.
    package var threads = 1
    /// Whether APNs lets a new connection have one stream only until a push with a valid provider token came, as Apple's does.
    package var startsWithOneStream = true
    /// How many streams a connection may have.
    package var streamLimit = 1000
    /// Which of APNs's environments its key is for; nil is both.
    package var apnsKeyEnvironment: SimulatedProvider?
    /// How many different provider tokens APNs takes within 20 minutes.
    package var providerTokenLimit = 3
    /// How long access tokens of FCM and HMS are valid, in seconds.
    package var accessTokenSeconds: UInt64 = 3600
    /// How many accepted pushes are kept.
    package var recordLimit = 10_000
    /// The time, in milliseconds since 1970.
    package var now: @Sendable () -> UInt64 = { SystemClock.unixMilliseconds() }
    /// Told of each accepted push, on a simulator's thread.
    package var observer: @Sendable (SimulatedPush) -> Void = { _ in }

    /// The defaults.
    package init() {}
}
