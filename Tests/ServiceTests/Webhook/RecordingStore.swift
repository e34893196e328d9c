import Core
import Storage
import TestSupport
import Threading
import Time

/// A store that records its calls and completes them on its own thread, as the test sets.
final class RecordingStore: Store {
    private struct Work {
        let incoming: IncomingEvent
        let completion: @Sendable (Result<Acceptance, StoreError>) -> Void
    }

    private struct State {
        var work: [Work] = []
        var accepted: [IncomingEvent] = []
        var registrations: [Registration] = []
        var failure: StoreError?
        var isHolding = false
        var isIgnoring = false
        var isClosed = false
    }

    private enum Step {
        case answer(Work, Result<Acceptance, StoreError>)
        case end
    }

    private let state: Monitor<State>
    private let thread: DedicatedThread
    private let registry = MemoryStore()

    /// - Parameter failure: the error for each event and registration; nil for success.
    init(failure: StoreError? = nil) {
        let state = Monitor(State(failure: failure))
        self.state = state
        thread = startThread {
            while case .answer(let work, let result)? = state.wait({ Self.step(&$0) }) { work.completion(result) }
        }
    }

    var accepted: [IncomingEvent] { state.withLock { $0.accepted } }

    var registrations: [Registration] { state.withLock { $0.registrations } }

    /// Completes no call until `release()`.
    func hold() {
        state.update { $0.isHolding = true }
    }

    func release() {
        state.update { $0.isHolding = false }
    }

    /// Ignores every event from now on, like those about forgotten persons.
    func ignore() {
        state.update { $0.isIgnoring = true }
    }

    /// Waits until `count` events wait for completion.
    /// - Returns: false at the time limit, which only a failing test reaches.
    func waitForWork(_ count: Int) -> Bool {
        state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.work.count >= count ? true : nil } != nil
    }

    func accept(
        _ incoming: IncomingEvent, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void
    ) {
        state.update { $0.work.append(Work(incoming: incoming, completion: completion)) }
    }

    func accept(
        _ report: Report, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<ReportOutcome, StoreError>) -> Void
    ) {
        preconditionFailure("no test of this store sends a report")
    }

    func register(
        _ registration: Registration, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void
    ) {
        let failure = state.withLock { state in
            state.registrations.append(registration)
            return state.failure
        }
        if let failure { return completion(.failure(failure)) }
        registry.register(registration, telling: audience, isAwaited: isAwaited, completion: completion)
    }

    @discardableResult
    func close() -> StoreError? {
        state.update { $0.isClosed = true }
        thread.join()
        return nil
    }

    private static func step(_ state: inout State) -> Step? {
        guard !state.isHolding, !state.work.isEmpty else { return state.isClosed ? .end : nil }
        let work = state.work.removeFirst()
        if let failure = state.failure { return .answer(work, .failure(failure)) }
        if let earlier = state.accepted.first(where: { $0.event.identity == work.incoming.event.identity }) {
            return .answer(work, .success(.duplicate(of: earlier.event.id)))
        }
        if state.isIgnoring { return .answer(work, .success(.ignored)) }
        state.accepted.append(work.incoming)
        return .answer(work, .success(.accepted))
    }

    // Webhooks call none of these.

    var refusal: StoreError? { nil }

    var refused: [RefusedDeliveries] { [] }

    func work(
        _ finished: [FinishedAttempt], _ claims: [Claim], telling audience: RegistryAudience
    ) throws(StoreError) -> [Result<Claimed, StoreError>] { [] }

    func devices(_ filter: DeviceFilter, after: Device.Key?, limit: Int) throws(StoreError) -> [Device] { [] }

    func removeDevices(_ filter: DeviceFilter, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int { 0 }

    func removeIdleDevices(
        seenBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int, telling audience: RegistryAudience
    ) throws(StoreError) -> Int { 0 }

    func page(of filter: DeliveryFilter, after: DeliveryCursor?, limit: Int) throws(StoreError) -> DeliveryPage {
        DeliveryPage([], limit: limit)
    }

    func story(of id: UUIDv7) throws(StoreError) -> DeliveryStory? { nil }

    func retry(
        _ filter: DeliveryFilter, after: DeliveryCursor?, limit: Int, now: UnixMilliseconds, expiresAt: UnixMilliseconds
    ) throws(StoreError) -> RetryStep { RetryStep() }

    func giveUpExpired(now: UnixMilliseconds, expiredBy: UnixMilliseconds, limit: Int) throws(StoreError) -> [ExpiredDeliveries] { [] }

    func expireBy(_ latest: UnixMilliseconds, limit: Int) throws(StoreError) {}

    func trustedTime() throws(StoreError) -> TrustedTime? { nil }

    func record(_ uses: [KeyUse]) throws(StoreError) {}

    func registrationCalls(of person: AppUser, devices: [String]) throws(StoreError) -> RegistrationCalls {
        RegistrationCalls(user: CallTimes(), devices: [])
    }

    func begin(
        _ call: BotCall, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<BotCallBeginning, StoreError>) -> Void
    ) { preconditionFailure("no test of this store calls a bot") }

    func end(_ call: UUIDv7, _ ending: BotCall.Ending, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        preconditionFailure("no test of this store calls a bot")
    }

    func botCall(_ id: UUIDv7) throws(StoreError) -> BotCall? { nil }

    func botCalls(_ filter: BotCallFilter, after: BotCallCursor?, limit: Int) throws(StoreError) -> BotCallPage {
        BotCallPage([], next: nil)
    }

    func markLostBotCalls(startedBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int) throws(StoreError) -> [BotCall] { [] }

    func keyUses() throws(StoreError) -> [KeyUse] { [] }

    func conditions() throws(StoreError) -> [OperatorCondition] { [] }

    func raise(_ condition: OperatorCondition, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool { false }

    func clear(_ key: OperatorCondition.Key, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool { false }

    func keep(_ time: TrustedTime) throws(StoreError) {}

    func giveUpPending(notifier: String, now: UnixMilliseconds, limit: Int) throws(StoreError) -> Int { 0 }

    func purge(now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int
    { 0 }

    func forget(_ state: Delivery.State, endedBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int { 0 }

    func pending() throws(StoreError) -> [PendingDeliveries] { [] }

    func dead() throws(StoreError) -> DeadCounts { DeadCounts([], endedBy: nil) }

    func incoming(ofForgotten comment: HelpDeskID, appID: String) throws(StoreError) -> UnixMilliseconds? { nil }

    /// Later registrations are rejected.
    func revoke(
        _ revocation: Revocation, of person: AppUser?, announcing incoming: IncomingEvent?, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        try registry.revoke(revocation, of: person, announcing: incoming, telling: audience)
    }

    func signOutDevices(
        coveredBy revocation: Revocation, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Int { 0 }

    func signOutRevokedDevices(now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int? { nil }

    func formerSalt() throws(StoreError) -> [UInt8]? { nil }

    func erase(_ person: AppUser, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Erasure {
        Erasure()
    }

    func proveErasure(of traces: PersonTraces) throws(StoreError) -> ErasureProof { ErasureProof(tables: [], waiting: []) }

    func revocations(_ filter: RevocationFilter, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation] { [] }

    func search(for query: NameQuery, after: NameCursor?, limit: Int) throws(StoreError) -> NamePage { NamePage([], next: nil) }

    func removeRevocation(_ id: UUIDv7) throws(StoreError) -> Revocation? { nil }

    func revocationChanges(since version: Int64?) throws(StoreError) -> RevocationChanges {
        RevocationChanges(changes: [], version: 0, isComplete: true)
    }
}
