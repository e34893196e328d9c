internal import AdminAPI
internal import Configuration
internal import Core
internal import Dispatch
internal import HelpDesk
internal import JSON
internal import Observability
internal import Threading
internal import Time

/// Notifies operators of the service's own problems, each once when it begins and once when it ends; the log as well, independently of
/// other receivers.
///
/// It compares the conditions that this process detects with those in the store, so that nothing is reported twice after a restart or by
/// another process. `look` does that on its own thread, because the store and its disk may hang; the log must not wait for them, so
/// `logProblems` has another thread.
final class OperatorWatch: Sendable {
    /// The interval between calls of `look`, in milliseconds.
    static let intervalMilliseconds: UInt64 = 5_000
    /// Milliseconds for which this process leaves a condition to the processes that report it; after that they may be dead.
    private static let deferralMilliseconds: UInt64 = 30_000

    struct Finding {
        let key: OperatorCondition.Key
        let status: ConditionStatus
        var data: [UInt8] = []
    }

    struct State {
        var configuration: WatchedConfiguration
        /// The conditions that the store has recorded for this process.
        var held: Set<OperatorCondition.Key> = []
        /// The conditions that only other processes report, with the time of the store's answer.
        var left: [OperatorCondition.Key: MonotonicMilliseconds] = [:]
        var troubles: [ByteKey: NotifierPauseReporter] = [:]
        var denials = WatchedDenials()
        /// The last times at which reported problems were detected.
        var problemsSeenAt: [OperatorCondition.Key: MonotonicMilliseconds] = [:]
        var isFailing = false
    }

    let store: any Store
    let facts: WatchedStore
    let inbox: Monitor<DispatcherInbox>
    let authorizeRequests: MetricFamily<Counter>
    private let problems: @Sendable () -> [SevereProblem]
    let clocks: Clocks
    private let logger: Logger
    private let state: Monitor<State>
    /// The last times at which logged problems were detected.
    private let logged = Monitor<[OperatorCondition.Key: MonotonicMilliseconds]>([:])

    /// Prepares the watch; `look` does the work.
    init(
        _ configuration: Configuration, store: any Store, facts: WatchedStore, inbox: Monitor<DispatcherInbox>,
        authorizeRequests: MetricFamily<Counter>,
        problems: @escaping @Sendable () -> [SevereProblem], logger: Logger, clocks: Clocks
    ) {
        self.problems = problems
        (self.store, self.facts, self.inbox, self.authorizeRequests) = (store, facts, inbox, authorizeRequests)
        (self.logger, self.clocks) = (logger, clocks)
        state = Monitor(State(configuration: WatchedConfiguration(configuration)))
    }

    func take(_ configuration: Configuration) {
        let next = WatchedConfiguration(configuration)
        state.withLock { $0.configuration = next }
    }

    var disks: [WatchedDisk] { state.withLock { $0.configuration.disks } }

    /// Notifies operators of conditions that have begun or ended. Blocks like the store and its disk; call it on one thread.
    func look() {
        var state = state.withLock { $0 }
        // Runs also without receivers and without the store, because the shown problems are based on it.
        facts.look(state.configuration, store)
        let problems = problems()
        do throws(StoreError) {
            let open = try store.conditions()
            if state.configuration.subscriptions.isEmpty {
                // Without receivers no condition is marked as reported, so all are reported once a receiver is configured.
                for condition in open { _ = try store.clear(condition.key, announcing: nil) }
                state.held = []
            } else {
                try settle(findings(open, pending: try store.pending(), problems: problems, state: &state), open: open, state: &state)
            }
            state.isFailing = false
        } catch {
            complain(error, &state)
        }
        self.state.withLock { kept in
            // The configuration may have been replaced in the meantime.
            state.configuration = kept.configuration
            kept = state
        }
    }

    /// Writes one line when a problem begins, and one when it was absent for a while; independently of other receivers, and while the store
    /// is unavailable. Does not block; call it on one thread. The problems in other answers depend on the counts made here.
    func logProblems() {
        let found = problems()
        let (now, thresholds) = (clocks.monotonicMilliseconds(), state.withLock { $0.configuration.thresholds })
        var seen = logged.withLock { $0 }
        for problem in found where seen.updateValue(now, forKey: problem.key) == nil {
            logger.log(
                .warning, message: "a problem has begun",
                fields: ["problem": .string(problem.key.subject.text), "text": .string(problem.text), "remedy": .string(problem.remedy)])
        }
        for (key, seenAt) in seen.sorted(by: { $0.key < $1.key }) {
            guard case .over = ProblemRule.status(unseenMilliseconds: now.elapsed(since: seenAt), thresholds) else { continue }
            seen[key] = nil
            logger.log(.warning, message: "a problem has ended", fields: ["problem": .string(key.subject.text)])
        }
        let next = seen
        logged.withLock { $0 = next }
    }

