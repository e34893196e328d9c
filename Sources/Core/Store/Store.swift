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
    /// Stores an event with the deliveries that `DeliveryPlan` and `DeliveryBounds` give it, unless it is stored already, or its person was
    /// forgotten (`Admission`). Its data is deleted as soon as none of its deliveries is pending or dead.
    ///
    /// Returns at once; many calls are made durable together.
    /// - Parameters:
    ///   - audience: the subscriptions to changes of the registry by the event's token.
    ///   - isAwaited: returns whether the completion is still awaited; if not, the call may be dropped and fails. It must not block.
    ///   - completion: called exactly once, when the event is durable or cannot be stored: on the store's thread, or on the caller's thread
    ///     before this returns if the result is known at once. It must neither block nor call the store's other methods but `end`.
    func accept(
        _ incoming: IncomingEvent, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void)

    /// Stores the consequences of a help desk's report, unless it was stored already: the states of its topics, and its events with their
    /// deliveries. The store reads the topics, calls the report's function, and makes all of it durable in one transaction; nothing else
    /// changes these topics meanwhile. If the report has a `ReadReceipt`, the pending deliveries that it covers end in the same
    /// transaction, also those under way, whose outcomes are then ignored. PostgreSQL skips those that another replica is just claiming.
    /// - Parameters: as for `accept`.
    func accept(
        _ report: Report, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<ReportOutcome, StoreError>) -> Void)

    /// Registers or unsubscribes a device by the rules of `RegistryTransition`. The revocations, the limits, their record, the registry's
    /// change and its events are one transaction.
    /// - Parameters: as for `accept`.
    func register(
        _ registration: Registration, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void)

    /// Stores a call of a bot's function before the company's backend is called, or one that was rejected. A call whose key is stored
    /// already is not stored: of two concurrent calls, also to two processes, one is new. A call without a key is stored some milliseconds
    /// later, together with others if possible.
    /// - Parameters: as for `accept`.
    func begin(
        _ call: BotCall, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<BotCallBeginning, StoreError>) -> Void)

    /// Stores the ending of a call, as `BotCall.ended` describes; ignores calls that are not stored. Returns at once and is never rejected
    /// for a full queue, because there are no more endings than calls under way. A call whose ending cannot be stored becomes `unknown`. It
    /// is stored some milliseconds later, together with others if possible.
    /// - Parameter completion: as for `accept`.
    func end(_ call: UUIDv7, _ ending: BotCall.Ending, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)

    /// A call of a bot's function; nil when it is not stored.
    func botCall(_ id: UUIDv7) throws(StoreError) -> BotCall?

    /// The calls that match, those that began last first: at most `limit`, and fewer when they are far apart, so that no page takes long.
    /// - Parameter after: the `next` of the previous page; nil for the first.
    func botCalls(_ filter: BotCallFilter, after: BotCallCursor?, limit: Int) throws(StoreError) -> BotCallPage

    /// Gives up calls that began before a time and have no ending, because their process has ended. They become `unknown`; at most `limit`,
    /// so that no other call waits long. Each of them is returned to one replica only.
    /// - Returns: the calls, as they are now; fewer than `limit` when none is left.
    func giveUpBotCalls(startedBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int) throws(StoreError) -> [BotCall]

    /// The registered devices that match, by person and device in the order of their bytes.
    /// - Parameter after: the last device of the previous list; nil for the first.
    func devices(_ filter: DeviceFilter, after: Device.Key?, limit: Int) throws(StoreError) -> [Device]

    /// Removes devices of a person, for an operator; tombstones stay, and what limits count.
    /// - Precondition: the filter names the person.
    /// - Returns: how many.
    func removeDevices(_ filter: DeviceFilter, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int

    /// Removes devices that were last seen before a time, and deletes the rows of those that signed out before it; at most `limit`, so that
    /// no other call waits long.
    /// - Returns: how many; fewer than `limit` when nothing is left to do.
    func removeIdleDevices(
        seenBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int, telling audience: RegistryAudience
    ) throws(StoreError) -> Int

    /// Records the outcomes of attempts, and then claims due deliveries for new ones, for all notifiers in one transaction.
    ///
    /// Of several reports on one attempt the first applies; a report on a deleted delivery is ignored. `DeviceUpdate` changes the registry.
    ///
    /// A claim counts an attempt for each of its deliveries and leases it, so that the delivery is due again without a report. Apps take
    /// turns, also from one claim to the next, so that the backlog of one delays the deliveries of another by about one batch; of each app
    /// the longest due come first. Expired deliveries end with the reason `expired`, and comments for a removed device end as `noTarget`.
    /// Deliveries beyond the claim's rate limits are deferred without counting an attempt; leased ones count as called. Deliveries that are
    /// due later than the claim's `latestDue` are first made due now. Claims are processed in order. One call does a limited amount: when
    /// it returns fewer deliveries than requested there may be more, which `nextDue` shows.
    ///
    /// Claims also share a notifier's pauses with the other replicas, and return theirs.
    /// - Returns: the results of the claims, in order. A claim that fails, for example at an unreadable row, changes nothing; the other
    ///   claims and the reports apply.
    /// - Throws: when nothing of all this was done.
    func work(
        _ finished: [FinishedAttempt], _ claims: [Claim], telling audience: RegistryAudience
    ) throws(StoreError) -> [Result<Claimed, StoreError>]

    /// The attempts that this process has claimed and not reported on, whichever of its stores has claimed them. Some are new to it when a
    /// claim became durable although its call failed. None while this process alone has the store, which releases such leases when it is
    /// opened.
    func claimedAttempts() throws(StoreError) -> [ClaimedAttempt]

    /// Returns the matching deliveries, newest first: at most `limit`, and fewer when they are far apart, so that no page takes long. When
    /// `next` is nil there are no more.
    /// - Parameter after: the `next` of the previous page; nil for the first.
    func page(of filter: DeliveryFilter, after: DeliveryCursor?, limit: Int) throws(StoreError) -> DeliveryPage

    /// Searches all apps for what has a name: users with a device, with a revocation or in a stored delivery, devices, and the comments and
    /// tickets of stored deliveries. Indexes answer what they can with the first page; the rest is looked for among devices, and among
    /// events from the newest on, so that pages are short where there is much to look through.
    /// - Parameters:
    ///   - after: the `next` of the previous page; nil for the first.
    ///   - limit: how many devices a page has at most, at least 1; each app has few other matches.
    func search(for query: NameQuery, after: NameCursor?, limit: Int) throws(StoreError) -> NamePage

    /// A delivery with its attempts; nil when it is not stored.
    func story(of id: UUIDv7) throws(StoreError) -> DeliveryStory?

    /// When the last webhook of a comment came that is only recognised any more, because its deliveries are deleted or it never had one.
    /// - Returns: nil when there is none.
    func incoming(ofForgotten comment: HelpDeskID, appID: String) throws(StoreError) -> UnixMilliseconds?

    /// Makes matching dead deliveries pending again, due now, with a new expiry; their attempts continue to count. Examines at most `limit`
    /// of them, newest first, in several transactions, between which other calls run. A delivery without room in the queue
    /// (`DeliveryBounds`), or whose user was forgotten, stays dead.
    /// - Parameter after: the `next` of the previous step; nil for the first.
    func retry(
        _ filter: DeliveryFilter, after: DeliveryCursor?, limit: Int, now: UnixMilliseconds, expiresAt: UnixMilliseconds
    ) throws(StoreError) -> RetryStep

    /// Ends due deliveries that have expired, with the reason `expired`, also of notifiers that claim nothing; at most `limit`, so that no
    /// other call waits long.
    /// - Parameters:
    ///   - expiredBy: deliveries that expire at this time or before have expired: `now`, less the time withheld after a jump of the clock.
    /// - Returns: the number for each notifier, in the order of their names' bytes; fewer than `limit` in total when none is left.
    func giveUpExpired(now: UnixMilliseconds, expiredBy: UnixMilliseconds, limit: Int) throws(StoreError) -> [ExpiredDeliveries]

    /// Lowers later expiries of pending deliveries to `latest`: such deliveries arrived while the clock was ahead. At most `limit`, so that
    /// no other call waits long.
    func expireBy(_ latest: UnixMilliseconds, limit: Int) throws(StoreError)

    /// The trusted time that `keep` stored last; nil in a new store.
    func trustedTime() throws(StoreError) -> TrustedTime?

    func keep(_ time: TrustedTime) throws(StoreError)

    /// Marks pending deliveries of a notifier as dead, with the reason `purged`, for an operator; at most `limit`, so that no other call
    /// waits long. If an attempt is under way, its outcome is recorded and changes nothing.
    /// - Returns: how many; fewer than `limit` when none is left.
    func giveUpPending(notifier: String, now: UnixMilliseconds, limit: Int) throws(StoreError) -> Int

    /// Deletes deliveries that ended before the given times, each event with its last delivery, comments after their deduplication, topics
    /// without reports for as long, expired calls of rate limits, and calls of bots (`BotCall.kept`); at most `limit` in total, so that no
    /// other call waits long.
    ///
    /// A comment is deduplicated for `Deduplication.milliseconds` after its arrival, even if its deliveries are deleted: the help desk
    /// repeats webhooks without an answer, and a captured one may be replayed.
    /// - Parameters:
    ///   - deliveredBefore: applies to `noTarget` too.
    /// - Returns: the number of rows; fewer than `limit` when nothing is left to do.
    func purge(now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int

    /// Deletes deliveries in one state that ended before a time, as `purge` does; at most `limit`, so that no other
    /// call waits long. Pending deliveries have not ended.
    /// - Returns: how many; fewer than `limit` when nothing is left to do.
    func forget(_ state: Delivery.State, endedBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int

    /// The numbers of pending deliveries by notifier, in the order of the names' bytes.
    func pending() throws(StoreError) -> [PendingDeliveries]

    /// The dead deliveries by notifier, app and reason, as of one moment and in no order. The store counts them in the transactions that
    /// change them, so the numbers are exact, and the cost does not grow with them.
    func dead() throws(StoreError) -> DeadCounts

    /// Adds a revocation, and in the same transaction stores its event, if there is one, and signs out the devices of a person that it
    /// covers. Deliveries without room in a queue end at once.
    /// - Parameter person: the person that it names, or whose key it revokes; nil when the person is unknown, or the devices of an app are
    ///   covered.
    /// - Precondition: its id is new.
    /// - Returns: the number of devices that were signed out.
    func revoke(
        _ revocation: Revocation, of person: RevokedPerson?, announcing incoming: IncomingEvent?, telling audience: RegistryAudience
    ) throws(StoreError) -> Int

    /// Signs out the devices that a revocation of a key, a key id or an app covers, unless `revoke` knew the person. It takes several
    /// transactions, between which other calls run. Comments skip the devices at once (`DeliveryPlan.candidates`), so this may end after
    /// some seconds; `signOutRevokedDevices` does the rest. A device that registers concurrently may keep its row; comments skip it, too.
    /// - Returns: the number of devices; 0 for a revocation that names a person.
    func signOutDevices(
        coveredBy revocation: Revocation, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Int

    /// Signs out more devices of a revocation whose devices have not all been looked at yet, a limited number, so that no other call waits
    /// long.
    /// - Returns: how many, perhaps 0; nil when nothing is left to do.
    func signOutRevokedDevices(now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int?

    /// The revocations, those with the latest ids first.
    /// - Parameter after: the last of the previous list; nil for the first.
    func revocations(_ filter: RevocationFilter, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation]

    /// Returns the last registrations of a person and of devices, for operators; empty for an unknown person.
    /// - Parameter devices: ids of the person's devices. Other users of them count as well.
    func registrationCalls(of person: RevokedPerson, devices: [String]) throws(StoreError) -> RegistrationCalls

    /// Removes a revocation: the keys that it was about count again, unless another one is about them too.
    /// - Returns: the revocation; nil when there is none with this id, or it is about a former person, which stays for ever.
    func removeRevocation(_ id: UUIDv7) throws(StoreError) -> Revocation?

    /// Returns the changes of revocations since a version, at most some thousand; repeat until there are none. Without changes it costs one
    /// search.
    /// - Parameter version: of earlier changes; nil returns the present version without changes.
    func revocationChanges(since version: Int64?) throws(StoreError) -> RevocationChanges

    /// The salt of the store's forgotten persons; nil when there are none.
    func formerSalt() throws(StoreError) -> [UInt8]?

    /// Deletes the devices of a person, the recorded calls of the person and of the devices, the calls of bots for the person, and all
    /// events about the person with their deliveries and attempts, in several transactions, between which other calls run. A repetition
    /// completes an interrupted call. Concurrent data may stay, so the person must have been revoked before.
    ///
    /// Comments are still deduplicated, and later reports about the person's topics are ignored. If an attempt is under way, its outcome is
    /// ignored. Only relays receive the removal of the devices. Events about the erasure (`IncomingEvent.isErased`) stay until none of
    /// their deliveries is pending.
    func erase(_ person: RevokedPerson, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Erasure

    /// Removes erased data from the files, as far as possible at once, and searches the tables and the store's own files for the person.
    /// Takes some seconds, and longer in a large store.
    func proveErasure(of traces: PersonTraces) throws(StoreError) -> ErasureProof

    /// The numbers of deliveries since the store was opened that ended as they were made, by notifier in the order of the names' bytes.
    /// Does not block.
    var refused: [RefusedDeliveries] { get }

    /// The reason why the store rejects calls; nil when it accepts them. Does not block.
    var refusal: StoreError? { get }

    /// Whether it was made when it was opened, so that it knew no revocation then. Does not block.
    var isNew: Bool { get }

    /// The interval, in milliseconds, of looking for deliveries that another process has stored or returned; nil when this process alone
    /// has the store.
    var pollMilliseconds: UInt64? { get }

    /// Milliseconds by which the store's own clock is ahead of this machine's; 0 when the difference is too small to measure, nil when it
    /// has no clock, or the difference is not known yet. Does not block.
    var clockOffsetMilliseconds: Int64? { get }

    /// This process's knowledge of the other replicas. Does not block.
    var replicaStatus: ReplicaStatus { get }

    /// Records the usage of keys. For each key the earliest `since` and the latest `usedAt` are stored.
    func record(_ uses: [KeyUse]) throws(StoreError)

    /// Returns the records of all keys, also of those that are no longer configured, ordered by the apps' bytes and the keys' numbers.
    func keyUses() throws(StoreError) -> [KeyUse]

    /// The conditions that last, in the order of their keys.
    func conditions() throws(StoreError) -> [OperatorCondition]

    /// Records that this process sees a condition, which begins unless it exists already. Then its event is stored in the same transaction;
    /// deliveries without room in a queue end at once.
    /// - Returns: whether it began with this call.
    func raise(_ condition: OperatorCondition, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool

    /// Records that this process does not see a condition. It ends when no other living process sees it, and then its event is stored in
    /// the same transaction, as in `raise`.
    /// - Returns: whether it ended with this call.
    func clear(_ key: OperatorCondition.Key, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool

    /// Sets the digest of the keys that this process has in force, which its next heartbeat publishes. Does not block.
    func announce(keysDigest: String)

    /// The processes that serve with the store, this one included, as the last heartbeat has found them; none when only one process can
    /// have the store. Does not block.
    var replicas: [Replica] { get }

    /// Asks the other living processes that serve with the store. Their answers and the question leave the store after some time
    /// (`UserQuestion.lifetimeMilliseconds`).
    /// - Returns: how many were asked.
    func ask(_ question: UserQuestion) throws(StoreError) -> Int

    /// The answers that have come to a question.
    func answers(to question: UUIDv7) throws(StoreError) -> [[UInt8]]

    /// The questions that this process has not answered yet, the oldest first, a limited number.
    func openQuestions() throws(StoreError) -> [UserQuestion]

    func answer(_ question: UUIDv7, with answer: [UInt8]) throws(StoreError)

    /// Closes the store: calls under way finish, later ones fail.
    /// - Returns: why the store could not be marked as closed, with the remedy. Accepted data is durable, and the next start continues with
    ///   it.
    @discardableResult
    func close() -> StoreError?
}

extension Store {
    package func claimedAttempts() throws(StoreError) -> [ClaimedAttempt] { [] }

    package var pollMilliseconds: UInt64? { nil }

    /// The store has no clock of its own.
    package var clockOffsetMilliseconds: Int64? { nil }

    /// The revocations that name a person; nil for all.
    package func revocations(of person: RevokedPerson?, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation] {
        try revocations(person.map { .person($0) } ?? .all, after: after, limit: limit)
    }

    /// Adds a revocation without a known person.
    package func revoke(_ revocation: Revocation, announcing incoming: IncomingEvent? = nil) throws(StoreError) {
        _ = try revoke(revocation, of: revocation.person, announcing: incoming, telling: .nobody)
    }

    /// One in memory is, and the configuration warns of it.
    package var isNew: Bool { false }

    package var replicaStatus: ReplicaStatus { .alone }

    package func announce(keysDigest: String) {}

    package var replicas: [Replica] { [] }

    package func ask(_ question: UserQuestion) throws(StoreError) -> Int { 0 }

    package func answers(to question: UUIDv7) throws(StoreError) -> [[UInt8]] { [] }

    package func openQuestions() throws(StoreError) -> [UserQuestion] { [] }

    package func answer(_ question: UUIDv7, with answer: [UInt8]) throws(StoreError) {}

    /// Gives up due deliveries that have expired by `now`, with nothing held back.
    package func giveUpExpired(now: UnixMilliseconds, limit: Int) throws(StoreError) -> [ExpiredDeliveries] {
        try giveUpExpired(now: now, expiredBy: now, limit: limit)
    }

    /// Accepts an event for a caller that waits as long as it takes.
    package func accept(
        _ incoming: IncomingEvent, telling audience: RegistryAudience,
        completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void
    ) {
        accept(incoming, telling: audience, isAwaited: { true }, completion: completion)
    }

    /// Registers for a caller that waits as long as it takes.
    package func register(
        _ registration: Registration, telling audience: RegistryAudience,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void
    ) {
        register(registration, telling: audience, isAwaited: { true }, completion: completion)
    }
}
