package import Core
package import Observability
package import Threading
package import Time
package import Tracing

/// Delivers pending deliveries through their notifiers, on its own thread: claims due deliveries, starts attempts, and reports their
/// outcomes.
///
///     let inbox = Monitor(DispatcherInbox())
///     let dispatcher = try Dispatcher(
///         store: store, audience: { .nobody }, notifiers: ["log": ServedNotifier(LogNotifier(logger))], retention: retention,
///         metrics: metrics, logger: logger, clocks: .system, inbox: inbox)
///     inbox.announceWork()  // after the store has accepted an event
///     dispatcher.replace(with: notifiersOfNewConfiguration)  // at a reload
///     dispatcher.stop(drainMilliseconds: 5000)
///
/// It keeps no state that must survive: a claimed delivery without a reported outcome is due again when its lease ends, so the process may
/// end at any moment. Its methods may be called on any thread. `stop` must be called before the store is closed.
package final class Dispatcher: Sendable {
    private let inbox: Monitor<DispatcherInbox>
    private let thread: DedicatedThread

    /// - Parameters:
    ///   - audience: receives events about removed devices; called on the dispatcher's thread before each call of the store.
    ///   - notifiers: by name. The owner closes them after `stop`, except those that `replace` has removed.
    ///   - tracer: nil if attempts have no spans.
    ///   - onLostCalls: called with bot calls that became `unknown` because their process ended. Runs on the dispatcher's thread and must
    ///     not block.
    /// - Throws: when the thread cannot be created.
    package init(
        store: any Store, audience: @escaping @Sendable () -> RegistryAudience, notifiers: [String: ServedNotifier], retention: Retention,
        metrics: DeliveryMetrics, logger: Logger,
        clocks: Clocks, inbox: Monitor<DispatcherInbox>, tracer: Tracer? = nil,
        onLostCalls: @escaping @Sendable ([BotCall]) -> Void = { _ in }
    ) throws(ThreadError) {
        self.inbox = inbox
        inbox.update { $0.replaceNotifiers(notifiers) }
        let worker = DispatcherWorker(
            store: store, audience: audience, retention: retention, metrics: metrics, logger: logger, clocks: clocks, inbox: inbox,
            tracer: tracer, onLostCalls: onLostCalls)
        thread = try DedicatedThread { worker.run() }
    }

    /// Replaces the notifiers, and resumes paused ones. A removed notifier is closed when its last attempt has ended.
    package func replace(with notifiers: [String: ServedNotifier]) {
        inbox.update { inbox in
            inbox.replaceNotifiers(notifiers)
            inbox.resumes = true
        }
    }

    /// Starts no more attempts; `stop` must follow.
    package func beginStopping() {
        inbox.update { $0.isStopping = true }
    }

    /// Starts no more attempts, waits until the running ones have ended and their outcomes are stored, and ends the thread.
    /// - Parameter drainMilliseconds: the maximum wait; then the leases of attempts that are still running are released.
    package func stop(drainMilliseconds: UInt64) {
        beginStopping()
        _ = inbox.wait(timeoutMilliseconds: drainMilliseconds) { $0.hasEnded ? true : nil }
        inbox.update { $0.isAbandoned = true }
        thread.join()
    }
}
