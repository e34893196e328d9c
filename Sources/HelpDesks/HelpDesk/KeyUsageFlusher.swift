package import Core
package import Observability
package import Threading
package import Time

/// Stores when keys were last used, and announces this process's active keys to the processes that share the store.
///
/// A failed write is retried a minute later; authorization never waits for it.
package final class KeyUsageFlusher: Sendable {
    private static let intervalMilliseconds: UInt64 = 60_000

    private struct State {
        /// The uses that this process has stored.
        var recorded: [KeyUse.Name: KeyUse] = [:]
        /// The uses by all processes, as last read from the store; nil until it has been read.
        var stored: [KeyUse.Name: KeyUse]?
        var dueAt = MonotonicMilliseconds(rawValue: 0)
        var isFailing = false
    }

    private let tracker: KeyUsageTracker
    private let helpDesks: SnapshotReference<HelpDeskState>
    private let store: any Store
    private let logger: Logger
    private let clocks: Clocks
    private let state = Monitor(State())

    package init(
        _ tracker: KeyUsageTracker, _ helpDesks: SnapshotReference<HelpDeskState>, store: any Store, logger: Logger, clocks: Clocks
    ) {
        (self.tracker, self.helpDesks, self.store, self.logger, self.clocks) = (tracker, helpDesks, store, logger, clocks)
    }

    /// Does the work that is due. Blocks like the store: once a minute, and on every call until the store has been read.
    package func runIfDue() {
        announce()
        let now = clocks.monotonicMilliseconds()
        let isDue = state.withLock { state in
            guard now >= state.dueAt || state.stored == nil else { return false }
            state.dueAt = now + Self.intervalMilliseconds
            return true
        }
        if isDue { save() }
    }

    /// Announces which keys are in force. Does not block.
    package func announce() {
        store.announce(keysDigest: helpDesks.current.authorizer.keysDigest)
    }

    /// Reads the records of all processes. Blocks like the store.
    package func read() throws(StoreError) {
        let stored = Self.byName(try store.keyUses())
        state.withLock { $0.stored = stored }
    }

    /// Reads the records of others, then stores changes of this process. Blocks like the store.
    package func save() {
        let uses = tracker.all(now: clocks.unixMilliseconds())
        let recorded = state.withLock { $0.recorded }
        do throws(StoreError) {
            // Reads first: a store whose disk is full accepts no record, but can still be read.
            try read()
            let changed = uses.filter { recorded[$0.name] != $0 }
            if !changed.isEmpty { try store.record(changed) }
            state.withLock { state in
                state.recorded = Self.byName(uses)
                state.isFailing = false
            }
        } catch {
            let isNew = state.withLock { state in
                defer { state.isFailing = true }
                return !state.isFailing
            }
            // Logs a failure once until writing works again. A store that is not open logs that itself.
            guard isNew, error.kind != .notOpen, error.kind != .closed else { return }
            logger.log(
                .warning, message: "the last use of keys cannot be stored",
                fields: ["reason": .string(error.kind.rawValue), "detail": .string(error.description)])
        }
    }

    /// The last uses of the keys, by this process or, as of the last read of the store, by others. Does not block.
    ///
    /// Until the store has been read, only keys that this process has used are included: others may have been used before it started.
    package var uses: [KeyUse] {
        let own = tracker.all(now: clocks.unixMilliseconds())
        guard let stored = state.withLock({ $0.stored }) else { return own.filter { $0.usedAt != nil } }
        return own.map { use in stored[use.name].map(use.merged) ?? use }
    }

    private static func byName(_ uses: [KeyUse]) -> [KeyUse.Name: KeyUse] {
        Dictionary(uses.map { ($0.name, $0) }) { first, _ in first }
    }
}
