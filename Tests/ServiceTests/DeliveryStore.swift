import Core
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// A store in memory that can be made to fail chosen operations.
final class DeliveryStore: Store {
    enum Operation: Sendable, Hashable {
        case work
        /// Every claim of a `work` call; its reports are stored.
        case claims
        /// Every claim of a `work` call that also stores reports.
        case claimsBesideReports
        case revocations
        case revocationLists
        /// Recording the use of keys.
        case keyUses
        /// Reading the recorded uses of keys.
        case keyUseReads
        /// Signing out devices after a revocation.
        case signOuts
    }

    private struct State {
        var refused: [Operation: Int] = [:]
        var refusals = 0
        var tellsOfRefusal = false
        var works: [(finished: Int, claims: [String])] = []
        var status = ReplicaStatus.alone
        var standingReads = 0
        var signOuts = (calls: 0, left: 0)
        var interruption: (answersLeft: Int, body: @Sendable () throws(StoreError) -> Void)?
    }

    /// Whether counting the dead deliveries is suspended, and the number of calls that wait for it.
    private let hold = Monitor((isHeld: false, waiting: 0))

    static let perNotifier = 900

    private let store: any Store
    private let state = Monitor(State())

    init() throws {
        store = try Configuration.Store(
            kind: .memory, maximumPending: 1000, maximumPendingPerNotifier: Self.perNotifier, minimumFreeMegabytes: 0
        )
        .open(devicesPerUser: 20)
    }

    /// Makes the next `times` calls of this operation fail.
    func refuse(_ operation: Operation, times: Int) {
        state.update { $0.refused[operation] = times }
    }

    /// Suspends or resumes counting the dead deliveries, like a disk that hangs.
    func holdDead(_ isHeld: Bool) {
        hold.update { $0.isHeld = isHeld }
    }

    var heldCalls: Int { hold.withLock { $0.waiting } }

    /// Sets the number of remaining steps to sign out devices.
    func leaveSignOuts(_ count: Int) {
        state.update { $0.signOuts = (0, count) }
    }

    var signOutCalls: Int { state.withLock { $0.signOuts.calls } }

    /// Calls `body` once: when revocations have been read `count` times, before the last read returns.
    func afterAnswers(_ count: Int, _ body: @escaping @Sendable () throws(StoreError) -> Void) {
        state.update { $0.interruption = (count, body) }
    }

    private func noteAnswer() throws(StoreError) {
        let body = state.withLock { state -> (@Sendable () throws(StoreError) -> Void)? in
            state.interruption?.answersLeft -= 1
            guard let interruption = state.interruption, interruption.answersLeft == 0 else { return nil }
            state.interruption = nil
            return interruption.body
        }
        try body?()
    }

    /// Reports that the store refuses writes.
    func tellOfRefusal() {
        state.update { $0.tellsOfRefusal = true }
    }

    var refusals: Int { state.withLock { $0.refusals } }

    /// The calls of `work`, each with its number of reports and the notifiers that it claimed for.
    var works: [(finished: Int, claims: [String])] { state.withLock { $0.works } }

    /// Makes the store report this status of the other replicas.
    func set(_ status: ReplicaStatus) {
        state.update { $0.status = status }
    }

    /// The number of reads of the status; the dispatcher reads it once in each pass.
    var standingReads: Int { state.withLock { $0.standingReads } }

    var replicaStatus: ReplicaStatus {
        state.withLock { state in
            state.standingReads += 1
            return state.status
        }
    }

    private static let refusal = StoreError(.unavailable, "refused by the test")

    private func isRefused(_ operation: Operation) -> Bool {
        state.withLock { state in
            guard let left = state.refused[operation], left > 0 else { return false }
            state.refused[operation] = left - 1
            state.refusals += 1
            return true
        }
    }

    func accept(
        _ incoming: IncomingEvent, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void
    ) {
        store.accept(incoming, telling: audience, isAwaited: isAwaited, completion: completion)
    }

