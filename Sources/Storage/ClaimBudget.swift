internal import Core

/// The combined limits of all claims in one call, so that the next writer does not wait long.
struct ClaimBudget {
    /// The number of deliveries that may still be leased.
    private(set) var leases = 512
    /// The number of deliveries that may still be ended or deferred without an attempt.
    private(set) var ends = 256

    /// Returns the number of deliveries that a claim may lease now.
    func limit(_ claim: Claim) -> Int { min(claim.limit, leases) }

    mutating func spend(_ claimed: Claimed) {
        leases -= claimed.deliveries.count
        ends -= claimed.expired + claimed.withoutTarget + claimed.putOff
    }
}
