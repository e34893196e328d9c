import Core
import TestSupport
import Testing
import Time

@testable import Storage

@Suite struct StoreModelTests {
    @Test(arguments: 0..<24) func `behaves like the model`(seed: Int) throws {
        let directory = try TemporaryDirectory()
        var settings = StoreSettings()
        settings.maxPending = 60
        settings.devicesPerUser = 3
        let model = MemoryStore(settings: settings, random: SharedGenerator())
        // Shared by all runs, because the ids of its events must not repeat.
        let random = SharedGenerator()
        var store = try SQLiteStore(path: directory.path("store.db"), settings: settings, random: random)
        defer { store.close() }
        // Of devices with the same last-seen time, the model removes those of the app with the lesser name first, and the file those of the
        // app that was stored first.
        for app in RandomCalls.apps.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            for store in [store, model] as [any Store] { try store.put(nil, app: app, user: "first") }
        }
        var script = RandomCalls(seed: seed)
        for step in 1...250 {
            if script.reopens() {
                store.close()
                store = try SQLiteStore(path: directory.path("store.db"), settings: settings, random: random)
                try model.releaseLeases()
            }
            let call = script.next()
            #expect(call(store) == call(model))
            // Reading the whole state takes longer than the calls.
            if step.isMultiple(of: 10) { #expect(try state(of: store) == state(of: model)) }
        }
    }

    /// All data of a store that its interface returns.
    private func state(of store: any Store) throws -> StoreState {
        let all = try store.all()
        return StoreState(
            stories: try all.compactMap { try store.story(of: $0.id) }, pending: try store.pending(), dead: try store.deadInOrder(),
            refusal: store.refusal,
            due: try ["log", "http", "registry"].map { try store.nextDue(notifier: $0) },
            devices: try RandomCalls.apps.flatMap { try store.devices(DeviceFilter(appID: $0), after: nil, limit: 1000) },
            calls: try store.allCalls())
    }
}

private struct StoreState: Equatable {
    let stories: [DeliveryStory]
    let pending: [PendingDeliveries]
    let dead: [DeadDeliveries]
    let refusal: StoreError?
    let due: [UnixMilliseconds?]
    let devices: [Device]
    let calls: [BotCall]
}
