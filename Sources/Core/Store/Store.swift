package import Time

/// Stores events, deliveries, devices, revocations and bot calls. Each method is one state transition according to the rules in `Core`.
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
/// A result that a method has returned is durable: it survives kill -9 and power loss. If the outcome of a claimed delivery is not
/// reported, the delivery is due again when its lease ends, so an event is delivered at least once.
///
/// All methods may be called on any thread. Every method except `accept`, `register`, `begin` and `end` blocks until it is done, so it must
/// not be called on a thread that serves requests. `MemoryStore` is the reference implementation; the test suites `StoreContract…` run
/// against every store.
package protocol Store: Sendable {
    /// Stores an event with its deliveries (`DeliveryPlan`, `DeliveryBounds`), unless the event is already stored or its user was forgotten
    /// (`Admission`). The event's data is deleted when none of its deliveries is pending or dead. Returns immediately; the store commits
    /// many calls together.
    /// - Parameters:
    ///   - audience: receives the changes that the event's token makes in the registry.
    ///   - isAwaited: whether a caller still waits for the completion; if not, the call may be dropped and fails. Must not block.
    ///   - completion: called exactly once, when the event is durable or cannot be stored: on the store's thread, or on the caller's thread
    ///     before this function returns if the result is known at once. It must neither block nor call other methods of the store but
    ///     `end`.
    func accept(
        _ incoming: IncomingEvent, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void)

    /// Stores the effects of a help desk's report, unless the report was already stored: the states of its topics, and its events with
    /// their deliveries. Reading the topics, deciding on the report and writing the result are one transaction, during which nothing else
    /// changes these topics. A `ReadReceipt` also ends the pending deliveries that it covers, including those in progress, whose outcomes
    /// then have no effect. PostgreSQL skips deliveries that another replica is claiming at the same time. The parameters are the same as
    /// for the other `accept`.
    func accept(
        _ report: Report, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<ReportOutcome, StoreError>) -> Void)

    /// Registers or unsubscribes a device according to `RegistryTransition`. One transaction checks revocations and limits, and writes the
    /// calls, the registry and its events. The parameters are the same as for `accept`.
    func register(
        _ registration: Registration, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void)

    /// Stores a call of a bot's function before the backend is called, or a call that was rejected. If a call with the same key is already
    /// stored, returns that call: of two concurrent calls, even in two processes, exactly one is `new`. A call without a key is not urgent
    /// and may be committed some milliseconds later. The parameters are the same as for `accept`.
    func begin(
        _ call: BotCall, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<BotCallBeginning, StoreError>) -> Void)

    /// Stores the ending of a call (`BotCall.ended`); ignores a call that is not stored. Returns immediately, and never fails because a
    /// queue is full, because there cannot be more endings than calls in progress. The ending may be committed some milliseconds later. If
    /// it cannot be stored, the call becomes `unknown`.
    /// - Parameter completion: the same as for `accept`.
    func end(_ call: UUIDv7, _ ending: BotCall.Ending, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)

    func botCall(_ id: UUIDv7) throws(StoreError) -> BotCall?

    /// Returns the matching calls, newest first. Returns fewer than `limit` when matches are rare, so that no page takes long.
    func botCalls(_ filter: BotCallFilter, after: BotCallCursor?, limit: Int) throws(StoreError) -> BotCallPage

    /// Marks calls as `unknown` that began before a time and have no ending, because their process has ended. If several processes call
    /// this, exactly one of them gets each call.
    /// - Returns: the updated calls.
    func markLostBotCalls(startedBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int) throws(StoreError) -> [BotCall]

    /// Returns the matching registered devices, ordered by the bytes of user and device id. `after` is the last device of the previous
    /// page.
    func devices(_ filter: DeviceFilter, after: Device.Key?, limit: Int) throws(StoreError) -> [Device]

    /// Removes a user's devices for an operator. Tombstones, and the calls that are counted for limits, are kept.
    /// - Precondition: the filter contains the user.
    /// - Returns: the number of removed devices.
    func removeDevices(_ filter: DeviceFilter, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int

    /// Removes devices that were last seen before a time, and deletes tombstones of that age.
    /// - Returns: the number of removed devices.
    func removeIdleDevices(
        seenBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int, telling audience: RegistryAudience
    ) throws(StoreError) -> Int

    /// Records the outcomes of attempts, then claims due deliveries for all notifiers, in one transaction. The first outcome of an attempt
    /// is final; an outcome of a deleted delivery is ignored. `DeviceUpdate` changes the registry.
    ///
    /// A claim counts an attempt for each of its deliveries and leases the delivery. If no outcome is reported, the delivery is due again
    /// when the lease ends. Apps take turns, also across claims, so that the backlog of one app delays another app by about one batch;
    /// within an app, the delivery that has been due longest comes first. The claim ends expired deliveries with the reason `expired`, and
    /// comments for a removed device as `noTarget`. Deliveries over a rate limit are postponed without counting an attempt; leased
    /// deliveries count as calls. Due times after `latestPlausibleDue` are first set to now. A claim does a limited amount of work: when it
    /// returns fewer deliveries than requested, `nextDue` shows whether more may be due.
    ///
    /// Claims also exchange the notifier's pauses with the processes that share the store.
    /// - Returns: the results in the order of the claims. If a claim fails, for example because a row cannot be read, only this claim is
    ///   rolled back; the other claims and the outcomes are committed.
    /// - Throws: when the whole transaction was rolled back.
    func work(
        _ finished: [FinishedAttempt], _ claims: [Claim], telling audience: RegistryAudience
    ) throws(StoreError) -> [Result<Claimed, StoreError>]

    /// Returns the attempts that this process has claimed and not yet reported, including attempts of earlier instances of the store. The
    /// caller may not have some of them, because a claim can be committed although its call failed. Empty if the store is not shared; such
    /// a store releases the leases when it is opened.
    func claimedAttempts() throws(StoreError) -> [ClaimedAttempt]

    /// Returns the matching deliveries, newest first. Returns fewer than `limit` when matches are rare, so that no page takes long.
    func page(of filter: DeliveryFilter, after: DeliveryCursor?, limit: Int) throws(StoreError) -> DeliveryPage

    /// Searches all apps for a name: users with a device, a revocation or a stored delivery, devices, and the comments and tickets of
    /// stored deliveries. The first page contains the results of indexed lookups. The rest comes from a scan of the devices, and then of
    /// the events, newest first. A page may be short when much data must be scanned.
    /// - Parameter limit: the maximum number of devices in a page, at least 1. Each app has few other matches.
    func search(for query: NameQuery, after: NameCursor?, limit: Int) throws(StoreError) -> NamePage

    /// Returns a delivery with its attempts; nil when it is not stored.
    func story(of id: UUIDv7) throws(StoreError) -> DeliveryStory?

    /// Returns the time of the last webhook of a comment that is stored only for deduplication, because its deliveries were deleted or it
    /// never had any; nil when there is no such comment.
    func incoming(ofForgotten comment: HelpDeskID, appID: String) throws(StoreError) -> UnixMilliseconds?

    /// Makes matching dead deliveries pending again and due now, with a new expiry. The number of attempts is kept. Examines at most
    /// `limit` matches, newest first, in several short transactions. A delivery stays dead if the queue has no room (`DeliveryBounds`), or
    /// if its user was forgotten.
    func retry(
        _ filter: DeliveryFilter, after: DeliveryCursor?, limit: Int, now: UnixMilliseconds, expiresAt: UnixMilliseconds
    ) throws(StoreError) -> RetryStep

    /// Gives up expired due deliveries with the reason `expired`, including deliveries of notifiers that do not claim.
    /// - Parameter expiredBy: deliveries with this expiry or an earlier one are expired. The value is `now`, minus the reserve after a jump
    ///   of the clock.
    /// - Returns: the numbers by notifier, in the order of the names' bytes.
    func giveUpExpired(now: UnixMilliseconds, expiredBy: UnixMilliseconds, limit: Int) throws(StoreError) -> [ExpiredDeliveries]

    /// Reduces later expiries of pending deliveries to `latest`, because these deliveries arrived while the clock was ahead.
    func expireBy(_ latest: UnixMilliseconds, limit: Int) throws(StoreError)

    /// Returns the trusted time that `keep` stored; nil in a new store.
    func trustedTime() throws(StoreError) -> TrustedTime?

    /// Stores the trusted time for the next process.
    func keep(_ time: TrustedTime) throws(StoreError)

    /// Marks a notifier's pending deliveries as dead with the reason `purged`, for an operator. The outcome of an attempt in progress is
    /// recorded, but has no effect.
    /// - Returns: the number of deliveries.
    func giveUpPending(notifier: String, now: UnixMilliseconds, limit: Int) throws(StoreError) -> Int

    /// Deletes deliveries that ended before the given times, each event with its last delivery, comments whose deduplication period is
    /// over, topics without reports in that period, calls that rate limits no longer count, and bot calls (`BotCall.kept`).
    ///
    /// A comment is recognized for `Deduplication.milliseconds` after its arrival even if its deliveries are deleted: the help desk repeats
    /// unanswered webhooks, and an attacker may replay a captured one.
    /// - Parameter deliveredBefore: also applies to `noTarget`.
    /// - Returns: the number of deleted rows.
    func purge(now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int

    /// Deletes deliveries in one state that ended before a time, like `purge`. Does not apply to pending deliveries.
    /// - Returns: the number of deleted deliveries.
    func forget(_ state: Delivery.State, endedBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int

    /// Returns the pending deliveries by notifier, in the order of the names' bytes.
    func pending() throws(StoreError) -> [PendingDeliveries]

    /// Returns the dead deliveries by notifier, app and reason in one snapshot, unordered. The store maintains the numbers in its
    /// transactions, so they are exact and cheap to read.
    func dead() throws(StoreError) -> DeadCounts

    /// Adds a revocation, stores the event that reports it, if there is one, and signs out the devices of the user that it covers, in one
    /// transaction. If the queue has no room for a delivery, the delivery ends immediately.
    /// - Parameter person: the user in the revocation, or the owner of the revoked key; nil when unknown, or when the revocation covers all
    ///   devices of an app.
    /// - Precondition: the revocation's id is new.
    /// - Returns: the number of devices that were signed out.
    func revoke(
        _ revocation: Revocation, of person: AppUser?, announcing incoming: IncomingEvent?, telling audience: RegistryAudience
    ) throws(StoreError) -> Int

    /// Signs out the devices covered by a revocation of a key, a key id or an app, unless `revoke` received the user. Uses several short
    /// transactions and may take some seconds. Comments skip these devices immediately (`DeliveryPlan.candidates`), and
    /// `signOutRevokedDevices` finishes an incomplete run. A device that registers during the revocation may keep its row; comments skip
    /// this device, too.
    /// - Returns: the number of signed-out devices; 0 for a revocation that contains a user.
    func signOutDevices(
        coveredBy revocation: Revocation, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Int

    /// Continues `signOutDevices` for revocations with unexamined devices. Does a limited amount of work to keep the transaction short.
    /// - Returns: the number of signed-out devices, possibly 0; nil when no devices are left to examine.
    func signOutRevokedDevices(now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int?

    /// Returns the revocations in descending order of id. `after` is the last revocation of the previous page.
    func revocations(_ filter: RevocationFilter, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation]

    /// Returns the last registrations of a user and of devices, for operators; empty for an unknown user.
    /// - Parameter devices: ids of the user's devices. Registrations of the same device by other users are included.
    func registrationCalls(of person: AppUser, devices: [String]) throws(StoreError) -> RegistrationCalls

    /// Removes a revocation. Its keys become valid again unless another revocation covers them.
    /// - Returns: the revocation; nil when no revocation has this id, or when the revocation concerns a forgotten user and therefore cannot
    ///   be removed.
    func removeRevocation(_ id: UUIDv7) throws(StoreError) -> Revocation?

    /// Returns the changes of revocations since a version, at most a few thousand; repeat the call until it returns no changes. Without
    /// changes, the call costs one lookup.
    /// - Parameter version: the version from an earlier call; nil returns the current version without changes.
    func revocationChanges(since version: Int64?) throws(StoreError) -> RevocationChanges

    /// Returns the salt for digests of forgotten users; nil when no user was forgotten.
    func formerSalt() throws(StoreError) -> [UInt8]?

    /// Deletes a user's devices, the recorded calls of the user and the devices, the user's bot calls, and all events about the user with
    /// their deliveries and attempts, in several short transactions. A repeated call completes an interrupted one. Data that arrives
    /// meanwhile may remain, so the caller must revoke the user first.
    ///
    /// The user's comments are still recognized as duplicates, and webhooks about the user's topics have no effect. The outcome of an
    /// attempt in progress is ignored. Only relays receive events about the devices. Events that report the erasure
    /// (`IncomingEvent.isErased`) are kept until none of their deliveries is pending.
    func erase(_ person: AppUser, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Erasure

    /// Removes erased data from the files as far as possible now, and searches the tables and the store's own files for the user. Takes
    /// seconds, longer in a large store.
    func proveErasure(of traces: PersonTraces) throws(StoreError) -> ErasureProof

    /// The numbers of deliveries that the store itself has ended since it was opened, by notifier in the order of the names' bytes. Does
    /// not block.
    var refused: [RefusedDeliveries] { get }

    /// The reason why the store accepts no data; nil when it accepts data. Does not block.
    var refusal: StoreError? { get }

    /// Whether opening the store created it, so that it contained no revocations. Does not block.
    var isNew: Bool { get }

    /// The interval, in milliseconds, of polls for deliveries that another process has stored or released; nil if the store is not shared.
    var pollMilliseconds: UInt64? { get }

    /// The milliseconds by which the store's clock is ahead of this machine's clock; 0 within the accuracy of the measurement, nil when the
    /// store has no clock or the offset is still unknown. Does not block.
    var clockOffsetMilliseconds: Int64? { get }

    /// The role of this process among the processes that share the store. Does not block.
    var replicaStatus: ReplicaStatus { get }

    /// Records uses of keys. The earliest `since` and the latest `usedAt` of a key are stored.
    func record(_ uses: [KeyUse]) throws(StoreError)

    /// Returns the records of all keys, including keys that are no longer configured, ordered by the apps' bytes and the keys' ids.
    func keyUses() throws(StoreError) -> [KeyUse]

    /// Returns the active conditions in the order of their keys.
    func conditions() throws(StoreError) -> [OperatorCondition]

    /// Records that this process observes a condition. If the condition is new, the event that reports it is stored in the same
    /// transaction. If the queue has no room for a delivery, the delivery ends immediately.
    /// - Returns: whether the condition began with this call.
    func raise(_ condition: OperatorCondition, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool

    /// Records that this process does not observe a condition. The condition ends when no other live process observes it, and the event
    /// that reports the end is stored as in `raise`.
    /// - Returns: whether the condition ended with this call.
    func clear(_ key: OperatorCondition.Key, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool

    /// Sets the digest of this process's current keys, which its next heartbeat reports. Does not block.
    func announce(keysDigest: String)

    /// The processes that run the service with this store, including this process, as of the last heartbeat; empty if only one process can
    /// use the store. Does not block.
    var replicas: [Replica] { get }

    /// Sends a query to the other live processes that run the service with this store. Query and answers are deleted after
    /// `UserQuery.lifetimeMilliseconds`.
    /// - Returns: the number of processes that receive the query.
    func ask(_ question: UserQuery) throws(StoreError) -> Int

    func answers(to question: UUIDv7) throws(StoreError) -> [[UInt8]]

    /// Returns a limited number of the queries that this process has not answered yet, oldest first.
    func openQueries() throws(StoreError) -> [UserQuery]

    func answer(_ question: UUIDv7, with answer: [UInt8]) throws(StoreError)

    /// Closes the store. Calls in progress finish, and later calls fail.
    /// - Returns: the reason, with a remedy, why the store could not be marked as closed; otherwise nil. Results are not lost; the next
    ///   start continues with them.
    @discardableResult
    func close() -> StoreError?
}

extension Store {
    package func claimedAttempts() throws(StoreError) -> [ClaimedAttempt] { [] }

    package var pollMilliseconds: UInt64? { nil }

    package var clockOffsetMilliseconds: Int64? { nil }

    /// - Parameter person: the user in the revocations; nil for all revocations.
    package func revocations(of person: AppUser?, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation] {
        try revocations(person.map { .person($0) } ?? .all, after: after, limit: limit)
    }

    /// Adds a revocation without events about the devices that are signed out.
    package func revoke(_ revocation: Revocation, announcing incoming: IncomingEvent? = nil) throws(StoreError) {
        _ = try revoke(revocation, of: revocation.person, announcing: incoming, telling: .nobody)
    }

    /// False by default. A memory store is always new; the configuration warns about it instead.
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
