package import Core
package import Observability
internal import Threading
internal import Time

/// Returns a store that a separate thread opens, with retries. The caller must close it.
/// - Parameters:
///   - onOpen: called on that thread each time the store was opened, before it is used otherwise.
///   - open: `isAgain` is true if an earlier store was open and reported `notOpen`.
/// - Throws: when the thread cannot be created.
package func openWhenPossible(
    logger: Logger, onOpen: @escaping @Sendable (any Store) -> Void,
    open: @escaping @Sendable (_ isAgain: Bool) throws(StoreError) -> any Store
) throws(StoreError) -> any Store {
    do throws(ThreadError) {
        return try DeferredStore(logger: logger, onOpen: onOpen, open: open)
    } catch {
        throw StoreError(.unavailable, error.description)
    }
}

/// Forwards to a store that `StoreOpener` opens on a separate thread. Until it is open, every call fails with `notOpen`. The owner must
/// call `close`.
final class DeferredStore: Store {
    /// The longest time that `init` waits, so that a healthy store is open when the service starts.
    private static let deferralMilliseconds: UInt64 = TimeLimit.milliseconds(5000)

    private let phase: Monitor<StorePhase>
    private let thread: DedicatedThread

    /// Waits up to `deferralMilliseconds` for the store.
    /// - Parameters:
    ///   - pollIntervalMilliseconds: interval for reading the open store's refusal.
    ///   - onOpen: called on the opener's thread each time the store was opened, before it is used otherwise.
    init(
        logger: Logger, pollIntervalMilliseconds: UInt64 = 1000, onOpen: @escaping @Sendable (any Store) -> Void = { _ in },
        open: @escaping StoreOpener.Opening
    ) throws(ThreadError) {
        let phase = Monitor(StorePhase.waiting(nil))
        self.phase = phase
        let opener = StoreOpener(phase, logger: logger, pollIntervalMilliseconds: pollIntervalMilliseconds, onOpen: onOpen, open: open)
        thread = try DedicatedThread { opener.run() }
        _ = phase.wait(timeoutMilliseconds: Self.deferralMilliseconds) { $0.isUndecided ? nil : () }
    }

    var refusal: StoreError? {
        do throws(StoreError) {
            return try store().refusal
        } catch {
            return error
        }
    }

    /// Closes the store; one that is being opened is closed as soon as it is open. Idempotent.
    @discardableResult
    func close() -> StoreError? {
        let last = phase.update { phase in
            defer { phase = .closed }
            return phase
        }
        if case .closed = last { return nil }
        thread.join()
        guard case .open(let store) = last else { return nil }
        return store.close()
    }

    private func store() throws(StoreError) -> any Store {
        switch phase.withLock({ $0 }) {
        case .open(let store): return store
        case .waiting(let reason): throw StoreError(.notOpen, reason?.cause ?? "the store is being opened", remedy: reason?.remedy)
        case .closed: throw StoreError(.closed, "the store is closed: the service is stopping")
        }
    }
}

// Each of these forwards to the open store.
extension DeferredStore {
    func accept(
        _ incoming: IncomingEvent, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void
    ) {
        do throws(StoreError) {
            try store().accept(incoming, telling: audience, isAwaited: isAwaited, completion: completion)
        } catch {
            completion(.failure(error))
        }
    }

