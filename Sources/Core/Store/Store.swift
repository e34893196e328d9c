package import Time

/// Stores events, deliveries, devices, revocations and bot calls. Each method is one transition of them, by the rules in `Core`.
///
/// A delivery goes through three calls: `accept` makes it pending, `work` claims it for an attempt, and the next `work` reports the
/// outcome.
///
///     store.accept(event, telling: audience, isAwaited: { true }) { result in
///         // .success(.accepted): the event and its deliveries are durable
///     }
///     let claim = Claim(notifier: "backend", now: now, leaseMilliseconds: 60_000, limit: 10)
///     let claimed = try store.work([], [claim], telling: audience)[0].get()
///     let finished = claimed.deliveries.map { delivery in
///         FinishedAttempt(id: delivery.id, attempt: delivery.attempts, next: .delivered, reason: "status_200", now: now)
///     }
///     _ = try store.work(finished, [], telling: audience)
///
/// A result that a method has returned is durable: it survives kill -9 and power loss. Without a report a claimed delivery is due again
/// when its lease ends, so an event is delivered at least once.
///
/// All methods may be called on any thread. Every method but `accept`, `register`, `begin` and `end` blocks until it is done, so it must
/// not be called on a thread that serves requests. `MemoryStore` is the reference; the suites `StoreContract…` run against every store.
package protocol Store: Sendable {
    /// Stores an event with its deliveries (`DeliveryPlan`, `DeliveryBounds`), unless it is stored already or its user was forgotten
    /// (`Admission`). The event's data is deleted as soon as none of its deliveries is pending or dead. Returns at once; the store commits
    /// many calls together.
    /// - Parameters:
    ///   - audience: receives changes that the event's token makes in the registry.
    ///   - isAwaited: whether a caller still waits for the completion; if not, the call may be dropped and fails. Must not block.
    ///   - completion: called exactly once, when the event is durable or cannot be stored: on the store's thread, or on the caller's thread
    ///     before this function returns if the result is known at once. It must neither block nor call other methods of the store but
    ///     `end`.
    func accept(
        _ incoming: IncomingEvent, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void)

    /// Stores the effects of a help desk's report, unless it was stored already: the states of its topics, and its events with their
    /// deliveries. The topics are read, the report is decided, and the result is written in one transaction, during which these topics do
    /// not change otherwise. A `ReadReceipt` also ends the pending deliveries that it covers, including those in progress, whose outcomes
    /// then have no effect. PostgreSQL skips deliveries that another replica is just claiming. Parameters as for the other `accept`.
    func accept(
        _ report: Report, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<ReportOutcome, StoreError>) -> Void)

    /// Registers or unsubscribes a device by the rules of `RegistryTransition`. One transaction checks revocations and limits, and writes
    /// the calls, the registry and its events. Parameters as for `accept`.
    func register(
        _ registration: Registration, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void)

    /// Stores a call of a bot's function before the backend is called, or a call that was refused. If a call with the same key is stored
    /// already, returns that one: of two concurrent calls, even in two processes, exactly one is `new`. A call without a key is not urgent
    /// and may be committed some milliseconds later. Parameters as for `accept`.
    func begin(
        _ call: BotCall, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<BotCallBeginning, StoreError>) -> Void)

    /// Stores the ending of a call (`BotCall.ended`); ignores a call that is not stored. Returns at once and is never refused for lack of
    /// room, because there are no more endings than calls in progress. May be committed some milliseconds later. If an ending cannot be
    /// stored, the call becomes `unknown`.
    /// - Parameter completion: as for `accept`.
    func end(_ call: UUIDv7, _ ending: BotCall.Ending, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)

    func botCall(_ id: UUIDv7) throws(StoreError) -> BotCall?

    /// The matching calls, in descending order of begin: fewer than `limit` when matches are rare, so that no page takes long.
    func botCalls(_ filter: BotCallFilter, after: BotCallCursor?, limit: Int) throws(StoreError) -> BotCallPage

    /// Marks calls as `unknown` that began before a time and have no ending, because their process has ended. Of several processes exactly
    /// one gets each call.
    /// - Returns: the updated calls.
    func markLostBotCalls(startedBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int) throws(StoreError) -> [BotCall]

    /// The matching registered devices, ordered by the bytes of user and device id. `after` is the last device of the previous page.
    func devices(_ filter: DeviceFilter, after: Device.Key?, limit: Int) throws(StoreError) -> [Device]

    /// Removes a user's devices for an operator. Tombstones and the calls that limits count stay.
    /// - Precondition: the filter names the user.
    /// - Returns: the number of devices.
    func removeDevices(_ filter: DeviceFilter, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int

    /// Removes devices that were last seen before a time, and deletes tombstones of that age.
    /// - Returns: the number of devices.
    func removeIdleDevices(
        seenBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int, telling audience: RegistryAudience
    ) throws(StoreError) -> Int

    /// Records the outcomes of attempts, then claims due deliveries for all notifiers, in one transaction. The first report on an attempt
    /// is final; a report on a deleted delivery is ignored. `DeviceUpdate` changes the registry.
    ///
    /// A claim counts an attempt for each of its deliveries and leases it; an unreported delivery is due again when the lease ends. Apps
    /// take turns, also across claims, so that the backlog of one app delays another by about one batch; within an app the longest due come
    /// first. The claim ends expired deliveries with the reason `expired`, and comments for a removed device as `noTarget`. Deliveries over
    /// a rate limit are postponed without counting an attempt; leased ones count as calls. Due times after `latestPlausibleDue` are first set to
    /// now. A claim does a limited amount of work: when it returns fewer deliveries than requested, `nextDue` shows whether more may be
    /// due.
    ///
    /// Claims also exchange the notifier's pauses with the processes that share the store.
    /// - Returns: the results in the order of the claims. A claim that fails, for example at an unreadable row, is rolled back; the other
    ///   claims and the reports are committed.
    /// - Throws: when the whole transaction was rolled back.
    func work(
        _ finished: [FinishedAttempt], _ claims: [Claim], telling audience: RegistryAudience
    ) throws(StoreError) -> [Result<Claimed, StoreError>]

    /// The attempts claimed by this process and not yet reported, including those from earlier instances of the store. Some may be unknown
    /// to the caller: a claim can be committed although its call failed. Empty if this process has the store alone; such a store releases
    /// the leases when it is opened.
    func claimedAttempts() throws(StoreError) -> [ClaimedAttempt]

    /// The matching deliveries, newest first: fewer than `limit` when matches are rare, so that no page takes long.
    func page(of filter: DeliveryFilter, after: DeliveryCursor?, limit: Int) throws(StoreError) -> DeliveryPage

    /// Searches all apps for a name: users with a device, a revocation or a stored delivery, devices, and the comments and tickets of
    /// stored deliveries. The first page has the results of indexed lookups; the rest comes from a scan of the devices, then of the events
    /// from the newest on. Pages are short where there is much to scan.
    /// - Parameter limit: the most devices of a page, at least 1; each app has few other matches.
    func search(for query: NameQuery, after: NameCursor?, limit: Int) throws(StoreError) -> NamePage

    /// A delivery with its attempts; nil when it is not stored.
    func story(of id: UUIDv7) throws(StoreError) -> DeliveryStory?

    /// Time of the last webhook of a comment that is stored for deduplication only, because its deliveries were deleted or it never had
    /// any; nil when there is none.
    func incoming(ofForgotten comment: HelpDeskID, appID: String) throws(StoreError) -> UnixMilliseconds?

    /// Makes matching dead deliveries pending again, due now, with a new expiry; attempts are counted on. Examines at most `limit` matches,
    /// newest first, in several short transactions. A delivery without room in the queue (`DeliveryBounds`), or of a forgotten user, stays
    /// dead.
    func retry(
        _ filter: DeliveryFilter, after: DeliveryCursor?, limit: Int, now: UnixMilliseconds, expiresAt: UnixMilliseconds
    ) throws(StoreError) -> RetryStep

    /// Gives up expired due deliveries with the reason `expired`, also of notifiers that do not claim.
    /// - Parameter expiredBy: deliveries with this expiry or an earlier one are expired: `now`, less the time held back after a jump of the
    ///   clock.
    /// - Returns: the numbers by notifier, in the order of the names' bytes.
    func giveUpExpired(now: UnixMilliseconds, expiredBy: UnixMilliseconds, limit: Int) throws(StoreError) -> [ExpiredDeliveries]

    /// Reduces later expiries of pending deliveries to `latest`: these deliveries arrived while the clock was ahead.
    func expireBy(_ latest: UnixMilliseconds, limit: Int) throws(StoreError)

    /// The trusted time stored by `keep`; nil in a new store.
    func trustedTime() throws(StoreError) -> TrustedTime?

    /// Stores the trusted time for the next process.
    func keep(_ time: TrustedTime) throws(StoreError)

    /// Marks pending deliveries of a notifier as dead, with the reason `purged`, for an operator. The outcome of an attempt in progress is
    /// recorded and has no effect.
    /// - Returns: the number of deliveries.
    func giveUpPending(notifier: String, now: UnixMilliseconds, limit: Int) throws(StoreError) -> Int

    /// Deletes deliveries that ended before the given times, each event with its last delivery, comments whose deduplication period is
    /// over, topics without news for that period, calls that no rate limit counts any more, and calls of bots (`BotCall.kept`).
    ///
    /// A comment is recognized for `Deduplication.milliseconds` after its arrival even if its deliveries are deleted: the help desk repeats
    /// unanswered webhooks, and an attacker may replay a captured one.
    /// - Parameter deliveredBefore: also applies to `noTarget`.
    /// - Returns: the number of rows.
    func purge(now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int

    /// Deletes deliveries in one state that ended before a time, as `purge` does. Does not apply to pending deliveries.
    /// - Returns: the number of deliveries.
    func forget(_ state: Delivery.State, endedBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int

    /// The pending deliveries by notifier, in the order of the names' bytes.
    func pending() throws(StoreError) -> [PendingDeliveries]

    /// The dead deliveries by notifier, app and reason at one moment, in no order. The store maintains the numbers in its transactions, so
    /// they are exact and cheap to read.
    func dead() throws(StoreError) -> DeadCounts

    /// Adds a revocation, stores the event that reports it, if any, and signs out the devices of the user that it covers, in one
    /// transaction. Deliveries without room in the queue end at once.
    /// - Parameter person: the user that it names, or whose key it revokes; nil when unknown, or when it covers all devices of an app.
    /// - Precondition: the revocation's id is new.
    /// - Returns: the number of devices that were signed out.
    func revoke(
        _ revocation: Revocation, of person: AppUser?, announcing incoming: IncomingEvent?, telling audience: RegistryAudience
    ) throws(StoreError) -> Int

    /// Signs out the devices covered by a revocation of a key, a key id or an app, unless `revoke` received the user. Uses several short
    /// transactions and may take some seconds; comments skip the devices at once (`DeliveryPlan.candidates`), and `signOutRevokedDevices`
    /// finishes an incomplete run. A device that registers during the revocation may keep its row; comments skip it, too.
    /// - Returns: the number of devices; 0 for a revocation that names a user.
    func signOutDevices(
        coveredBy revocation: Revocation, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Int

    /// Continues `signOutDevices` for revocations with unexamined devices; does a limited amount of work to keep the transaction short.
    /// - Returns: the number of devices, possibly 0; nil when all are signed out.
    func signOutRevokedDevices(now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int?

    /// The revocations in descending order of id. `after` is the last one of the previous page.
    func revocations(_ filter: RevocationFilter, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation]

    /// The last registrations of a user and of devices, for operators; empty for an unknown user.
    /// - Parameter devices: ids of the user's devices. Registrations by other users of the same device are included.
    func registrationCalls(of person: AppUser, devices: [String]) throws(StoreError) -> RegistrationCalls

    /// Removes a revocation. Its keys become valid again unless another revocation covers them.
    /// - Returns: the revocation; nil when there is none with this id, or when it concerns a forgotten user, which cannot be removed.
    func removeRevocation(_ id: UUIDv7) throws(StoreError) -> Revocation?

    /// The changes of the revocations since a version, at most some thousand: repeat until there are none. Costs one search without
    /// changes.
    /// - Parameter version: of earlier changes; nil returns the current version without changes.
    func revocationChanges(since version: Int64?) throws(StoreError) -> RevocationChanges

    /// The salt for forgotten users; nil when no user was forgotten.
    func formerSalt() throws(StoreError) -> [UInt8]?

    /// Deletes a user's devices, the recorded calls of the user and the devices, the bot calls for the user, and all events about the user
    /// with their deliveries and attempts, in several short transactions. A repeated call completes an interrupted one. Data that arrives
    /// meanwhile may stay, so revoke the user first.
    ///
    /// Comments are still recognized, and webhooks about the user's topics have no effect. The outcome of an attempt in progress is
    /// ignored. Only relays receive events about the devices. Events that report the erasure (`IncomingEvent.isErased`) stay until none of
    /// their deliveries is pending.
    func erase(_ person: AppUser, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Erasure

    /// Removes erased data from the files as far as possible now, and searches the tables and the store's own files for the user. Takes
    /// seconds, longer in a large store.
    func proveErasure(of traces: PersonTraces) throws(StoreError) -> ErasureProof

    /// The numbers of deliveries since the store was opened that the store ended itself, by notifier in the order of the names' bytes. Does
    /// not block.
    var refused: [RefusedDeliveries] { get }

    /// The reason why the store refuses to accept; nil when it accepts. Does not block.
    var refusal: StoreError? { get }

    /// Whether opening it created it, so that it contained no revocations. Does not block.
    var isNew: Bool { get }

    /// The interval, in milliseconds, for checking for deliveries that another process has stored or released; nil if this process has the
    /// store alone.
    var pollMilliseconds: UInt64? { get }

    /// Milliseconds by which the store's clock is ahead of this machine's; 0 within the accuracy of the measurement, nil when the store has
    /// no clock or the offset is not known yet. Does not block.
    var clockOffsetMilliseconds: Int64? { get }

    /// Does not block.
    var replicaStatus: ReplicaStatus { get }

    /// Records uses of keys. The earliest `since` and the latest `usedAt` of a key are stored.
    func record(_ uses: [KeyUse]) throws(StoreError)

    /// The records of all keys, also of keys that are not configured any more, ordered by the apps' bytes and the keys' numbers.
    func keyUses() throws(StoreError) -> [KeyUse]

    /// The conditions in force, in the order of their keys.
    func conditions() throws(StoreError) -> [OperatorCondition]

    /// Records that this process observes a condition. If the condition is new, the event that reports it is stored in the same
    /// transaction; deliveries without room in the queue end at once.
    /// - Returns: whether the condition began with this call.
    func raise(_ condition: OperatorCondition, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool

    /// Records that this process does not observe a condition. The condition ends when no other living process observes it; then the event
    /// that reports it is stored as in `raise`.
    /// - Returns: whether the condition ended with this call.
    func clear(_ key: OperatorCondition.Key, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool

    /// Sets the digest of this process's current keys, which its next heartbeat reports. Does not block.
    func announce(keysDigest: String)

    /// The processes that serve with the store, including this one, as of the last heartbeat; empty if only one process can have the store.
    /// Does not block.
    var replicas: [Replica] { get }

    /// Sends a question to the other living processes that serve with the store. Question and answers are deleted after
    /// `UserQuery.lifetimeMilliseconds`.
    /// - Returns: the number of processes.
    func ask(_ question: UserQuery) throws(StoreError) -> Int

    func answers(to question: UUIDv7) throws(StoreError) -> [[UInt8]]

    /// The questions that this process has not answered yet, oldest first, a limited number.
    func openQueries() throws(StoreError) -> [UserQuery]

    func answer(_ question: UUIDv7, with answer: [UInt8]) throws(StoreError)

    /// Closes the store: calls in progress finish, later ones fail.
    /// - Returns: the reason, with a remedy, why the store could not be marked as closed. No result is lost; the next start continues from
    ///   there.
    @discardableResult
    func close() -> StoreError?
}

extension Store {
    package func claimedAttempts() throws(StoreError) -> [ClaimedAttempt] { [] }

    package var pollMilliseconds: UInt64? { nil }

    package var clockOffsetMilliseconds: Int64? { nil }

    /// nil: all revocations.
    package func revocations(of person: AppUser?, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation] {
        try revocations(person.map { .person($0) } ?? .all, after: after, limit: limit)
    }

    /// Adds a revocation without events about the devices that it signs out.
    package func revoke(_ revocation: Revocation, announcing incoming: IncomingEvent? = nil) throws(StoreError) {
        _ = try revoke(revocation, of: revocation.person, announcing: incoming, telling: .nobody)
    }

    /// A store in memory is always new; the configuration warns about it instead.
    package var isNew: Bool { false }

    package var replicaStatus: ReplicaStatus { .alone }

    package func announce(keysDigest: String) {}

    package var replicas: [Replica] { [] }

    package func ask(_ question: UserQuery) throws(StoreError) -> Int { 0 }

    package func answers(to question: UUIDv7) throws(StoreError) -> [[UInt8]] { [] }

    package func openQueries() throws(StoreError) -> [UserQuery] { [] }

    package func answer(_ question: UUIDv7, with answer: [UInt8]) throws(StoreError) {}

    package func giveUpExpired(now: UnixMilliseconds, limit: Int) throws(StoreError) -> [ExpiredDeliveries] {
        try giveUpExpired(now: now, expiredBy: now, limit: limit)
    }

    package func accept(
        _ incoming: IncomingEvent, telling audience: RegistryAudience,
        completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void
    ) {
        accept(incoming, telling: audience, isAwaited: { true }, completion: completion)
    }

    package func register(
        _ registration: Registration, telling audience: RegistryAudience,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void
    ) {
        register(registration, telling: audience, isAwaited: { true }, completion: completion)
    }
}
