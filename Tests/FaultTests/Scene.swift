import Core
import Observability
import Postgres
import Storage
import TestSupport
import Testing
import Threading
import Time

/// Two replicas on one database under load, to which a test does something.
final class Scene {
    /// How many calls each replica takes before something happens, and again before the load ends.
    private static let callsBetween = 40

    let replicas: [Replica]
    private let log: TestLog
    private let place: PostgresSchemaFixture
    private let ports: [UInt16]
    let coalescer = AcceptanceRecord()
    private let load: Load
    private let scratch: TemporaryDirectory

    /// Starts replicas and load, and waits until it flows.
    /// - Parameters:
    ///   - addresses: of the database, one a replica; by default the place's own.
    ///   - ports: where the database is looked at in the end; by default the place's server.
    init(_ place: PostgresSchemaFixture, _ addresses: [ConnectionSettings] = [], ports: [UInt16] = []) throws {
        (self.place, self.ports) = (place, ports)
        scratch = try TemporaryDirectory()
        let log = try TestLog(in: scratch, level: .info)
        self.log = log
        let addresses = addresses.isEmpty ? Array(repeating: try place.settings(ports: ports), count: 2) : addresses
        let notifier = RecordingNotifier(coalescer)
        replicas = try addresses.map { try Replica($0, notifier: notifier, logger: log.logger) }
        load = Load(on: replicas, coalescer)
        #expect(coalescer.waitForMore(Self.callsBetween, by: Array(replicas.indices)), "the load does not flow")
    }

    deinit {
        // When the test has thrown; otherwise both have ended.
        load.stop(isInVain: true)
        for replica in replicas { replica.stop() }
    }

    /// Waits until each replica takes calls again, or each of these, as nothing keeps them from it any more.
    /// - Returns: false when they do not.
    @discardableResult
    func waitForCalls(of indexes: [Int]? = nil) -> Bool {
        let start = SystemClock.monotonicMilliseconds()
        let indexes = indexes ?? Array(replicas.indices)
        let areTaken = coalescer.waitForMore(Self.callsBetween, by: indexes)
        #expect(areTaken, "calls are not taken again")
        coalescer.noteAccepting(afterMilliseconds: SystemClock.monotonicMilliseconds().elapsed(since: start))
        return areTaken
    }

    /// Waits until some replicas refuse everything.
    func waitForRefusal(of refusing: [Replica]) {
        load.lightly { #expect(wait { refusing.allSatisfy { $0.refusal != nil } }, "nothing happened to the store") }
    }

    /// Waits until the log says something.
    func waitForLog(_ text: String) {
        #expect(wait { (try? log.text().contains(text)) == true }, "the log does not say: \(text)")
    }

    /// Waits longer than all deadlines of a store together.
    private func wait(until condition: () -> Bool) -> Bool { (0..<3).contains { _ in eventually(condition) } }

    @discardableResult
    func run(_ sql: StaticString) throws -> Rows? { try place.run(Query(sql), ports: ports) }

    /// Waits until a statement finds no row.
    func waitForNone(_ sql: StaticString) {
        #expect(wait { (try? run(sql))??.isEmpty == true }, "there are rows: \(sql)")
    }

    /// Ends load and replicas, delivers what is pending, and judges.
    func end() throws -> Verdict {
        load.stop(isInVain: !waitForCalls())
        for replica in replicas { replica.stop() }
        try deliverTheRest()
        let left = try run(
            """
            SELECT (SELECT coalesce(sum(pending), 0) FROM depth)::bigint, (SELECT count(*) FROM order_heads),
                count(*) FILTER (WHERE state = 0),
                (SELECT coalesce(sum(count), 0) FROM dead_counts)::bigint - count(*) FILTER (WHERE state = 2)
            FROM deliveries
            """
        )
        if let counts = try left?.one() {
            for (column, name) in ["counted deliveries", "orders", "pending deliveries", "miscounted dead deliveries"].enumerated()
            where try counts.int64(column) != 0 {
                coalescer.note(.broken("\(try counts.int64(column)) \(name) were left"))
            }
        }
        return Verdict(coalescer.everything)
    }

    /// What waits for the end of a lease is pending, and not lost.
    private func deliverTheRest() throws {
        let store = try PostgresStore(try place.settings(ports: ports))
        defer { store.close() }
        // Every lease has ended by then, and nothing has expired.
        let later = SystemClock.unixMilliseconds() + 3 * 3_600_000
        var finished: [FinishedAttempt] = []
        repeat {
            let claim = Claim(notifier: Load.notifier, now: later, leaseMilliseconds: 60_000, limit: 500)
            let claimed = try store.work(finished, [claim], telling: .nobody)[0].get()
            for delivery in claimed.deliveries { coalescer.note(delivery) }
            finished = claimed.deliveries.map {
                FinishedAttempt(id: $0.id, attempt: $0.attempts, next: .delivered, reason: "arrived", now: later)
            }
        } while !finished.isEmpty
    }
}