    private func settle(_ findings: [Finding], open: [OperatorCondition], state: inout State) throws(StoreError) {
        let (seen, lasting) = (Set(findings.map(\.key)), Set(open.map(\.key)))
        state.left = state.left.filter { lasting.contains($0.key) }
        for condition in open where !seen.contains(condition.key) {
            // A certificate that is no longer in use was replaced.
            try end(condition, why: condition.key.kind == .credentialExpires ? .resolved : .removed, state: &state)
        }
        let known = Dictionary(open.map { ($0.key, $0) }) { first, _ in first }
        for finding in findings {
            switch (finding.status, known[finding.key]) {
            case (.holds, let condition): if condition == nil || !state.held.contains(finding.key) { try begin(finding, &state) }
            case (.over(let why), let condition?): try end(condition, why: why, state: &state)
            case (.over, nil), (.unknown, _): break
            }
        }
    }

    private func begin(_ finding: Finding, _ state: inout State) throws(StoreError) {
        let condition = OperatorCondition(finding.key, since: clocks.unixMilliseconds(), data: finding.data)
        let event = condition.begun(id: newID(condition.since), lifetimeMilliseconds: state.configuration.lifetimeMilliseconds)
        let hasBegun = try store.raise(condition, announcing: incoming(event, key: condition.key, configuration: state.configuration))
        state.held.insert(finding.key)
        state.left[finding.key] = nil
        if hasBegun { note(.warning, text: "a condition has begun", key: condition.key, data: finding.data) }
    }

    private func end(_ condition: OperatorCondition, why: OperatorCondition.End, state: inout State) throws(StoreError) {
        let moment = clocks.monotonicMilliseconds()
        if let asked = state.left[condition.key], moment - asked < Self.deferralMilliseconds { return }
        let now = clocks.unixMilliseconds()
        let event = condition.ended(why, id: newID(now), now: now, lifetimeMilliseconds: state.configuration.lifetimeMilliseconds)
        let hasEnded = try store.clear(condition.key, announcing: incoming(event, key: condition.key, configuration: state.configuration))
        state.held.remove(condition.key)
        state.left[condition.key] = hasEnded ? nil : moment
        if hasEnded { note(.info, text: "a condition has ended", key: condition.key) }
    }

    private func incoming(_ event: Event, key: OperatorCondition.Key, configuration: WatchedConfiguration) -> IncomingEvent? {
        let subscriptions = configuration.subscriptions(for: key)
        return subscriptions.isEmpty ? nil : IncomingEvent(event, to: subscriptions)
    }

    private func newID(_ now: UnixMilliseconds) -> UUIDv7 {
        var random = SystemRandomNumberGenerator()
        return UUIDv7(milliseconds: now, using: &random).event
    }

    /// - Parameter data: the data of the event, whose text and remedy are also in the line.
    private func note(_ level: LogLevel, text: String, key: OperatorCondition.Key, data: [UInt8] = []) {
        inbox.announceWork()
        // Each process logs the conditions that it detects itself.
        guard key.kind != .problem else { return }
        var fields: LogFields = ["condition": .string(key.kind.rawValue), "subject": .string(key.subject.text)]
        let reported = JSONValue(parsing: data)
        for name in ["text", "remedy"] {
            if let value = reported?[name]?.text { fields.append(name, .string(value)) }
        }
        logger.log(level, message: text, fields: fields)
    }

    /// Logs one line until it works again, and none for a store that is not open, which has its own line.
    private func complain(_ error: StoreError, _ state: inout State) {
        guard !state.isFailing, error.kind != .notOpen, error.kind != .closed else { return }
        state.isFailing = true
        logger.log(
            .warning, message: "operators cannot be notified of conditions",
            fields: ["reason": .string(error.kind.rawValue), "detail": .string(error.description)])
    }
}
