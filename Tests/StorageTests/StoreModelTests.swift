import Core
import TestSupport
import Testing
import Time

@testable import Storage

@Suite struct StoreModelTests {
    @Test(arguments: 0..<24) func `does what the model does`(seed: Int) throws {
        let directory = try TemporaryDirectory()
        var settings = StoreSettings()
        settings.maxPending = 60
        settings.devicesPerUser = 3
        let model = MemoryStore(settings: settings, random: SharedGenerator())
        // One for all runs, since the ids of its events must not come again.
        let random = SharedGenerator()
        var store = try SQLiteStore(path: directory.path("store.db"), settings: settings, random: random)
        defer { store.close() }
        // Of devices that were seen last at one moment, the model takes those first whose app has the lesser name, and the file those whose
        // app came first.
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
            // Asking for everything takes longer than the calls.
            if step.isMultiple(of: 10) { #expect(try state(of: store) == state(of: model)) }
        }
    }

    /// Everything that can be known of a store.
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
