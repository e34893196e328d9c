package import Core
package import Observability
package import Threading
package import Time
package import Tracing

/// Delivers pending deliveries through their notifiers, on a thread of its own: claims what is due, starts attempts, and reports their
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
/// It keeps no state that must survive: a delivery that was claimed and not reported is due again when its lease ends, so the process may
/// end at any moment. Its methods may be called on any thread. `stop` must be called before the store is closed.
package final class Dispatcher: Sendable {
    private let inbox: Monitor<DispatcherInbox>
    private let thread: DedicatedThread

    /// Starts the thread.
    /// - Parameters:
    ///   - audience: returns the subscriptions to removed devices; called on that thread, before each call of the store.
    ///   - tracer: makes the spans of attempts; nil makes none.
    ///   - onLostCalls: called with calls of bots that became `unknown`, because their process has ended; on that thread, so it must not
    ///     block.
    ///   - notifiers: by name; their owner closes them after `stop`, except those that `replace` has left out.
    /// - Throws: when the system has no room for it.
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

    /// Replaces the notifiers, and resumes those that are paused.
    ///
    /// A notifier that is not among them is closed when its last attempt has ended.
    package func replace(with notifiers: [String: ServedNotifier]) {
        inbox.update { inbox in
            inbox.replaceNotifiers(notifiers)
            inbox.resumes = true
        }
    }

    /// Starts no further attempts; `stop` must follow.
    package func beginStopping() {
        inbox.update { $0.isStopping = true }
    }

    /// Starts no further attempts, waits until those under way have ended and their outcomes are stored, and ends the thread.
    /// - Parameter drainMilliseconds: the maximum wait; then the leases of the attempts still under way are released.
    package func stop(drainMilliseconds: UInt64) {
        beginStopping()
        _ = inbox.wait(timeoutMilliseconds: drainMilliseconds) { $0.hasEnded ? true : nil }
        inbox.update { $0.isAbandoned = true }
        thread.join()
    }
}
