package import Core
internal import Threading
package import Time

/// The reference implementation of `Store`, for tests and demonstrations. All data are lost when the process ends.
///
/// Each claim scans all deliveries, so the store is suitable for thousands of deliveries, not for millions.
package final class MemoryStore: Store {
    private let state: Monitor<MemoryState?>
    private let rules: MemoryRules

    /// Creates an empty store.
    /// - Parameters:
    ///     - settings: only `bounds` and `devicesPerUser` are used.
    ///   - random: generates the ids of registry events.
    package init(
        settings: StoreSettings = StoreSettings(), random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        rules = MemoryRules(bounds: settings.bounds, devicesPerUser: settings.devicesPerUser)
        state = Monitor(MemoryState(random: random))
    }

    /// Always calls the completion on the caller's thread, before it returns.
    package func accept(
        _ incoming: IncomingEvent, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void
    ) {
        completion(state.withLock { $0?.accept(incoming, audience: audience, rules: rules) ?? .failure(.closed) })
    }

    /// Always calls the completion on the caller's thread, before it returns.
    package func accept(
        _ report: Report, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<ReportOutcome, StoreError>) -> Void
    ) {
        completion(state.withLock { $0?.accept(report, rules) ?? .failure(.closed) })
    }

    /// Always calls the completion on the caller's thread, before it returns.
    package func register(
        _ registration: Registration, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void
    ) {
        completion(
            state.withLock { state in
                (state?.register(registration, audience: audience, rules: rules)).map { .success($0) } ?? .failure(.closed)
            })
    }

    /// Always calls the completion on the caller's thread, before it returns.
    package func begin(
        _ call: BotCall, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<BotCallBeginning, StoreError>) -> Void
    ) {
        completion(state.withLock { state in (state?.botCalls.begin(call)).map { .success($0) } ?? .failure(.closed) })
    }

    /// Always calls the completion on the caller's thread, before it returns.
    package func end(_ call: UUIDv7, _ ending: BotCall.Ending, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        completion(state.withLock { state in (state?.botCalls.end(call, ending)).map { .success($0) } ?? .failure(.closed) })
    }

    package func botCall(_ id: UUIDv7) throws(StoreError) -> BotCall? { try whileOpen { $0.botCalls[id] } }

    package func botCalls(_ filter: BotCallFilter, after: BotCallCursor?, limit: Int) throws(StoreError) -> BotCallPage {
        StoreRules.check(limit: limit)
        return try whileOpen { $0.botCalls.page(filter, after: after, limit: limit) }
    }

    package func markLostBotCalls(startedBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int) throws(StoreError) -> [BotCall] {
        StoreRules.check(limit: limit)
        return try whileOpen { $0.botCalls.giveUp(startedBefore: startedBefore, now: now, limit: limit) }
    }

    package func devices(_ filter: DeviceFilter, after: Device.Key?, limit: Int) throws(StoreError) -> [Device] {
        StoreRules.check(limit: limit)
        return try whileOpen { state in
            let all = state.devices.devices(filter).lazy.compactMap(\.device)
            return Array(all.filter { device in after.map { $0 < device.key } ?? true }.prefix(limit))
        }
    }

    package func removeDevices(_ filter: DeviceFilter, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int
    {
        StoreRules.checkRemoval(filter)
        return try whileOpen { $0.removeDevices(filter, now: now, audience: audience, rules: rules) }
    }

    package func removeIdleDevices(
        seenBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        StoreRules.check(limit: limit)
        return try whileOpen { $0.removeIdleDevices(seenBefore: seenBefore, now: now, limit: limit, audience, rules) }
    }

    /// All claims succeed or fail together.
    package func work(
        _ finished: [FinishedAttempt], _ claims: [Claim], telling audience: RegistryAudience
    ) throws(StoreError) -> [Result<Claimed, StoreError>] {
        for claim in claims { StoreRules.check(claim) }
        return try whileOpen { state in
            for result in finished { state.finish(result, audience: audience, rules: rules) }
            return state.claimDue(claims).map { .success($0) }
        }
    }

    package func page(of filter: DeliveryFilter, after: DeliveryCursor?, limit: Int) throws(StoreError) -> DeliveryPage {
        StoreRules.check(limit: limit)
        return try whileOpen { $0.page(of: filter, after: after, limit: limit) }
    }

    package func story(of id: UUIDv7) throws(StoreError) -> DeliveryStory? {
        try whileOpen { state in
            state.entries.first { $0.delivery.id == id }.map { DeliveryStory(delivery: state.shown($0), attempts: $0.attempts) }
        }
    }

    package func retry(
        _ filter: DeliveryFilter, after: DeliveryCursor?, limit: Int, now: UnixMilliseconds, expiresAt: UnixMilliseconds
    ) throws(StoreError) -> RetryStep {
        StoreRules.check(limit: limit)
        return try whileOpen { $0.retry(filter, after: after, limit: limit, now: now, expiresAt: expiresAt, rules) }
    }

    package func giveUpExpired(now: UnixMilliseconds, expiredBy: UnixMilliseconds, limit: Int) throws(StoreError) -> [ExpiredDeliveries] {
        StoreRules.check(limit: limit)
        return try whileOpen { $0.giveUpExpired(now: now, expiredBy: expiredBy, limit: limit) }
    }

    package func expireBy(_ latest: UnixMilliseconds, limit: Int) throws(StoreError) {
        StoreRules.check(limit: limit)
        try whileOpen { $0.expireBy(latest, limit: limit) }
    }

    package func trustedTime() throws(StoreError) -> TrustedTime? { try whileOpen { $0.time } }

    package func keep(_ time: TrustedTime) throws(StoreError) { try whileOpen { $0.time = time } }

    package func giveUpPending(notifier: String, now: UnixMilliseconds, limit: Int) throws(StoreError) -> Int {
        StoreRules.check(limit: limit)
        return try whileOpen { $0.giveUpPending(notifier: notifier, now: now, limit: limit) }
    }

    package func purge(now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds, limit: Int)
        throws(StoreError) -> Int
    {
        StoreRules.check(limit: limit)
        return try whileOpen { $0.purge(now: now, deliveredBefore: deliveredBefore, deadBefore: deadBefore, limit: limit) }
    }

    package func forget(_ state: Delivery.State, endedBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int {
        StoreRules.check(limit: limit)
        return try whileOpen { $0.forget(limit: limit) { $0.state == state ? endedBefore : 0 } }
    }

    package func pending() throws(StoreError) -> [PendingDeliveries] {
        try whileOpen { $0.pending() }
    }

    package func dead() throws(StoreError) -> DeadCounts {
        try whileOpen { $0.dead() }
    }

    package func incoming(ofForgotten comment: HelpDeskID, appID: String) throws(StoreError) -> UnixMilliseconds? {
        try whileOpen { state in
            state.past.lazy.filter { $0.key.commentID == comment && $0.key.appID.utf8.elementsEqual(appID.utf8) }.map(\.value.receivedAt)
                .max()
        }
    }

    package func revoke(
        _ revocation: Revocation, of person: AppUser?, announcing incoming: IncomingEvent?, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        try whileOpen { $0.revoke(revocation, of: person, incoming: incoming, audience: audience, rules: rules) }
    }

    package func signOutDevices(
        coveredBy revocation: Revocation, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        try whileOpen { $0.signOutDevices(coveredBy: revocation, now: now, audience, rules) }
    }

    /// Always returns nil, because `signOutDevices` examines all devices.
    package func signOutRevokedDevices(now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int? { nil }

    package func formerSalt() throws(StoreError) -> [UInt8]? { try whileOpen { $0.revocations.salt } }

    package func erase(
        _ person: AppUser, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Erasure {
        try whileOpen { $0.erase(person, now: now, audience: audience, rules: rules) }
    }

    package func proveErasure(of traces: PersonTraces) throws(StoreError) -> ErasureProof {
        try whileOpen { $0.proveErasure(of: traces.person) }
    }

    package func revocations(_ filter: RevocationFilter, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation] {
        StoreRules.check(limit: limit)
        return try whileOpen { $0.revocations.list(filter, after: after, limit: limit) }
    }

    package func search(for query: NameQuery, after: NameCursor?, limit: Int) throws(StoreError) -> NamePage {
        try whileOpen { $0.search(for: query, after: after, limit: limit) }
    }

    package func removeRevocation(_ id: UUIDv7) throws(StoreError) -> Revocation? { try whileOpen { $0.revocations.remove(id) } }

    package func revocationChanges(since version: Int64?) throws(StoreError) -> RevocationChanges {
        try whileOpen { $0.revocations.changes(since: version) }
    }

    package var refused: [RefusedDeliveries] {
        RefusedDeliveries.list(state.withLock { $0?.refused } ?? [:])
    }

    package var refusal: StoreError? {
        state.withLock { state in
            guard let state else { return .closed }
            return state.pendingCount >= rules.bounds.maxPending ? rules.bounds.commonQueueFull : nil
        }
    }

    package func record(_ uses: [KeyUse]) throws(StoreError) {
        try whileOpen { state in for use in uses { state.keyUses.record(use) } }
    }

    package func registrationCalls(of person: AppUser, devices: [String]) throws(StoreError) -> RegistrationCalls {
        try whileOpen { state in
            RegistrationCalls(
                user: state.devices.person(appID: person.appID, userID: person.userID).calls,
                devices: devices.map {
                    state.devices.calls(ofDevice: Device.Key(appID: person.appID, userID: person.userID, deviceID: $0))
                })
        }
    }

    package func keyUses() throws(StoreError) -> [KeyUse] { try whileOpen { $0.keyUses.all } }

    package func conditions() throws(StoreError) -> [OperatorCondition] {
        try whileOpen { $0.conditions.values.sorted { $0.key < $1.key } }
    }

    package func raise(_ condition: OperatorCondition, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool {
        try whileOpen { $0.raise(condition, incoming: incoming, rules: rules) }
    }

    package func clear(_ key: OperatorCondition.Key, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool {
        try whileOpen { $0.clear(key, incoming: incoming, rules: rules) }
    }

    /// Deletes all data.
    @discardableResult
    package func close() -> StoreError? {
        state.withLock { $0 = nil }
        return nil
    }

    /// Simulates the opening of a file store: attempts in progress are interrupted, their deliveries are due immediately, and the order of
    /// turns starts again.
    func releaseLeases() throws(StoreError) {
        try whileOpen { $0.releaseLeases() }
    }

    private func whileOpen<Value>(_ body: (inout MemoryState) -> Value) throws(StoreError) -> Value {
        let value: Value? = state.withLock { state in
            guard var open = state.take() else { return nil }
            defer { state = open }
            return body(&open)
        }
        guard let value else { throw .closed }
        return value
    }
}
