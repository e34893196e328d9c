import Core
import Postgres
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import Dispatch

@Suite struct DispatcherSharedPauseTests {
    private let place: PostgresSchemaFixture
    /// The notifier of the process that discovers the pause.
    private let own = DeliveryNotifier(.gone, probeIntervalMilliseconds: 600_000)
    private let others = DeliveryNotifier(.arrived, probeIntervalMilliseconds: 600_000)

    init() throws {
        place = try PostgresSchemaFixture()
    }

    /// Two processes. The first one's notifier was refused, and the second one has adopted the pause.
    private func replicas() throws -> (first: DispatcherReplica, second: DispatcherReplica) {
        let first = try DispatcherReplica(place, ["log": own])
        first.accept(1, for: "log")
        #expect(eventually { first.paused == ["log": "gone"] })
        // The first process shows the pause before it stores it.
        #expect(eventually { isPauseStored })
        let second = try DispatcherReplica(place, ["log": others, "z": DeliveryNotifier(.arrived)])
        #expect(eventually { second.paused == ["log": "gone"] })
        return (first, second)
    }

    /// Whether the database has the pause; a process that starts reads it from there.
    private var isPauseStored: Bool {
        (try? place.run(Query("SELECT FROM pauses WHERE notifier = 'log' AND kind = 'misconfigured'")))?.count == 1
    }

    private func isDelivered(_ number: Int, in replica: DispatcherReplica) -> Bool {
        eventually { (try? replica.store.story(of: DeliveryFixture.id(number)))?.delivery.state == .delivered }
    }

    @Test func `a rejected credential pauses all processes and a reload of any resumes all`() throws {
        let (first, second) = try replicas()
        first.accept(2, for: "log")
        second.accept(3, for: "log")
        // The lanes of a pass claim together, so the other notifier has been called by then.
        second.accept(4, for: "z")
        #expect(isDelivered(4, in: second))
        #expect(others.started.isEmpty && own.started.count == 1, "nobody burns tries")
        #expect(try second.log.lines().contains { $0.contains("another process has paused a notifier") })
        own.answer(.arrived)
        second.reload()
        for number in 1...3 { #expect(isDelivered(number, in: first)) }
        #expect(eventually { first.paused.isEmpty && second.paused.isEmpty })
    }

    @Test func `the process that discovered the pause resumes the others`() throws {
        let (first, second) = try replicas()
        own.answer(.arrived)
        first.reload()
        #expect(isDelivered(1, in: second))
        #expect(eventually { first.paused.isEmpty && second.paused.isEmpty })
    }

    @Test func `a process that starts finds the notifier paused`() throws {
        let (first, second) = try replicas()
        first.stop()
        second.stop()
        let third = try DispatcherReplica(place, ["log": others])
        #expect(eventually { third.paused == ["log": "gone"] })
        #expect(others.started.isEmpty)
    }

    @Test func `a response that throttles slows down all processes`() throws {
        own.answer(.later(600_000, requestsBackoff: true))
        let first = try DispatcherReplica(place, ["log": own])
        first.accept(1, for: "log")
        #expect(own.waitForTries(1))
        #expect(eventually { (try? first.store.story(of: DeliveryFixture.id(1)))?.delivery.reason == "later" })
        let second = try DispatcherReplica(place, ["log": others, "z": DeliveryNotifier(.arrived)])
        #expect(eventually { second.inbox.withLock { $0.health["log"]?.status } == .failing })
        second.accept(2, for: "log")
        second.accept(3, for: "z")
        #expect(isDelivered(3, in: second))
        #expect(others.started.isEmpty)
    }
}
