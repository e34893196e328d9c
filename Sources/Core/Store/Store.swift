package import Time

/// Where events and deliveries are kept, named by what happens to them. Safe on any thread.
///
/// What a method has reported is durable. Every method but `accept` and `register` blocks until it is done, so none is called on a thread that
/// serves requests.
package protocol Store: Sendable {
    /// Takes an event in, with its deliveries as `DeliveryPlan` and `DeliveryBounds` say, or finds that it is there already. Its data is forgotten
    /// when its last delivery has ended that is neither pending nor dead.
    ///
    /// Returns at once; many calls are made durable together.
    /// - Parameters:
    ///   - audience: who is told of what the event's token changes in the registry.
    ///   - isAwaited: whether somebody still waits for the completion; if not the call may be dropped, and fails. It must not block.
    ///   - completion: called exactly once, when the event is durable or cannot be stored: on the store's thread, or on a caller's, before this
    ///     returns when that is known at once. It must neither block nor call the store's other methods.
    func accept(
        _ arrival: Arrival, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void)

    /// Registers or unsubscribes a device, as `RegistryTransition` says: the decision, its record, the registry's change and the events that tell of it
    /// are one transaction.
    /// - Parameters: as for `accept`.
    func register(
        _ registration: Registration, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void)

    /// The registered devices that match, by person and device in the order of their bytes.
    /// - Parameter after: the last of an earlier list, which the next one goes on from.
    func devices(_ filter: DeviceFilter, after: Device.Key?, limit: Int) throws(StoreError) -> [Device]

    /// Removes devices of a person, for an operator; of a person as a whole also what kept their limits.
    /// - Precondition: the filter names the person.
    /// - Returns: how many.
    func removeDevices(_ filter: DeviceFilter, now: UInt64, telling audience: RegistryAudience) throws(StoreError) -> Int

    /// Removes devices that nobody has seen since a time, and forgets those that signed out before it; at most `limit`, so that nobody waits
    /// long.
    /// - Returns: how many; fewer than `limit` when nothing is left to do.
    func removeIdleDevices(
        seenBefore: UInt64, now: UInt64, limit: Int, telling audience: RegistryAudience
    ) throws(StoreError) -> Int

    /// Reports what came of tries, and then takes due deliveries for new ones, for all notifiers in one transaction.
    ///
    /// Of several reports on the same try the first one counts, and what is forgotten is passed over. What a provider has said of a device changes
    /// the registry.
    ///
    /// Each delivery that is claimed is counted as tried and leased, so that it comes back by itself when nobody reports on it. The longest due come
    /// first. Those that have expired are given up instead, with the reason `expired`, and comments that are only for a device that has left end as
    /// `noTarget`. What is due later than the claim's `latestDue` is made due now before. Claims are met in their order, and one call does only so
    /// much that nobody waits long: there may be more when fewer than wanted are returned, which `nextDue` tells.
    /// - Returns: what came of each claim, in their order. One that fails, for example at an unreadable row, changes nothing, and neither holds back
    ///   the others nor the reports.
    /// - Throws: why nothing of all this was done.
    func work(
        _ finished: [FinishedTry], _ claims: [Claim], telling audience: RegistryAudience
    ) throws(StoreError) -> [Result<Claimed, StoreError>]

    /// The deliveries that match, newest first.
    /// - Parameter after: the `next` of an earlier page, which this one goes on from.
    func page(of filter: DeliveryFilter, after: DeliveryCursor?, limit: Int) throws(StoreError) -> DeliveryPage

    /// A delivery with all that happened to it, or nil.
    func story(of id: UUIDv7) throws(StoreError) -> DeliveryStory?

    /// Makes dead deliveries that match pending again, due now, with a new expiry; their tries count on. In steps, between which others go on.
    /// - Returns: how many.
    func retry(_ filter: DeliveryFilter, now: UInt64, expiresAt: UInt64) throws(StoreError) -> Int

    /// Gives up due deliveries that expire by a time, with the reason `expired`, also of notifiers that claim nothing; at most `limit`, so that
    /// nobody waits long.
    /// - Parameters:
    ///   - now: the time in Unix milliseconds.
    ///   - expiredBy: `now` but for what is held back of a jump of the clock.
    /// - Returns: how many of which notifier, in the order of their names' bytes; fewer than `limit` in all when none is left.
    func giveUpExpired(now: UInt64, expiredBy: UInt64, limit: Int) throws(StoreError) -> [ExpiredDeliveries]

    /// Has no pending delivery expire later than a time: one that does came while the clock was ahead. At most `limit`, so that nobody waits long.
    func expireBy(_ latest: UInt64, limit: Int) throws(StoreError)

    /// What was known of the clocks when `keep` was called last; nil in a new store.
    func trustedTime() throws(StoreError) -> TrustedTime?

    /// Keeps what is known of the clocks for the next process.
    func keep(_ time: TrustedTime) throws(StoreError)

    /// Gives up what waits for a notifier, with the reason `purged`, for an operator; at most `limit`, so that nobody waits long. Of what is being
    /// tried the outcome stands in the story alone.
    /// - Returns: how many; fewer than `limit` when none is left.
    func giveUpPending(notifier: String, now: UInt64, limit: Int) throws(StoreError) -> Int

    /// Forgets deliveries that ended before the given times, events with their last one, and comments that need not be recognised any more; at
    /// most `limit` in all, so that nobody waits long.
    ///
    /// A comment is recognised for `Recognition.milliseconds` after its arrival, though its deliveries are forgotten: the help desk repeats itself,
    /// and who has captured a signed webhook may send it again.
    /// - Parameters:
    ///   - now: the time in Unix milliseconds.
    ///   - deliveredBefore: also for those without a device.
    /// - Returns: how many; fewer than `limit` when nothing is left to do.
    func purge(now: UInt64, deliveredBefore: UInt64, deadBefore: UInt64, limit: Int) throws(StoreError) -> Int

    /// Forgets deliveries in one state that ended before a time in Unix milliseconds, as `purge` does; at most `limit`, so that nobody waits
    /// long. What is pending has not ended.
    /// - Returns: how many; fewer than `limit` when nothing is left to do.
    func forget(_ state: Delivery.State, endedBefore: UInt64, limit: Int) throws(StoreError) -> Int

    /// What waits, by notifier, in the order of their names' bytes.
    func pending() throws(StoreError) -> [PendingDeliveries]

    /// What had ended when it was made, since the store was opened, by notifier in the order of their names' bytes. Never waits.
    var refused: [RefusedDeliveries] { get }

    /// What keeps it from accepting; nil when nothing does. Never waits.
    var refusal: StoreError? { get }

    /// Ends it: what was begun is finished, later calls fail.
    func close()
}

extension Store {
    /// Gives up due deliveries that have expired by a clock that can be trusted.
    package func giveUpExpired(now: UInt64, limit: Int) throws(StoreError) -> [ExpiredDeliveries] {
        try giveUpExpired(now: now, expiredBy: now, limit: limit)
    }

    /// Accepts for somebody who waits as long as it takes.
    package func accept(
        _ arrival: Arrival, telling audience: RegistryAudience, completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void
    ) {
        accept(arrival, telling: audience, isAwaited: { true }, completion: completion)
    }

    /// Registers for somebody who waits as long as it takes.
    package func register(
        _ registration: Registration, telling audience: RegistryAudience,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void
    ) {
        register(registration, telling: audience, isAwaited: { true }, completion: completion)
    }
}
