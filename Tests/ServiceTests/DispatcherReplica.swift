import Core
import Observability
import Storage
import TestSupport
import Threading
import Time

@testable import Dispatch

/// A dispatcher whose store is in a shared database.
final class DispatcherReplica {
    let store: PostgresStore
    let inbox = Monitor(DispatcherInbox())
    let log: TestLog
    /// Kept until the store is closed, because a released schema is emptied and reused.
    private let place: PostgresSchemaFixture
    private let scratch: TemporaryDirectory
    private let served: [String: ServedNotifier]
    private var dispatcher: Dispatcher?

    /// - Parameter notifiers: by name.
    init(_ place: PostgresSchemaFixture, _ notifiers: [String: DeliveryNotifier]) throws {
        self.place = place
        store = try place.store()
        scratch = try TemporaryDirectory()
        log = try TestLog(in: scratch, level: .debug)
        served = notifiers.mapValues { ServedNotifier($0) }
        let far: UInt64 = 1 << 40
        dispatcher = try Dispatcher(
            store: store, audience: { .nobody }, notifiers: served,
            retention: Retention(deliveredMilliseconds: far, deadMilliseconds: far, idleDeviceMilliseconds: far),
            metrics: DeliveryMetrics(registry: MetricsRegistry(), store: store, clocks: .system, inbox: inbox), logger: log.logger,
            clocks: .system, inbox: inbox)
    }

    deinit {
        stop()
        store.close()
    }

    func stop() {
        dispatcher?.stop(drainMilliseconds: WaitLimit.milliseconds)
        dispatcher = nil
    }

    /// Resumes paused notifiers, like a reload that changes none.
    func reload() { dispatcher?.replace(with: served) }

    /// The reasons of the notifiers that operators see as paused, by notifier.
    var paused: [String: String] { inbox.withLock { $0.paused.mapValues(\.reason) } }

    /// Accepts an event for a notifier and notifies the dispatcher.
    func accept(_ number: Int, for notifier: String) {
        let now = SystemClock.unixMilliseconds()
        let event = Event(
            id: DeliveryFixture.event(number), kind: .commentCreated,
            identity: Event.Identity(appID: "app", ticketID: 1, commentID: HelpDeskID(Int64(number)), deviceID: ""), userID: "user",
            occurredAt: now, receivedAt: now, expiresAt: now + 3_600_000, data: Event.emptyData)
        store.accept(IncomingEvent(event, to: [Subscription(notifier: notifier)]), telling: .nobody) { [inbox] _ in inbox.announceWork() }
    }
}
