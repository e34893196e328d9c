import Core
import Storage
import TestSupport
import Threading
import Time

extension RegistryAudience {
    /// Announces the changes of all tests' apps to a notifier `registry`.
    static let registry = RegistryAudience(
        (["app", "app2", "app3", "other", "a", "b"] + RandomCalls.apps).map {
            ($0, [Subscription(notifier: "registry", keepsOrder: true)])
        }, lifetimeMilliseconds: 100_000)
}

/// A seeded generator that several stores share; two generators with the same seed return the same numbers.
final class SharedGenerator: RandomNumberGenerator, Sendable {
    private let generator = Monitor(SeededGenerator(seed: 9))

    func next() -> UInt64 { generator.withLock { $0.next() } }
}

/// An event of the registry as tests write it: the kind, the person, the device, its token.
func announcement(_ event: Event) -> String? {
    RegistryChange.Payload(event).map { "\($0.reason?.rawValue ?? "registered") \(event.userID) \($0.deviceID) \($0.token.text)" }
}

/// The type and the token that a device had before the event; nil when it had none.
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
