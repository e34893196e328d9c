import Core
import JSON
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct OperatorWatchTests {
    private static let paused = ["operator.notifier_paused > log", "operator.notifier_paused > pager"]
    private static let recovered = ["operator.notifier_recovered > log", "operator.notifier_recovered > pager"]

    @Test func `a notifier is paused and recovers`() throws {
        let fixture = try WatchFixture()
        fixture.pass(60)
        #expect(try fixture.reported() == [])
        fixture.set("sink", .open)
        fixture.pass(60)
        #expect(try fixture.reported() == [])
        fixture.pass(5)
        #expect(try fixture.reported() == Self.paused)
        #expect(try fixture.last("notifier") == "sink")
        #expect(try fixture.last("reason") == "status_401")
        #expect(try fixture.last("explanation")?.text?.isEmpty == false)
        #expect(try fixture.last("remedy")?.text?.isEmpty == false)
        #expect(try fixture.last("waiting") == 0)
        #expect(try fixture.last("since") == "2026-03-10T08:17:17.000Z")
        fixture.pass(600)
        #expect(try fixture.reported() == [])
        fixture.set("sink", .working, successes: 1)
        fixture.pass(300)
        #expect(try fixture.reported() == [])
        fixture.pass(5)
        #expect(try fixture.reported() == Self.recovered)
        #expect(try fixture.last("ended_because") == "resolved")
        #expect(try fixture.last("reason") == "status_401")
        fixture.pass(3600)
        #expect(try fixture.reported() == [])
        let lines = try fixture.log.lines()
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("WARN  a condition has begun condition=notifier_paused subject=sink remedy=") == true)
        #expect(lines.last == "INFO  a condition has ended condition=notifier_paused subject=sink")
    }

    /// After a restart nothing is paused until the first attempt has failed again, and nothing is reported twice.
    @Test func `a restart in between causes no report`() throws {
        let fixture = try WatchFixture()
        fixture.set("sink", .paused, reason: "status_410")
        fixture.pass(65)
        #expect(try fixture.reported() == Self.paused)
        try fixture.queue(1, for: "sink")
        try fixture.restart()
        fixture.pass(1200)
        fixture.set("sink", .paused, reason: "status_410")
        fixture.pass(1200)
        #expect(try fixture.reported() == [])
        try fixture.restart()
        fixture.set("sink", .working, successes: 1)
        fixture.pass(305)
        #expect(try fixture.reported() == Self.recovered)
    }

    @Test func `a problem that ended while no process ran is reported`() throws {
        let fixture = try WatchFixture()
        fixture.set("sink", .open)
        fixture.pass(65)
        #expect(try fixture.reported() == Self.paused)
        fixture.sleep(3600)
        try fixture.restart()
        fixture.pass(5)
        try fixture.reload(notifiers: ["log", "pager"])
        fixture.pass(5)
        #expect(try fixture.reported() == Self.recovered)
        #expect(try fixture.last("ended_because") == "removed")
    }

    @Test func `a notifier gets no report about itself`() throws {
        let fixture = try WatchFixture()
        fixture.set("pager", .open)
        fixture.pass(65)
        #expect(try fixture.reported(delivering: false) == ["operator.notifier_paused > log"])
        fixture.set("log", .open)
        fixture.pass(65)
        #expect(try fixture.reported(delivering: false) == ["operator.notifier_paused > pager"])
        fixture.sleep(43_200)
        fixture.pass(10)
        // The pager's queue is late then. The log gets one report of that, and so on for the log.
        let late = try fixture.reported(delivering: false)
        #expect(late == ["operator.queue_late began > log", "operator.queue_late began > pager"])
        fixture.sleep(43_200)
        fixture.pass(60)
        #expect(try fixture.reported(delivering: false) == [])
    }

    @Test func `the only notifier gets no report while it is paused`() throws {
        let fixture = try WatchFixture(#""notifiers":["pager"]"#)
        fixture.set("pager", .open)
        fixture.pass(65)
        #expect(try fixture.reported() == [])
        #expect(try fixture.store.conditions().map(\.key) == [.init(.notifierPaused, "pager")])
        fixture.set("pager", .working, successes: 1)
        fixture.pass(305)
        #expect(try fixture.reported() == [])
        #expect(try fixture.store.conditions() == [])
    }

    @Test func `a queue is late`() throws {
        let fixture = try WatchFixture()
        try fixture.queue(12, for: "sink")
        fixture.pass(900)
        #expect(try fixture.reported() == [])
        fixture.pass(5)
        #expect(try fixture.reported() == ["operator.queue_late began > log", "operator.queue_late began > pager"])
        #expect(try fixture.last("waiting") == 12)
        #expect(try fixture.last("oldest_seconds") == 905)
        let text = "sink is late. 12 deliveries wait for it, the oldest for 15 minutes."
        #expect(try fixture.last("text")?.text == text)
        #expect(try fixture.last("remedy")?.text?.contains("raise notifiers.sink.concurrency and run deskgate reload") == true)
        let begun = try fixture.log.lines().filter { $0.contains("a condition has begun condition=queue_late subject=sink") }
        #expect(begun.count == 1)
        #expect(begun.first?.contains("text=\"\(text)\" remedy=\"See whether attempts fail: ") == true, "\(begun)")
        fixture.pass(900)
        _ = try fixture.store.giveUpPending(notifier: "sink", now: 0, limit: 1000)
        fixture.pass(5)
        #expect(try fixture.reported() == ["operator.queue_late ended > log", "operator.queue_late ended > pager"])
    }

    /// A request for problems must not wait for the store, even if no notifier reports events to operators.
    @Test(arguments: [#""notifiers":["pager"]"#, ""]) func `dead deliveries are a problem until they are gone`(_ operators: String) throws {
        let fixture = try WatchFixture()
        try fixture.restart(operators)
        try fixture.queue(3, for: "sink")
        fixture.pass(5)
        #expect(fixture.facts.facts.dead.isEmpty)
        _ = try fixture.store.giveUpPending(notifier: "sink", now: WatchFixture.start.milliseconds, limit: 1000)
        fixture.pass(5)
        #expect(fixture.facts.facts.dead.map(\.count) == [3])
        _ = try fixture.store.forget(.dead, endedBefore: .max, limit: 1000)
        fixture.pass(5)
        #expect(fixture.facts.facts.dead.isEmpty)
    }

    private static func problem(_ state: String) -> [String] {
        ["operator.problem \(state) > log", "operator.problem \(state) > pager"]
    }

    @Test func `a problem is reported again after it was absent for a while`() throws {
        let fixture = try WatchFixture()
        fixture.show(["unknown_app"])
        fixture.pass(5)
        #expect(try fixture.reported() == Self.problem("began"))
        #expect(try fixture.last("kind") == "unknown_app")
        fixture.show([])
        fixture.pass(295)
        fixture.show(["unknown_app"])
        fixture.pass(5)
        fixture.show([])
        fixture.pass(295)
        #expect(try fixture.reported() == [], "it comes and goes")
        fixture.pass(5)
        #expect(try fixture.reported() == Self.problem("ended"))
        #expect(try fixture.last("ended_because") == "resolved")
    }

    /// With the text and the remedy, for any notifiers, and also while the store is unavailable.
    @Test(arguments: [(true, #""notifiers":["pager","log"]"#), (false, #""notifiers":["pager","log"]"#), (true, ""), (false, "")])
    func `the log has a line when a problem begins again after a while`(_ hasEvent: Bool, _ operators: String) throws {
        let fixture = try WatchFixture(operators)
        let begun = #"WARN  a problem has begun problem="backend_open shop" text="It is wrong." remedy="Mend it.""#
        fixture.show(["backend_open shop"], hasEvent: hasEvent)
        fixture.pass(600)
        #expect(try fixture.log.lines() == [begun])
        fixture.show([])
        fixture.pass(295)
        #expect(try fixture.log.lines() == [begun], "it may come and go")
        fixture.pass(5)
        #expect(try fixture.log.lines() == [begun, #"WARN  a problem has ended problem="backend_open shop""#])
        fixture.store.close()
        fixture.show(["store"], hasEvent: hasEvent)
        fixture.pass(60)
        #expect(try fixture.log.lines().last == #"WARN  a problem has begun problem=store text="It is wrong." remedy="Mend it.""#)
        #expect(try fixture.log.lines().count == 3)
    }

    @Test func `a disk that hangs does not keep a problem out of the log`() throws {
        let store = try DeliveryStore()
        let fixture = try WatchFixture(store: store)
        let watch = try #require(fixture.watch)
        store.holdDead(true)
        let looking = startThread { watch.look() }
        defer { looking.join() }
        defer { store.holdDead(false) }
        #expect(eventually { store.heldCalls == 1 })
        fixture.show(["backend_open shop"])
        watch.logProblems()
        let begun = #"WARN  a problem has begun problem="backend_open shop" text="It is wrong." remedy="Mend it.""#
        #expect(try fixture.log.lines() == [begun])
    }

    @Test func `operators get no problem that another event reports`() throws {
        let fixture = try WatchFixture()
        fixture.show(["store"], hasEvent: false)
        fixture.pass(60)
        #expect(try fixture.reported() == [])
    }

    @Test(arguments: [
        ("queue_full pager", ["log"]), ("settings_doubtful pager", ["log"]),
        ("queue_full sink", ["log", "pager"]), ("authorizations_undecided pager", ["log", "pager"]),
    ])
    func `a notifier gets no report of its own problem`(_ problem: String, _ reported: [String]) throws {
        let fixture = try WatchFixture()
        fixture.show([problem])
        fixture.pass(5)
        #expect(try fixture.reported() == reported.map { "operator.problem began > \($0)" })
    }

    /// The earlier counts of responses are unknown then.
    @Test func `a problem continues across a restart`() throws {
        let fixture = try WatchFixture()
        fixture.show(["backend_open shop"])
        fixture.pass(5)
        #expect(try fixture.reported() == Self.problem("began"))
        fixture.show([])
        try fixture.restart()
        fixture.pass(290)
        fixture.show(["backend_open shop"])
        fixture.pass(600)
        #expect(try fixture.reported() == [])
        fixture.show([])
        try fixture.restart()
        fixture.pass(310)
        #expect(try fixture.reported() == Self.problem("ended"))
    }

    @Test func `a spike of denials is reported`() throws {
        let fixture = try WatchFixture()
        for _ in 0..<60 {
            fixture.count("authorized", by: 100)
            fixture.pass(60)
        }
        #expect(try fixture.reported() == [])
        fixture.count("denied", "wrong_mac", by: 50)
        fixture.count("denied", "expired", by: 10)
        fixture.count("denied", "unknown_app", by: 1000, app: "")
        fixture.pass(60)
        #expect(try fixture.reported() == ["operator.denials_jump began > log", "operator.denials_jump began > pager"])
        #expect(try fixture.last("app") == "shop")
        #expect(try fixture.last("denied") == 60)
        #expect(try fixture.last("usual") == 0)
        #expect(try fixture.last("reason") == "wrong_mac")
        try fixture.restart()
        for _ in 0..<5 {
            fixture.count("denied", "wrong_mac", by: 50)
            fixture.pass(60)
        }
        #expect(try fixture.reported() == [], "it goes on")
        fixture.pass(420)
        #expect(try fixture.reported() == ["operator.denials_jump ended > log", "operator.denials_jump ended > pager"])
    }

    @Test func `an expiring app key is reported until it is replaced`() throws {
        let end = WatchFixture.start + 20 * 86_400
        let apps = #""apps":[{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"},"not_after":\#(end)}]}]"#
        let fixture = try WatchFixture()
        try fixture.reload(apps: apps)
        fixture.pass(5)
        #expect(try fixture.reported() == [])
        fixture.sleep(6 * 86_400)
        fixture.pass(5)
        #expect(try fixture.reported() == ["operator.credential_expires began > log", "operator.credential_expires began > pager"])
        #expect(try fixture.last("credential") == "app_key")
        #expect(try fixture.last("name") == "shop")
        #expect(try fixture.last("expires_at") == .string(RFC3339.text(end.milliseconds)))
        fixture.sleep(30 * 86_400)
        try fixture.restart(apps: apps)
        fixture.pass(5)
        #expect(try fixture.reported() == [], "it has ended, and is still to be replaced")
        try fixture.reload()
        fixture.pass(5)
        #expect(try fixture.reported() == ["operator.credential_expires ended > log", "operator.credential_expires ended > pager"])
        #expect(try fixture.last("ended_because") == "resolved")
    }

    /// A notifier that is added later gets continuing problems, and a removed one gets nothing.
    @Test func `without notifiers nothing is stored`() throws {
        let fixture = try WatchFixture(#""notifiers":[]"#)
        fixture.set("sink", .open)
        fixture.pass(120)
        #expect(try fixture.reported() == [])
        #expect(try fixture.store.conditions() == [])
        try fixture.reload()
        fixture.set("sink", .open)
        fixture.pass(65)
        #expect(try fixture.reported() == Self.paused)
        try fixture.reload(#""notifiers":[]"#)
        fixture.pass(5)
        #expect(try fixture.reported() == [])
        #expect(try fixture.store.conditions() == [])
    }

    @Test func `thresholds are updated by a reload`() throws {
        let fixture = try WatchFixture()
        try fixture.reload(#""notifiers":["log"],"thresholds":{"paused_seconds":5}"#)
        fixture.set("sink", .open)
        fixture.pass(10)
        #expect(try fixture.reported() == ["operator.notifier_paused > log"])
    }

    /// Two processes with one database report once together, and the end when neither sees the problem.
    @Test func `replicas report a condition once`() throws {
        let place = try PostgresSchemaFixture()
        defer { withExtendedLifetime(place) {} }
        let replicas = try (0..<2).map { _ in try WatchFixture(store: try place.store()) }
        for replica in replicas {
            replica.set("sink", .open)
            replica.pass(65)
        }
        #expect(try replicas[0].reported() == Self.paused)
        replicas[0].set("sink", .working, successes: 1)
        replicas[0].pass(600)
        #expect(try replicas[0].reported() == [], "the other one still sees it")
        replicas[1].set("sink", .working, successes: 1)
        replicas[1].pass(305)
        #expect(try replicas[0].reported() == Self.recovered)
        replicas[0].set("sink", .open)
        replicas[0].pass(65)
        #expect(try replicas[0].reported() == Self.paused, "it may begin again")
    }

    @Test func `a closed store is reported as a problem`() throws {
        let store = MemoryStore()
        let fixture = try WatchFixture(store: store)
        store.close()
        fixture.pass(60)
        #expect(try fixture.log.lines() == [])
    }
}
