package import Core
package import Observability
package import Threading
package import Time

/// Keeps in the store when keys were used, and tells the processes that share it which keys this one has in force.
///
/// What it cannot store it tries again a minute later; authorization never waits for it.
package final class KeyUseKeeper: Sendable {
    private static let intervalMilliseconds: UInt64 = 60_000

    private struct State {
        /// What this process has recorded.
        var recorded: [KeyUse.Name: KeyUse] = [:]
        /// What all processes had recorded a while ago.
        var stored: [KeyUse.Name: KeyUse] = [:]
        var dueAt = MonotonicMilliseconds(rawValue: 0)
        var isFailing = false
    }

    private let book: KeyUseBook
    private let helpDesks: Live<HelpDeskState>
    private let store: any Store
    private let logger: Logger
    private let clocks: Clocks
    private let state = Monitor(State())

    /// Prepares it; `tend` does the work.
    package init(_ book: KeyUseBook, _ helpDesks: Live<HelpDeskState>, store: any Store, logger: Logger, clocks: Clocks) {
        (self.book, self.helpDesks, self.store, self.logger, self.clocks) = (book, helpDesks, store, logger, clocks)
    }

    /// Does what is due. Blocks like the store, once a minute.
    package func tend() {
        announce()
        let now = clocks.monotonicMilliseconds()
        let isDue = state.withLock { state in
            guard now >= state.dueAt else { return false }
            state.dueAt = now + Self.intervalMilliseconds
            return true
        }
        if isDue { save() }
    }

    /// Tells which keys are in force. Does not block.
    package func announce() {
        store.announce(keysDigest: helpDesks.current.authorizer.keysDigest)
    }

    /// Records what has changed, and reads what others have recorded. Blocks like the store.
    package func save() {
        let uses = book.all(now: clocks.unixMilliseconds())
        let recorded = state.withLock { $0.recorded }
        do throws(StoreError) {
            let changed = uses.filter { recorded[$0.name] != $0 }
            if !changed.isEmpty { try store.record(changed) }
            let stored = try store.keyUses()
            state.withLock { state in
                state.recorded = Self.byName(uses)
                state.stored = Self.byName(stored)
                state.isFailing = false
            }
        } catch {
            let isNew = state.withLock { state in
                defer { state.isFailing = true }
                return !state.isFailing
            }
            // One line until it works again, and none of a store that is not open, which says so itself.
            guard isNew, error.kind != .notOpen, error.kind != .closed else { return }
            logger.log(
                .warning, "the last use of keys cannot be stored",
                ["reason": .string(error.kind.rawValue), "detail": .string(error.description)])
        }
    }

    /// When the keys were last used, by this process or, as far as the store has told, by others. Does not block.
    package var uses: [KeyUse] {
        let stored = state.withLock { $0.stored }
        return book.all(now: clocks.unixMilliseconds()).map { use in stored[use.name].map(use.merged) ?? use }
    }

    private static func byName(_ uses: [KeyUse]) -> [KeyUse.Name: KeyUse] {
        Dictionary(uses.map { ($0.name, $0) }) { first, _ in first }
    }
}
