internal import Core

/// What all stores must decide in the same way.
enum StoreRules {
    /// The reason of a delivery whose time is over.
    static let expired = RetryDecision.Ending.expired.rawValue
    /// The reason of a delivery that an operator has given up.
    static let purged = "purged"
    /// The outcome and the reason of a try that the end of its process cut off.
    static let interrupted = "interrupted"
    /// How many deliveries one claim makes due at most that wait since before the clock was set back.
    static let pulledInPerClaim = 500

    /// The reason of a delivery that has no device to go to.
    static let noTarget = DeliveryEnding.noTarget.reason

    /// An event's order key as a number, which keeps indexes small: of a ticket whose identity is a number that one, otherwise a digest.
    ///
    /// Two keys may share a number. Their deliveries then wait for each other, and nothing else follows.
    static func orderNumber(_ event: Event) -> Int64 {
        switch event.orderKey {
        case .ticket(let id): id.number ?? shortDigest(of: id.text)
        case .person(let id): shortDigest(of: id.text)
        }
    }

    /// What the calls of a device are found by, whoever is signed in there.
    ///
    /// Two devices may share a number, which only makes them share a count; who wants that needs to know the other's name, and could use it.
    static func deviceNumber(_ key: Device.Key) -> Int64 {
        shortDigest(of: key.appID, key.deviceID)
    }

    /// What a comment is recognised by beside its app and its own identity once its event is forgotten: a digest of ticket and device.
    ///
    /// Two of the same comment may share a digest. Nobody but the help desk chooses a comment's identity.
    static func mark(of identity: Event.Identity) -> Int64 {
        shortDigest(of: identity.ticketID?.text ?? "0", identity.deviceID)
    }

    /// Traps when a claim would come back at once.
    static func check(_ claim: Claim) {
        precondition(claim.leaseMilliseconds > 0 && claim.limit >= 0, "a claim has a lease and a limit")
    }

    /// Traps on a removal of a whole app's devices, which would take long.
    static func checkRemoval(_ filter: DeviceFilter) {
        precondition(filter.userID != nil, "a removal names the person")
    }

    /// Traps on a negative number of rows.
    static func check(limit: Int) {
        precondition(limit >= 0, "a limit is not negative")
    }
}

extension FinishedTry.Next {
    /// The word for it in a delivery's story.
    var outcome: String {
        switch self {
        case .delivered: "delivered"
        case .retry: "retry"
        case .dead: "dead"
        case .givenUp(let ending): ending.rawValue
        }
    }
}

extension RefusedDeliveries {
    /// What was counted, in the order of the contract.
    static func list(_ counts: [ByteKey: [DeliveryEnding: Int]]) -> [RefusedDeliveries] {
        counts.sorted { $0.key < $1.key }.flatMap { notifier, counts in
            DeliveryEnding.allCases.compactMap { ending in
                counts[ending].map { RefusedDeliveries(notifier: notifier.text, ending: ending, count: $0) }
            }
        }
    }
}

extension StoreError {
    static let closed = StoreError(.closed, "the store is closed: the service is stopping")

    static func queueFull(_ maxPending: Int) -> StoreError {
        StoreError(
            .queueFull, "\(maxPending) deliveries wait already, as many as may; see why they do not arrive, or raise max_pending")
    }

    static let idInUse = StoreError(.unavailable, "a delivery's id is in use already; send the event again")
}
