package import Core
package import Observability
package import Threading
package import Time

/// Keeps the active revocations up to date with the store: reads all of them once, then changes.
///
/// While the store cannot be read, the last known revocations stay in force; at startup those of the copy, a file beside the store. After a
/// failure all revocations are read again, because the store may have lost changes that it had reported, for example after a failover to a
/// standby that lagged.
package final class RevocationPoller: Sendable {
    /// The interval at which changes of other processes are read, so that they take effect everywhere within a second.
    package static let intervalMilliseconds: UInt64 = 800

    private struct State {
        var set = RevocationSet()
        /// The version of the store's revocations in `set`; nil when all must be read.
        var version: Int64?
        /// Changes passed to `take` that could not be read from the store yet. They are in force in addition to `set`.
        var unread: [RevocationChange] = []
        var failure: StoreError?
        /// The version in the copy; nil when unknown.
        var copied: Int64?
        /// The time until which the copy is neither written nor read again.
        var nextCopyAt: MonotonicMilliseconds = 0
    }

    package let live = SnapshotReference(Revocations.unknown)
    private let store: any Store
    private let copy: RevocationCopyFile?
    private let logger: Logger
    private let clocks: Clocks
    // Held during queries of the store, so that an older result never replaces a newer one.
    private let state = Monitor(State())
    private let onChange: @Sendable (RevocationChange?) -> Void
    private let known = Monitor(RevocationStatus())

    /// No revocations are known before the first `refresh`.
    /// - Parameters:
    ///   - copy: read at startup when the store cannot be read; nil for none.
    ///   - onChange: called right after a change takes effect, to drop decisions made without it; with nil, when anything may have changed.
    ///     It must not block.
    package init(
        _ store: any Store, copy: RevocationCopyFile? = nil, logger: Logger, clocks: Clocks,
        onChange: @escaping @Sendable (RevocationChange?) -> Void = { _ in }
    ) {
        self.copy = copy
        self.onChange = onChange
        self.store = store
        self.logger = logger
        self.clocks = clocks
    }

    /// The source and age of the revocations. Does not block.
    package var status: RevocationStatus { known.withLock { $0 } }

    /// Makes everything that the store accepted before this call take effect. Waits for a refresh in progress, which may have read before
    /// that, and blocks like the store.
    ///
    /// Changes are applied in the store's order. Otherwise a revocation that another replica has removed meanwhile would reappear.
    /// - Parameter change: a change that the store has committed, which takes effect even if the store cannot be read; nil if the store did
    ///   not change anything.
    package func take(_ change: RevocationChange?) {
        state.withLock { state in
            refresh(&state)
            guard state.failure != nil, let change else { return }
            // It is in force until all revocations are read again.
            state.unread.append(change)
            guard live.current.isKnown else { return }
            putInForce(state)
            onChange(change)
        }
    }

    /// Makes changes of the store take effect. Blocks like the store. A failure is logged, and the next call retries.
    package func refresh() {
        state.withLock { refresh(&$0) }
    }

    private func refresh(_ state: inout State) {
        do throws(StoreError) {
            try read(into: &state)
            let now = clocks.unixSeconds()
            known.withLock { ($0.source, $0.knownAt) = (.store, now) }
            if state.failure != nil { logger.log(.info, message: "the revocations are up to date again") }
            state.failure = nil
        } catch {
            (state.version, state.copied) = (nil, nil)
            if !live.current.isKnown { takeCopy(&state) }
            if state.failure != error { log(error) }
            state.failure = error
        }
    }

    private func read(into state: inout State) throws(StoreError) {
        var (set, version) = (state.set, state.version)
        // Collected first: if a later query fails, none of them takes effect.
        var changes: [RevocationChange?] = []
        while true {
            guard let known = version else {
                (set, version) = try readAll()
                changes = [nil]
                continue
            }
            let page = try store.revocationChanges(since: known)
            guard page.isComplete else {
                version = nil
                continue
            }
            for change in page.changes {
                set.apply(change)
                changes.append(change)
            }
            version = page.version
            if page.version == known { break }
        }
        (state.version, state.unread) = (version, [])
        guard !changes.isEmpty else { return }
        state.set = set
        putInForce(state)
        for change in changes { onChange(change) }
    }

    private func putInForce(_ state: State) {
        var set = state.set
        for change in state.unread { set.apply(change) }
        live.replace(with: set.snapshot)
    }

    private func readAll() throws(StoreError) -> (RevocationSet, version: Int64) {
        // Reads the version first, so that changes made while the list is read are later reported as new.
        let version = try store.revocationChanges(since: nil).version
        return (try store.revocationSet(), version)
    }

    private func log(_ error: StoreError) {
        var fields: LogFields = ["reason": .string(error.description)]
        // During shutdown a failure need not be logged.
        guard error.kind != .closed else { return }
        let status = status
        guard status.isKnown else {
            if let problem = status.copyProblem { fields.append("copy", .string(problem)) }
            if let command = status.copyCommand { fields.append("remedy", .string(command)) }
            return logger.log(
                .error, message: "the revocation list could not be loaded; authorization requests are answered 503 until it is loaded",
                fields: fields)
        }
        fields.append("known_at", .string(RFC3339.text(status.knownAt.milliseconds)))
        logger.log(.warning, message: "the revocations cannot be refreshed; the last known ones stay in force", fields: fields)
    }
}

