package import Core
package import Observability
package import Threading
package import Time

/// Brings deliveries from the store to their notifiers, on a thread of its own: claims what is due, starts tries, and reports what came of them.
///
/// It keeps nothing that matters: what is claimed and not reported on comes back when its lease ends, so a process may end at any moment.
package final class Dispatcher: Sendable {
    private let inbox: Monitor<DispatcherInbox>
    private let thread: OwnThread

    /// Starts the thread.
    /// - Parameters:
    ///   - audience: who is told of devices that leave; called on that thread, for each call of the store.
    ///   - notifiers: by name; their owner closes them after `stop`, but for those that `replace` has left out.
    /// - Throws: when the system has no room for it.
    package init(
        store: any Store, audience: @escaping @Sendable () -> RegistryAudience, notifiers: [String: ServedNotifier], retention: Retention,
        metrics: DeliveryMetrics, logger: Logger,
        clocks: Clocks, inbox: Monitor<DispatcherInbox>
    ) throws(ThreadError) {
        self.inbox = inbox
        inbox.update { $0.replaceNotifiers(notifiers) }
        let worker = DispatcherWorker(
            store: store, audience: audience, retention: retention, metrics: metrics, logger: logger, clocks: clocks, inbox: inbox)
        thread = try OwnThread { worker.run() }
    }

    /// Goes on with these notifiers, and lets those try again that had been switched off.
    ///
    /// What runs in a notifier that is not among them ends there; then it is closed.
    package func replace(with notifiers: [String: ServedNotifier]) {
        inbox.update { inbox in
            inbox.replaceNotifiers(notifiers)
            inbox.resumes = true
        }
    }

    /// Starts nothing more; `stop` must follow.
    package func beginStopping() {
        inbox.update { $0.isStopping = true }
    }

    /// Starts nothing more, waits for what runs and until its outcome is stored, and ends the thread.
    /// - Parameter drainMilliseconds: how long it waits at most; what has not ended then is handed back, to be tried again.
    package func stop(drainMilliseconds: UInt64) {
        beginStopping()
        _ = inbox.wait(timeoutMilliseconds: drainMilliseconds) { $0.hasEnded ? true : nil }
        inbox.update { $0.isAbandoned = true }
        thread.join()
    }
}
