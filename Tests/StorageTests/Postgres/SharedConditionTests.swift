import Core
import Postgres
import Storage
import TestSupport
import Testing
import Threading
import Time

/// Conditions that several processes on one database see.
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

    @Test func `it ends with the last who sees it`() throws {
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

    /// One that has gone, in whatever way, keeps nothing open.
    @Test(arguments: [true, false]) func `who is gone sees nothing`(isKilled: Bool) throws {
        let (lost, other) = (try place.store(), try place.store())
        defer { for store in [lost, other] { store.close() } }
        #expect(try lost.raise(condition(), announcing: incoming(1)))
        #expect(try other.clear(Self.key, announcing: incoming(2)) == false)
        if isKilled {
            // A replica that has been silent for long takes the place of `lost`, whose heartbeats go on.
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

    /// They see one condition at the same moment, again and again: each beginning and each end is told by one of them.
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

    /// One says that it is over while the other says that it is there: it lasts, or has begun anew.
    @Test func `an end that meets a beginning loses nothing`() throws {
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

/// What several threads were answered; nil where a call failed.
private final class Answers: Sendable {
    private let answers = Monitor<[Bool]>([])

    func add(_ answer: Bool?) { if let answer { answers.withLock { $0.append(answer) } } }

    var count: Int { answers.withLock { $0.count } }
    var yes: Int { answers.withLock { $0.count { $0 } } }
}
