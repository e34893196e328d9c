import Core
import Dispatch
import Observability
import Postgres
import Storage
import Threading
import Time

/// The store and the dispatcher of one of several processes on a database. When its store is lost, it opens another one.
final class Replica: Sendable {
    /// The maximum time of a call, in milliseconds, which only a failing test reaches.
    private static let deferralMilliseconds: UInt64 = TimeLimit.milliseconds(60_000)

    private let store: any Store
    private let dispatcher: Dispatcher
    private let inbox = Monitor(DispatcherInbox())
    private let hasStopped = Monitor(false)
    let now: @Sendable () -> UnixMilliseconds

    /// The offset of its clock, in milliseconds.
    private let ahead = Monitor<Int64>(0)

    init(_ address: ConnectionSettings, notifier: any Notifier, logger: Logger) throws {
        let now: @Sendable () -> UnixMilliseconds = { [ahead] in SystemClock.unixMilliseconds().advanced(by: ahead.withLock { $0 }) }
        self.now = now
        let replica = try PostgresStore.newReplica()
        let store = try openWhenPossible(logger: logger, onOpen: { _ in }) { _ throws(StoreError) in
            try PostgresStore(address, replica: replica, clock: now)
        }
        self.store = store
        let clocks = Clocks(unixSeconds: { now().seconds }, unixMilliseconds: now, sinceBoot: { SystemClock.bootMilliseconds() })
        dispatcher = try Dispatcher(
            store: store, audience: { .nobody }, notifiers: [Load.notifier: ServedNotifier(notifier)],
            retention: Retention(deliveredMilliseconds: 1 << 40, deadMilliseconds: 1 << 40, idleDeviceMilliseconds: 1 << 40),
            metrics: DeliveryMetrics(registry: MetricsRegistry(), store: store, clocks: clocks, inbox: inbox), logger: logger,
            clocks: clocks, inbox: inbox)
    }

    /// Sets the replica's clock wrong by this number of milliseconds.
    func setClock(ahead milliseconds: Int64) {
        ahead.withLock { $0 = milliseconds }
    }

    /// The reason why it accepts no event; nil when it does.
    var refusal: StoreError? { store.refusal }

    /// Accepts an event.
    /// - Returns: nil without a response.
    func accept(_ incoming: IncomingEvent) -> Result<Acceptance, StoreError>? {
        let answer = Monitor<Result<Acceptance, StoreError>?>(nil)
        store.accept(incoming, telling: .nobody) { result in answer.update { $0 = result } }
        let result = answer.wait(timeoutMilliseconds: Self.deferralMilliseconds) { $0 }
        inbox.announceWork()
        return result
    }

    /// Registers a device, or signs it out.
    /// - Returns: nil without a response.
    func register(_ registration: Registration) -> Result<Registration.Outcome, StoreError>? {
        let answer = Monitor<Result<Registration.Outcome, StoreError>?>(nil)
        store.register(registration, telling: .nobody) { result in answer.update { $0 = result } }
        return answer.wait(timeoutMilliseconds: Self.deferralMilliseconds) { $0 }
    }

    /// Stops like on SIGTERM. Idempotent.
    func stop() {
        let hadStopped = hasStopped.withLock { hasStopped in
            defer { hasStopped = true }
            return hasStopped
        }
        guard !hadStopped else { return }
        dispatcher.stop(drainMilliseconds: 10_000)
        store.close()
    }
}
