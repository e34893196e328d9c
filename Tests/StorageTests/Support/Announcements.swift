import Core
import Storage
import TestSupport
import Threading
import Time

extension RegistryAudience {
    /// Tells a notifier `registry` of all apps of the tests.
    static let registry = RegistryAudience(
        (["app", "app2", "app3", "other", "a", "b"] + RandomCalls.apps).map {
            ($0, [Subscription(notifier: "registry", keepsOrder: true)])
        }, lifetimeMilliseconds: 100_000)
}

/// The same random numbers for all stores that are given the same one, each after those of the last; two that are made alike give the same.
final class SharedGenerator: RandomNumberGenerator, Sendable {
    private let generator = Monitor(SeededGenerator(seed: 9))

    func next() -> UInt64 { generator.withLock { $0.next() } }
}

/// What happened in the registry, as tests write it: what, who, which device, its token.
func announcement(_ event: Event) -> String? {
    RegistryChange.Payload(event).map { "\($0.reason?.rawValue ?? "registered") \(event.userID) \($0.deviceID) \($0.token.text)" }
}

/// The type and the token that a device had before what the event tells of; nil when it had none.
func replaced(_ event: Event) -> String? {
    RegistryChange.Payload(event)?.replaced.map { "\($0.type) \($0.text)" }
}

extension Store {
    func accept(_ incoming: IncomingEvent, completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void) {
        accept(incoming, telling: .registry, completion: completion)
    }

    func register(_ registration: Registration, completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void) {
        register(registration, telling: .registry, completion: completion)
    }

    func removeDevices(_ filter: DeviceFilter, now: UnixMilliseconds) throws(StoreError) -> Int {
        try removeDevices(filter, now: now, telling: .registry)
    }

    func removeIdleDevices(seenBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int) throws(StoreError) -> Int {
        try removeIdleDevices(seenBefore: seenBefore, now: now, limit: limit, telling: .registry)
    }

    func work(_ finished: [FinishedAttempt], _ claims: [Claim]) throws(StoreError) -> [Result<Claimed, StoreError>] {
        try work(finished, claims, telling: .registry)
    }
}
