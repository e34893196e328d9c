package import Core
package import Observability
package import Threading
package import Time

/// Keeps the revocations in force like those in the store: reads all of them once, then what has changed.
///
/// While the store cannot be asked, the last known ones go on. Afterwards all are read again, because the store may have lost changes that
/// it had told of, as a database does after a failover to a standby that was behind.
package final class RevocationKeeper: Sendable {
    /// How often changes by other processes are looked for, so that they are in force everywhere within a second.
    package static let intervalMilliseconds: UInt64 = 800

    private struct State {
        var book = RevocationBook()
        /// The version of the store's revocations that the book has; nil when all must be read.
        var version: Int64?
        var failure: StoreError?
    }

    /// The revocations in force.
    package let live = Live(Revocations.unknown)
    private let store: any Store
    private let logger: Logger
    private let clocks: Clocks
    // Held while the store is asked, so that what was read earlier never replaces what was changed later.
    private let state = Monitor(State())
    private let onChange: @Sendable (RevocationChange?) -> Void
    private let refreshedAt = Monitor<UnixSeconds>(0)

    /// Knows no revocations before the first `refresh`.
    /// - Parameter onChange: called right before a change is in force; with nil, when anything may have changed. It must not block.
    package init(
        _ store: any Store, logger: Logger, clocks: Clocks, onChange: @escaping @Sendable (RevocationChange?) -> Void = { _ in }
    ) {
        self.onChange = onChange
        self.store = store
        self.logger = logger
        self.clocks = clocks
    }

    /// When the store was last asked with success; 0 before that.
    package var lastRefresh: UnixSeconds { refreshedAt.withLock { $0 } }

    /// Puts a change in force that the store has taken. Waits for a refresh under way.
    package func take(_ change: RevocationChange) {
        state.withLock { state in
            // Before the first reading the list is not known, and it will contain this change.
            guard live.current.isKnown else { return }
            state.book.apply(change)
            onChange(change)
            live.replace(with: state.book.snapshot)
        }
    }

    /// Puts in force what has changed in the store. Blocks like the store. A failure is logged, and the next call tries again.
    package func refresh() {
        state.withLock { state in
            do throws(StoreError) {
                try read(into: &state)
                let now = clocks.unixSeconds()
                refreshedAt.withLock { $0 = now }
                if state.failure != nil { logger.log(.info, "the revocations are up to date again") }
                state.failure = nil
            } catch {
                state.version = nil
                if state.failure != error { log(error) }
                state.failure = error
            }
        }
    }

    private func read(into state: inout State) throws(StoreError) {
        var version = state.version
        var book = state.book
        var hasChanged = version == nil
        while true {
            guard let known = version else {
                (book, version) = try readAll()
                onChange(nil)
                continue
            }
            let news = try store.revocationNews(since: known)
            guard news.isComplete else {
                (version, hasChanged) = (nil, true)
                continue
            }
            for change in news.changes {
                book.apply(change)
                onChange(change)
            }
            hasChanged = hasChanged || !news.changes.isEmpty
            version = news.version
            if news.version == known { break }
        }
        state.version = version
        guard hasChanged else { return }
        state.book = book
        live.replace(with: book.snapshot)
    }

    private func readAll() throws(StoreError) -> (RevocationBook, version: Int64) {
        // The version first: what changes while the list is read is told as news.
        let version = try store.revocationNews(since: nil).version
        return (try store.revocationBook(), version)
    }

    private func log(_ error: StoreError) {
        let reason: LogFields = ["reason": .string(error.description)]
        // While the service stops nobody needs to know.
        guard error.kind != .closed else { return }
        guard live.current.isKnown else {
            return logger.log(
                .error, "the revocation list could not be loaded; authorization is answered 503 until it can", reason)
        }
        logger.log(.warning, "the revocations cannot be refreshed; the last known ones go on", reason)
    }
}
