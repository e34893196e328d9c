import Core
import Observability
import Postgres
import Storage
import TestSupport
import Testing
import Threading
import Time

/// Two replicas on one database under load, with a fault that a test causes.
final class Scene {
    /// The number of calls that each replica accepts before the fault, and again before the load ends.
    private static let callsBetween = 40

    let replicas: [Replica]
    private let log: TestLog
    private let place: PostgresSchemaFixture
    private let ports: [UInt16]
    let coalescer = AcceptanceRecord()
    private let load: Load
    private let scratch: TemporaryDirectory

    /// Starts the replicas and the load, and waits until calls are accepted.
    /// - Parameters:
    ///   - addresses: of the database, one for each replica; by default the schema's own.
    ///   - ports: the ports at which the database is checked at the end; by default those of the schema's server.
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
        // After an error of the test; otherwise both have ended.
        load.stop(isInVain: true)
        for replica in replicas { replica.stop() }
    }

    /// Waits until each of the replicas accepts calls again after a fault.
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

    /// Waits until these replicas refuse all calls.
    func waitForRefusal(of refusing: [Replica]) {
        load.lightly { #expect(wait { refusing.allSatisfy { $0.refusal != nil } }, "nothing happened to the store") }
    }

    /// Waits until the log contains a text.
    func waitForLog(_ text: String) {
        #expect(wait { (try? log.text().contains(text)) == true }, "the log does not say: \(text)")
    }

    /// Waits longer than the sum of all deadlines of a store.
    private func wait(until condition: () -> Bool) -> Bool { (0..<3).contains { _ in eventually(condition) } }

    @discardableResult
    func run(_ sql: StaticString) throws -> Rows? { try place.run(Query(sql), ports: ports) }

    /// Waits until a statement returns no row.
    func waitForNone(_ sql: StaticString) {
        #expect(wait { (try? run(sql))??.isEmpty == true }, "there are rows: \(sql)")
    }

    /// Ends the load and the replicas, delivers pending deliveries, and evaluates the record.
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

    /// A delivery that waits for the end of a lease is pending, not lost.
    private func deliverTheRest() throws {
        let store = try PostgresStore(try place.settings(ports: ports))
        defer { store.close() }
        // Every lease has expired by then, and no delivery has.
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