extension RevocationPoller {
    private static let confirmationMilliseconds: UInt64 = 300_000
    /// The pause after a failure, before the copy is written or read again.
    private static let retryMilliseconds: UInt64 = 5000
    /// After a write, the next one waits for this many times the write's duration, so that frequent revocations do not keep the disk busy.
    private static let pauseFactor: UInt64 = 20

    private func takeCopy(_ state: inout State) {
        let now = clocks.monotonicMilliseconds()
        guard let copy, now >= state.nextCopyAt else { return }
        do throws(RevocationCopyFile.Failure) {
            let found = try copy.read(now: clocks.unixSeconds())
            var set = RevocationSet()
            for revocation in found.revocations { set.apply(.added(revocation)) }
            state.set = set
            putInForce(state)
            onChange(nil)
            known.withLock { status in
                (status.source, status.knownAt, status.copiedAt) = (.copy, found.confirmedAt, found.confirmedAt)
                (status.copyProblem, status.copyCommand) = (nil, nil)
            }
        } catch {
            state.nextCopyAt = now + Self.retryMilliseconds
            known.withLock { ($0.copyProblem, $0.copyCommand) = (error.description, error.command) }
        }
    }

    /// Writes the copy when the revocations have changed or the copy is old. Blocks like the store and the copy's disk. Only one thread at
    /// a time may call it, and no request may wait on that thread.
    /// - Parameter isLast: whether this is the last call, so that the pause is ignored.
    package func renewCopy(isLast: Bool = false) {
        guard let copy else { return }
        let start = clocks.monotonicMilliseconds()
        let due: Int64? = state.withLock { state in
            guard let version = state.version, isLast || start >= state.nextCopyAt else { return nil }
            let isOld = start >= state.nextCopyAt.saturating(adding: Self.confirmationMilliseconds)
            return state.copied != version || isOld ? version : nil
        }
        guard let version = due else { return }
        let now = clocks.unixSeconds()
        let problem = write(copy, now)
        let end = clocks.monotonicMilliseconds()
        state.withLock { state in
            state.copied = problem == nil ? version : nil
            state.nextCopyAt = end + max(end.elapsed(since: start) * Self.pauseFactor, problem == nil ? 0 : Self.retryMilliseconds)
        }
        let former = known.withLock { status in
            defer {
                (status.copyProblem, status.copyCommand) = (problem?.description, problem?.command)
                status.copyWaitsForStore = problem?.isOfStore ?? false
                if problem == nil { status.copiedAt = now }
            }
            return status.copyProblem
        }
        guard problem?.description != former else { return }
        if let problem {
            var reason: LogFields = ["reason": .string(problem.description)]
            if let command = problem.command { reason.append("remedy", .string(command)) }
            logger.log(.error, message: "the revocations cannot be copied; a start without the store would not apply them", fields: reason)
        } else {
            logger.log(.info, message: "the revocations are copied again")
        }
    }

    /// - Returns: the reason why the copy could not be written.
    private func write(_ copy: RevocationCopyFile, _ now: UnixSeconds) -> RevocationCopyFile.Failure? {
        let revocations: [Revocation]
        do throws(StoreError) {
            revocations = try store.allRevocations()
        } catch {
            let problem = "cannot read the revocations for their copy: \(error.description)"
            return RevocationCopyFile.Failure(description: problem, isOfStore: true)
        }
        do throws(RevocationCopyFile.Failure) {
            try copy.write(revocations, now: now)
            return nil
        } catch {
            return error
        }
    }
}
