internal import Core

/// What all stores must decide in the same way.
enum StoreRules {
    /// The reason of a delivery whose time is over.
    static let expired = RetryDecision.Ending.expired.rawValue
    /// The outcome and the reason of a try that the end of its process cut off.
    static let interrupted = "interrupted"
    /// How many expired deliveries one claim gives up at most, so that others do not wait for it.
    static let expiredPerClaim = 256

    /// Traps when deliveries were not made for acceptance.
    static func check(_ deliveries: [Delivery]) {
        precondition(deliveries.allSatisfy { $0.state == .pending && $0.attempts == 0 }, "a new delivery has not been tried")
    }

    /// Traps when a claim would come back at once.
    static func check(_ claim: Claim) {
        precondition(claim.leaseMilliseconds > 0 && claim.limit >= 0, "a claim has a lease and a limit")
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

extension StoreError {
    static let closed = StoreError(.closed, "the store is closed: the service is stopping")

    static func queueFull(_ maxPending: Int) -> StoreError {
        StoreError(
            .queueFull, "\(maxPending) deliveries wait already, as many as may; see why they do not arrive, or raise max_pending")
    }

    static let idInUse = StoreError(.unavailable, "a delivery's id is in use already; send the event again")
}