    func accept(
        _ report: Report, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<ReportOutcome, StoreError>) -> Void
    ) {
        do throws(StoreError) {
            try store().accept(report, isAwaited: isAwaited, completion: completion)
        } catch {
            completion(.failure(error))
        }
    }

    func register(
        _ registration: Registration, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void
    ) {
        do throws(StoreError) {
            try store().register(registration, telling: audience, isAwaited: isAwaited, completion: completion)
        } catch {
            completion(.failure(error))
        }
    }

    func begin(
        _ call: BotCall, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<BotCallBeginning, StoreError>) -> Void
    ) {
        do throws(StoreError) {
            try store().begin(call, isAwaited: isAwaited, completion: completion)
        } catch {
            completion(.failure(error))
        }
    }

    func end(_ call: UUIDv7, _ ending: BotCall.Ending, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        do throws(StoreError) {
            try store().end(call, ending, completion: completion)
        } catch {
            completion(.failure(error))
        }
    }

    func botCall(_ id: UUIDv7) throws(StoreError) -> BotCall? { try store().botCall(id) }

    func botCalls(_ filter: BotCallFilter, after: BotCallCursor?, limit: Int) throws(StoreError) -> BotCallPage {
        try store().botCalls(filter, after: after, limit: limit)
    }

    func markLostBotCalls(startedBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int) throws(StoreError) -> [BotCall] {
        try store().markLostBotCalls(startedBefore: startedBefore, now: now, limit: limit)
    }

    func devices(_ filter: DeviceFilter, after: Device.Key?, limit: Int) throws(StoreError) -> [Device] {
        try store().devices(filter, after: after, limit: limit)
    }

    func removeDevices(_ filter: DeviceFilter, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int {
        try store().removeDevices(filter, now: now, telling: audience)
    }

    func removeIdleDevices(
        seenBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        try store().removeIdleDevices(seenBefore: seenBefore, now: now, limit: limit, telling: audience)
    }

    func work(
        _ finished: [FinishedAttempt], _ claims: [Claim], telling audience: RegistryAudience
    ) throws(StoreError) -> [Result<Claimed, StoreError>] {
        try store().work(finished, claims, telling: audience)
    }

    func claimedAttempts() throws(StoreError) -> [ClaimedAttempt] { try store().claimedAttempts() }

    func page(of filter: DeliveryFilter, after: DeliveryCursor?, limit: Int) throws(StoreError) -> DeliveryPage {
        try store().page(of: filter, after: after, limit: limit)
    }

    func story(of id: UUIDv7) throws(StoreError) -> DeliveryStory? { try store().story(of: id) }

    func incoming(ofForgotten comment: HelpDeskID, appID: String) throws(StoreError) -> UnixMilliseconds? {
        try store().incoming(ofForgotten: comment, appID: appID)
    }

    func retry(
        _ filter: DeliveryFilter, after: DeliveryCursor?, limit: Int, now: UnixMilliseconds, expiresAt: UnixMilliseconds
    ) throws(StoreError) -> RetryStep {
        try store().retry(filter, after: after, limit: limit, now: now, expiresAt: expiresAt)
    }

    func giveUpExpired(now: UnixMilliseconds, expiredBy: UnixMilliseconds, limit: Int) throws(StoreError) -> [ExpiredDeliveries] {
        try store().giveUpExpired(now: now, expiredBy: expiredBy, limit: limit)
    }

    func expireBy(_ latest: UnixMilliseconds, limit: Int) throws(StoreError) { try store().expireBy(latest, limit: limit) }

    func trustedTime() throws(StoreError) -> TrustedTime? { try store().trustedTime() }

    func keep(_ time: TrustedTime) throws(StoreError) { try store().keep(time) }

    func giveUpPending(notifier: String, now: UnixMilliseconds, limit: Int) throws(StoreError) -> Int {
        try store().giveUpPending(notifier: notifier, now: now, limit: limit)
    }

    func purge(now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int
    {
        try store().purge(now: now, deliveredBefore: deliveredBefore, deadBefore: deadBefore, limit: limit)
    }

    func forget(_ state: Delivery.State, endedBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int {
        try store().forget(state, endedBefore: endedBefore, limit: limit)
    }

    func pending() throws(StoreError) -> [PendingDeliveries] { try store().pending() }

    func dead() throws(StoreError) -> DeadCounts { try store().dead() }

    func revoke(
        _ revocation: Revocation, of person: AppUser?, announcing incoming: IncomingEvent?, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        try store().revoke(revocation, of: person, announcing: incoming, telling: audience)
    }

    func signOutDevices(
        coveredBy revocation: Revocation, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        try store().signOutDevices(coveredBy: revocation, now: now, telling: audience)
    }

    func signOutRevokedDevices(now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int? {
        try store().signOutRevokedDevices(now: now, telling: audience)
    }

    func formerSalt() throws(StoreError) -> [UInt8]? { try store().formerSalt() }

    func erase(_ person: AppUser, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Erasure {
        try store().erase(person, now: now, telling: audience)
    }

    func proveErasure(of traces: PersonTraces) throws(StoreError) -> ErasureProof { try store().proveErasure(of: traces) }

    func revocations(_ filter: RevocationFilter, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation] {
        try store().revocations(filter, after: after, limit: limit)
    }

    func search(for query: NameQuery, after: NameCursor?, limit: Int) throws(StoreError) -> NamePage {
        try store().search(for: query, after: after, limit: limit)
    }

    func registrationCalls(of person: AppUser, devices: [String]) throws(StoreError) -> RegistrationCalls {
        try store().registrationCalls(of: person, devices: devices)
    }

    func removeRevocation(_ id: UUIDv7) throws(StoreError) -> Revocation? { try store().removeRevocation(id) }

    func revocationChanges(since version: Int64?) throws(StoreError) -> RevocationChanges { try store().revocationChanges(since: version) }

    func record(_ uses: [KeyUse]) throws(StoreError) { try store().record(uses) }

    func keyUses() throws(StoreError) -> [KeyUse] { try store().keyUses() }

    func conditions() throws(StoreError) -> [OperatorCondition] { try store().conditions() }

    func raise(_ condition: OperatorCondition, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool {
        try store().raise(condition, announcing: incoming)
    }

    func clear(_ key: OperatorCondition.Key, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool {
        try store().clear(key, announcing: incoming)
    }

    func ask(_ question: UserQuery) throws(StoreError) -> Int { try store().ask(question) }

    func answers(to question: UUIDv7) throws(StoreError) -> [[UInt8]] { try store().answers(to: question) }

    func openQueries() throws(StoreError) -> [UserQuery] { try store().openQueries() }

    func answer(_ question: UUIDv7, with answer: [UInt8]) throws(StoreError) { try store().answer(question, with: answer) }

    func announce(keysDigest: String) { try? store().announce(keysDigest: keysDigest) }

    var replicas: [Replica] { (try? store())?.replicas ?? [] }

    var pollMilliseconds: UInt64? { (try? store())?.pollMilliseconds }

    var clockOffsetMilliseconds: Int64? { (try? store())?.clockOffsetMilliseconds }

    var isNew: Bool { (try? store())?.isNew ?? false }

    var replicaStatus: ReplicaStatus { (try? store())?.replicaStatus ?? .alone }

    var refused: [RefusedDeliveries] { (try? store().refused) ?? [] }
}
