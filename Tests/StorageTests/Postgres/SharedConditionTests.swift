import Core
import Postgres
import Storage
import TestSupport
import Testing
import Threading
import Time

/// Conditions that several processes on one database report.
@Suite struct SharedConditionTests {
    private static let key = OperatorCondition.Key(.queueLate, "sink")
    private let place: PostgresSchemaFixture

    init() throws {
        place = try PostgresSchemaFixture()
    }

    private func condition() -> OperatorCondition {
        OperatorCondition(Self.key, since: SystemClock.unixMilliseconds(), data: Array("{}".utf8))
    }

    private func incoming(_ number: Int) -> IncomingEvent {
        let event = condition().begun(id: UUIDv7(milliseconds: 1, number: number << 16), lifetimeMilliseconds: 100_000)
        return IncomingEvent(event, to: [Subscription(notifier: "log")])
    }

    @Test func `a condition ends when its last process reports the end`() throws {
        let stores = try (0..<2).map { _ in try place.store() }
        defer { for store in stores { store.close() } }
        #expect(try stores[0].raise(condition(), announcing: incoming(1)))
        #expect(try stores[1].raise(condition(), announcing: incoming(2)) == false)
        #expect(try stores[0].clear(Self.key, announcing: incoming(3)) == false)
        #expect(try stores[0].conditions().count == 1)
        #expect(try stores[1].clear(Self.key, announcing: incoming(4)))
        #expect(try stores[0].conditions() == [])
        #expect(try stores[0].all().count == 2)
    }

    /// A process that has stopped or was killed keeps no condition open.
    @Test(arguments: [true, false]) func `a process that has ended reports no condition`(isKilled: Bool) throws {
        let (lost, other) = (try place.store(), try place.store())
        defer { for store in [lost, other] { store.close() } }
        #expect(try lost.raise(condition(), announcing: incoming(1)))
        #expect(try other.clear(Self.key, announcing: incoming(2)) == false)
        if isKilled {
            // A replica that has long been silent takes the place of `lost`, whose heartbeats continue.
            let silentSince = Int64(SystemClock.unixMilliseconds().rawValue) - Int64(2 * Replica.deadMilliseconds)
            try place.run(
                Query("INSERT INTO replicas (id, seen_at) VALUES ('00000000-0000-7000-8000-000000000000', $1)", .int8(silentSince)),
                Query("UPDATE conditions SET holders = ARRAY['00000000-0000-7000-8000-000000000000'::uuid]"))
        } else {
            lost.close()
        }
        #expect(try other.clear(Self.key, announcing: incoming(3)))
        #expect(try other.all().count == 2)
    }

    /// Processes report one condition at the same time, repeatedly; each beginning and each end is announced by one of them.
    @Test func `a race is reported once`() throws {
        let stores = try (0..<2).map { _ in try place.store() }
        defer { for store in stores { store.close() } }
        for round in 0..<20 {
            let begun = Answers()
            onThreads(stores.count) { index in
                begun.add(try? stores[index].raise(condition(), announcing: incoming(round * 10 + index + 1)))
            }
            #expect(begun.yes == 1)
            #expect(begun.count == 2)
            let ended = Answers()
            onThreads(stores.count) { index in
                ended.add(try? stores[index].clear(Self.key, announcing: incoming(round * 10 + index + 4)))
            }
            #expect(ended.yes == 1)
            #expect(ended.count == 2)
        }
        #expect(try stores[0].all().count == 40)
    }

    /// One process reports the end while another reports the condition: it continues or begins anew.
    @Test func `a concurrent end and beginning lose nothing`() throws {
        let stores = try (0..<2).map { _ in try place.store() }
        defer { for store in stores { store.close() } }
        var expected = 0
        for round in 0..<20 {
            if try stores[0].raise(condition(), announcing: incoming(round * 10 + 1)) { expected += 1 }
            let changes = Answers()
            onThreads(2) { index in
                changes.add(
                    index == 0
                        ? try? stores[0].clear(Self.key, announcing: incoming(round * 10 + 2))
                        : try? stores[1].raise(condition(), announcing: incoming(round * 10 + 3)))
            }
            expected += changes.yes
            #expect(try stores[0].conditions().count == 1, "the second one sees it")
            #expect(try stores[1].clear(Self.key, announcing: incoming(round * 10 + 4)))
            expected += 1
        }
        #expect(try stores[0].all().count == expected)
    }
}

/// The results of several threads; nil for a failed call.
private final class Answers: Sendable {
    private let answers = Monitor<[Bool]>([])

    func add(_ answer: Bool?) { if let answer { answers.withLock { $0.append(answer) } } }

    var count: Int { answers.withLock { $0.count } }
    var yes: Int { answers.withLock { $0.count { $0 } } }
}