    func accept(
        _ report: Report, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<ReportOutcome, StoreError>) -> Void
    ) {
        store.accept(report, isAwaited: isAwaited, completion: completion)
    }

    func work(
        _ finished: [FinishedAttempt], _ claims: [Claim], telling audience: RegistryAudience
    ) throws(StoreError) -> [Result<Claimed, StoreError>] {
        state.update { $0.works.append((finished.count, claims.map(\.notifier))) }
        if isRefused(.work) { throw Self.refusal }
        let refusesClaims = !claims.isEmpty && (isRefused(.claims) || !finished.isEmpty && isRefused(.claimsBesideReports))
        guard refusesClaims else { return try store.work(finished, claims, telling: audience) }
        return try store.work(finished, [], telling: audience) + claims.map { _ in .failure(Self.refusal) }
    }

    func register(
        _ registration: Registration, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void
    ) { store.register(registration, telling: audience, isAwaited: isAwaited, completion: completion) }

    func devices(_ filter: DeviceFilter, after: Device.Key?, limit: Int) throws(StoreError) -> [Device] {
        try store.devices(filter, after: after, limit: limit)
    }

    func removeDevices(_ filter: DeviceFilter, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int {
        try store.removeDevices(filter, now: now, telling: audience)
    }

    func removeIdleDevices(
        seenBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        try store.removeIdleDevices(seenBefore: seenBefore, now: now, limit: limit, telling: audience)
    }

    func page(of filter: DeliveryFilter, after: DeliveryCursor?, limit: Int) throws(StoreError) -> DeliveryPage {
        try store.page(of: filter, after: after, limit: limit)
    }

    func story(of id: UUIDv7) throws(StoreError) -> DeliveryStory? { try store.story(of: id) }

    func retry(
        _ filter: DeliveryFilter, after: DeliveryCursor?, limit: Int, now: UnixMilliseconds, expiresAt: UnixMilliseconds
    ) throws(StoreError) -> RetryStep {
        try store.retry(filter, after: after, limit: limit, now: now, expiresAt: expiresAt)
    }

    func giveUpExpired(now: UnixMilliseconds, expiredBy: UnixMilliseconds, limit: Int) throws(StoreError) -> [ExpiredDeliveries] {
        try store.giveUpExpired(now: now, expiredBy: expiredBy, limit: limit)
    }

    func expireBy(_ latest: UnixMilliseconds, limit: Int) throws(StoreError) { try store.expireBy(latest, limit: limit) }

    func trustedTime() throws(StoreError) -> TrustedTime? { try store.trustedTime() }

    func record(_ uses: [KeyUse]) throws(StoreError) {
        if isRefused(.keyUses) { throw Self.refusal }
        try store.record(uses)
    }

    func registrationCalls(of person: AppUser, devices: [String]) throws(StoreError) -> RegistrationCalls {
        try store.registrationCalls(of: person, devices: devices)
    }

    func begin(
        _ call: BotCall, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<BotCallBeginning, StoreError>) -> Void
    ) { store.begin(call, isAwaited: isAwaited, completion: completion) }

    func end(_ call: UUIDv7, _ ending: BotCall.Ending, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        store.end(call, ending, completion: completion)
    }

    func botCall(_ id: UUIDv7) throws(StoreError) -> BotCall? { try store.botCall(id) }

    func botCalls(_ filter: BotCallFilter, after: BotCallCursor?, limit: Int) throws(StoreError) -> BotCallPage {
        try store.botCalls(filter, after: after, limit: limit)
    }

    func markLostBotCalls(startedBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int) throws(StoreError) -> [BotCall] {
        try store.markLostBotCalls(startedBefore: startedBefore, now: now, limit: limit)
    }

    func keyUses() throws(StoreError) -> [KeyUse] {
        if isRefused(.keyUseReads) { throw Self.refusal }
        return try store.keyUses()
    }

    func conditions() throws(StoreError) -> [OperatorCondition] { try store.conditions() }

    func raise(_ condition: OperatorCondition, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool {
        try store.raise(condition, announcing: incoming)
    }

    func clear(_ key: OperatorCondition.Key, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool {
        try store.clear(key, announcing: incoming)
    }

    func keep(_ time: TrustedTime) throws(StoreError) { try store.keep(time) }

    func giveUpPending(notifier: String, now: UnixMilliseconds, limit: Int) throws(StoreError) -> Int {
        try store.giveUpPending(notifier: notifier, now: now, limit: limit)
    }

    func purge(now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int
    {
        try store.purge(now: now, deliveredBefore: deliveredBefore, deadBefore: deadBefore, limit: limit)
    }

    func forget(_ state: Delivery.State, endedBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int {
        try store.forget(state, endedBefore: endedBefore, limit: limit)
    }

    var refused: [RefusedDeliveries] { store.refused }

    func pending() throws(StoreError) -> [PendingDeliveries] { try store.pending() }

    func dead() throws(StoreError) -> DeadCounts {
        hold.update { $0.waiting += 1 }
        defer { hold.update { $0.waiting -= 1 } }
        _ = hold.wait { $0.isHeld ? nil : () }
        return try store.dead()
    }

    func incoming(ofForgotten comment: HelpDeskID, appID: String) throws(StoreError) -> UnixMilliseconds? {
        try store.incoming(ofForgotten: comment, appID: appID)
    }

    func revoke(
        _ revocation: Revocation, of person: AppUser?, announcing incoming: IncomingEvent?, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        try store.revoke(revocation, of: person, announcing: incoming, telling: audience)
    }

    func signOutDevices(
        coveredBy revocation: Revocation, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        if isRefused(.signOuts) { throw Self.refusal }
        return try store.signOutDevices(coveredBy: revocation, now: now, telling: audience)
    }

    /// Returns the number set by `leaveSignOuts`; a store in memory has none.
    func signOutRevokedDevices(now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int? {
        state.withLock { state in
            state.signOuts.calls += 1
            guard state.signOuts.left > 0 else { return nil }
            state.signOuts.left -= 1
            return 1
        }
    }

    func formerSalt() throws(StoreError) -> [UInt8]? { try store.formerSalt() }

    func erase(_ person: AppUser, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Erasure {
        try store.erase(person, now: now, telling: audience)
    }

    func proveErasure(of traces: PersonTraces) throws(StoreError) -> ErasureProof { try store.proveErasure(of: traces) }

    func revocations(_ filter: RevocationFilter, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation] {
        if isRefused(.revocationLists) { throw Self.refusal }
        let found = try store.revocations(filter, after: after, limit: limit)
        try noteAnswer()
        return found
    }

    func search(for query: NameQuery, after: NameCursor?, limit: Int) throws(StoreError) -> NamePage {
        try store.search(for: query, after: after, limit: limit)
    }

    func removeRevocation(_ id: UUIDv7) throws(StoreError) -> Revocation? { try store.removeRevocation(id) }

    func revocationChanges(since version: Int64?) throws(StoreError) -> RevocationChanges {
        if isRefused(.revocations) { throw Self.refusal }
        let invalidation = try store.revocationChanges(since: version)
        try noteAnswer()
        return invalidation
    }

    var refusal: StoreError? { state.withLock { $0.tellsOfRefusal } ? Self.refusal : store.refusal }

    @discardableResult
    func close() -> StoreError? { store.close() }
}
