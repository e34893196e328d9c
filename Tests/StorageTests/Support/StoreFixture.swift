import Core
import Storage
import TestSupport
import Threading
import Time

/// A test's store, closed when the fixture is released.
final class StoreFixture: Sendable {
    let store: any Store
    private let directory: TemporaryDirectory?
    private let place: PostgresSchemaFixture?

    init(_ store: any Store, in directory: TemporaryDirectory?, _ place: PostgresSchemaFixture? = nil) {
        self.store = store
        self.directory = directory
        self.place = place
    }

    deinit {
        store.close()
    }
}

extension Store {
    @discardableResult
    func take(_ incoming: IncomingEvent) throws(StoreError) -> Acceptance {
        let answer = Answer<Acceptance>()
        accept(incoming) { answer.set($0) }
        return try answer.get()
    }

    /// Accepts an event with one delivery.
    /// - Returns: the delivery as the store should return it.
    @discardableResult
    func take(_ sample: Sample) throws -> Delivery {
        _ = try take(sample.incoming())
        return sample.delivery()
    }

    /// Accepts many events in order and waits for all results: they share their commits.
    func takeAll(_ incomingEvents: some Sequence<IncomingEvent>) throws(StoreError) {
        var answers: [Answer<Acceptance>] = []
        for incoming in incomingEvents {
            let answer = Answer<Acceptance>()
            answers.append(answer)
            accept(incoming) { answer.set($0) }
        }
        for answer in answers { _ = try answer.get() }
    }

    /// Accepts many events with one delivery each.
    func takeAll(_ samples: some Sequence<Sample>) throws(StoreError) { try takeAll(samples.map { $0.incoming() }) }

    func payload(_ registration: Registration) throws(StoreError) -> Registration.Outcome {
        let answer = Answer<Registration.Outcome>()
        register(registration) { answer.set($0) }
        return try answer.get()
    }

    func finish(_ results: [FinishedAttempt]) throws(StoreError) {
        _ = try work(results, [])
    }

    func claimDue(_ claim: Claim) throws(StoreError) -> Claimed {
        try work([], [claim])[0].get()
    }

    func nextDue(notifier: String) throws(StoreError) -> UnixMilliseconds? {
        try claimDue(Claim(notifier: notifier, now: 0, leaseMilliseconds: 1, limit: 0)).nextDue
    }

    /// Claims with a lease of 1000 milliseconds.
    func claim(_ notifier: String = "log", at now: UnixMilliseconds, limit: Int = 100) throws(StoreError) -> [Delivery] {
        try claimDue(Claim(notifier: notifier, now: now, leaseMilliseconds: 1000, limit: limit)).deliveries
    }

    func report(_ delivery: Delivery, next: FinishedAttempt.Next, reason: String = "", at now: UnixMilliseconds) throws(StoreError) {
        try finish([FinishedAttempt(id: delivery.id, attempt: delivery.attempts, next: next, reason: reason, now: now)])
    }

    /// All deliveries, newest first.
    func all() throws(StoreError) -> [Delivery] {
        try deliveries(DeliveryFilter(), limit: 1_000_000)
    }

    /// The numbers of dead deliveries, ordered by the bytes of their names.
    func deadInOrder() throws(StoreError) -> [DeadDeliveries] {
        try dead().deliveries.sorted {
            (ByteKey($0.notifier), ByteKey($0.appID), ByteKey($0.reason)) < (ByteKey($1.notifier), ByteKey($1.appID), ByteKey($1.reason))
        }
    }

    func current(_ delivery: Delivery) throws -> Delivery? {
        try story(of: delivery.id)?.delivery
    }
}

final class Answer<Value: Sendable>: Sendable {
    private let result = Monitor<Result<Value, StoreError>?>(nil)

    func set(_ result: Result<Value, StoreError>) { self.result.update { $0 = result } }

    func get() throws(StoreError) -> Value {
        try (result.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 } ?? .failure(StoreError(.unavailable, "no answer"))).get()
    }
}
