internal import Core

enum StoreRules {
    /// The reason of a delivery that has expired.
    static let expired = RetryDecision.Ending.expired.rawValue
    /// The reason of a pending delivery that an operator has purged.
    static let purged = GivenUpReason.purged.rawValue
    /// The reason of a pending delivery that ended because its person was forgotten.
    static let forgotten = GivenUpReason.forgotten.rawValue
    /// The outcome and the reason of an attempt whose process ended before the attempt.
    static let interrupted = "interrupted"
    /// The reason of a delivery that waits because its receiver may not be called yet.
    static let paced = "paced"
    /// The maximum number of deliveries that one claim makes due after the clock was set back.
    static let pulledInPerClaim = 500

    /// The reason of a delivery without a registered device.
    static let noTarget = DeliveryEnding.noTarget.reason

    /// An event's order key as a number, which keeps indexes small: the ticket's identity if that is a number, otherwise a digest.
    ///
    /// If two keys have the same number, their deliveries only wait for each other.
    static func orderNumber(_ event: Event) -> Int64 {
        switch event.orderKey {
        case .ticket(let id): id.number ?? shortDigest(of: id.text)
        case .person(let id): shortDigest(of: id.text)
        }
    }

    /// The number under which a device's calls are counted, independent of the user: a digest of its app and id.
    ///
    /// Two devices with the same number share a count. An attacker who wants to cause that must know the other device's id, and could
    /// simply use it.
    static func deviceNumber(_ key: Device.Key) -> Int64 {
        shortDigest(of: key.appID, key.deviceID)
    }

    /// A digest of ticket and device. Together with the app and the comment's identity it is used to recognise a comment whose event was
    /// deleted.
    ///
    /// Two devices of one comment may share a digest. Only the help desk chooses a comment's identity.
    static func mark(of identity: Event.Identity) -> Int64 {
        shortDigest(of: identity.ticketID?.text ?? "0", identity.deviceID)
    }

    /// Traps on a claim without a lease, whose deliveries would be due at once, and on a negative limit.
    static func check(_ claim: Claim) {
        precondition(claim.leaseMilliseconds > 0 && claim.limit >= 0, "a claim must have a positive lease and no negative limit")
    }

    /// Returns the reason why a dead delivery cannot be retried, even if the queue has room; nil when it can.
    static func obstacle(isErased: Bool, lacksDevice: Bool) -> RetryObstacle? {
        isErased ? .forgotten : lacksDevice ? .noDevice : nil
    }

    /// Whether an event that must be erased has no deliveries left, so that it is not stored at all.
    static func hasNoReceiver(_ rows: [DeliveryPlan.Row], isErased: Bool) -> Bool {
        isErased && rows.allSatisfy { $0.ending != nil }
    }

    /// Traps on a filter without a person: removing all devices of an app would take long.
    static func checkRemoval(_ filter: DeviceFilter) {
        precondition(filter.userID != nil, "a removal must name the person")
    }

    /// Traps on a negative number of rows.
    static func check(limit: Int) {
        precondition(limit >= 0, "a limit must not be negative")
    }
}

extension FinishedAttempt.Next {
    /// The outcome in the form stored with the attempt.
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
    /// The counts, in the order documented by `Store.refused`.
    static func list(_ counts: [ByteKey: [DeliveryEnding: Int]]) -> [RefusedDeliveries] {
        counts.sorted { $0.key < $1.key }.flatMap { notifier, counts in
            DeliveryEnding.allCases.compactMap { ending in
                counts[ending].map { RefusedDeliveries(notifier: notifier.text, ending: ending, count: $0) }
            }
        }
    }
}

extension StoreError {
    /// - Parameter milliseconds: the timeout of the read.
    static func tooLong(_ milliseconds: UInt64) -> StoreError {
        StoreError(
            .tooLong, "the query took more than \(milliseconds) ms and was cancelled, so that it does not delay others")
    }

    static let closed = StoreError(.closed, "the store is closed: the service is stopping")

    static let idInUse = StoreError(.unavailable, "a delivery's id is in use already", remedy: "send the event again")
}

extension Erasure {
    /// Erases the remaining events of a person, a limited number in each transaction, and adds up the results.
    mutating func erase(
        _ found: [(number: Int64, isErased: Bool)], perCommit: Int, _ commit: ([Int64]) throws(StoreError) -> Erasure
    ) throws(StoreError) {
        var rest = found.filter { !$0.isErased }.map(\.number)[...]
        while !rest.isEmpty {
            add(try commit(Array(rest.prefix(perCommit))))
            rest = rest.dropFirst(perCommit)
        }
    }
}
