import Core
import Storage
import TestSupport
import Testing
import Time

@Suite struct ConditionContractTests {
    private static let key = OperatorCondition.Key(.notifierPaused, "sink")

    private func condition(_ key: OperatorCondition.Key = key, since: UnixMilliseconds = 1000) -> OperatorCondition {
        OperatorCondition(key, since: since, data: Array(#"{"notifier":"sink"}"#.utf8))
    }

    private func begin(_ number: Int, _ condition: OperatorCondition? = nil, to notifiers: [String] = ["log", "http"]) -> IncomingEvent {
        let event = (condition ?? self.condition()).begun(id: UUIDv7(milliseconds: 1, number: number << 16), lifetimeMilliseconds: 100_000)
        return IncomingEvent(event, to: notifiers.map { Subscription(notifier: $0) })
    }

    private func end(_ number: Int, now: UnixMilliseconds = 2000) -> IncomingEvent {
        let id = UUIDv7(milliseconds: 1, number: number << 16)
        return IncomingEvent(
            condition().ended(.resolved, id: id, now: now, lifetimeMilliseconds: 100_000), to: [Subscription(notifier: "log")])
    }

    private func reported(_ store: any Store) throws -> [String] {
        try store.all().reversed().map { "\($0.event.kind.rawValue) \($0.notifier) \($0.state.rawValue)" }
    }

    @Test(arguments: Backend.allCases) func `each is reported once`(_ backend: Backend) throws {
        let store = try backend.store()
        #expect(try store.store.conditions() == [])
        #expect(try store.store.clear(Self.key, announcing: end(1)) == false, "it has not begun")
        #expect(try store.store.raise(condition(), announcing: begin(2)))
        #expect(try store.store.raise(condition(since: 5000), announcing: begin(3)) == false)
        #expect(try store.store.conditions() == [condition()])
        #expect(try store.store.clear(Self.key, announcing: end(4)))
        #expect(try store.store.clear(Self.key, announcing: end(5)) == false)
        #expect(try store.store.conditions() == [])
        let paused = ["operator.notifier_paused log pending", "operator.notifier_paused http pending"]
        #expect(try Set(reported(store.store)) == Set(paused + ["operator.notifier_recovered log pending"]))
        #expect(try store.store.raise(condition(since: 6000), announcing: begin(6)), "it may begin again")
        #expect(try reported(store.store).count == 5)
    }

    @Test(arguments: Backend.allCases) func `its event is delivered like any other`(_ backend: Backend) throws {
        let store = try backend.store()
        #expect(try store.store.raise(condition(), announcing: begin(1, to: ["log"])))
        let claimed = try #require(try store.store.claim(at: 2000).first)
        let begun = begin(1).event
        #expect(claimed.event.id == begun.id)
        #expect(claimed.event.kind == begun.kind)
        #expect(claimed.event.data == begun.data)
        #expect(claimed.event.receivedAt == begun.receivedAt)
        #expect(claimed.event.expiresAt == begun.expiresAt)
        try store.store.report(claimed, next: .delivered, at: 3000)
        #expect(try store.store.all().map(\.state) == [.delivered])
        var filter = DeliveryFilter()
        filter.appID = ""
        #expect(try store.store.deliveries(filter, limit: 10).count == 1)
    }

    @Test(arguments: Backend.allCases) func `a condition without notifiers is stored`(_ backend: Backend) throws {
        let store = try backend.store()
        #expect(try store.store.raise(condition(), announcing: nil))
        #expect(try store.store.clear(Self.key, announcing: nil))
        #expect(try store.store.all() == [])
    }

    @Test(arguments: Backend.allCases) func `each kind and subject has its own condition`(_ backend: Backend) throws {
        let store = try backend.store()
        let subjects = ["", "a\u{0}b", "caf\u{e9}", "cafe\u{301}"]
        let keys = OperatorCondition.Kind.allCases.flatMap { kind in subjects.map { OperatorCondition.Key(kind, $0) } }.sorted()
        for key in keys.reversed() { #expect(try store.store.raise(condition(key), announcing: nil)) }
        #expect(try store.store.conditions().map(\.key) == keys)
        #expect(try store.store.clear(keys[3], announcing: nil))
        #expect(try store.store.conditions().map(\.key) == keys.filter { $0 != keys[3] })
    }

    /// The condition begins even if the queue has no room for its event.
    @Test(arguments: Backend.allCases) func `a full queue does not prevent the condition`(_ backend: Backend) throws {
        let store = try backend.store(maxPending: 1)
        try store.store.take(Sample(1))
        #expect(try store.store.raise(condition(), announcing: begin(2)))
        #expect(try store.store.conditions().count == 1)
        #expect(try store.store.all().filter { $0.state == .dead }.map(\.reason) == ["queue_full", "queue_full"])
    }

    @Test func `a restart keeps the conditions`() throws {
        let directory = try TemporaryDirectory()
        let place = try PostgresSchemaFixture()
        let opened: [() throws -> any Store] = [
            { try SQLiteStore(path: directory.path("store.db")) }, { try place.store() },
        ]
        for open in opened {
            let store = try open()
            #expect(try store.raise(condition(), announcing: begin(1)))
            store.close()
            let again = try open()
            defer { again.close() }
            #expect(try again.conditions().map(\.key) == [Self.key])
            #expect(try again.raise(condition(), announcing: begin(2)) == false)
            #expect(try again.clear(Self.key, announcing: end(3)))
            #expect(try again.all().count == 3)
        }
    }

    @Test(arguments: Backend.allCases) func `a closed store reports that it is closed`(_ backend: Backend) throws {
        let store = try backend.store()
        store.store.close()
        #expect(throws: StoreError.self) { _ = try store.store.conditions() }
        #expect(throws: StoreError.self) { _ = try store.store.raise(condition(), announcing: nil) }
        #expect(throws: StoreError.self) { _ = try store.store.clear(Self.key, announcing: nil) }
    }
}
