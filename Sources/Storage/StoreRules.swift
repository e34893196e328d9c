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
    /// How often a device that has signed out and does so again is noted: often enough for its retention.
    private static let noteIntervalMilliseconds: UInt64 = 86_400_000

    /// What the deliveries of an event are kept in order by, within a notifier and an app: a comment's ticket, or the person of a token.
    ///
    /// Two persons may share a number, which only makes one wait for the other.
    static func orderKey(_ event: Event) -> Int64 {
        if let ticketID = event.identity.ticketID { return ticketID }
        return number(of: event.userID)
    }

    /// What the calls of a device are found by, whoever is signed in there.
    ///
    /// Two devices may share a number, which only makes them share a count; who wants that needs to know the other's name, and could use it.
    static func deviceNumber(_ key: Device.Key) -> Int64 {
        number(of: key.appID, key.deviceID)
    }

    /// What a comment is recognised by beside its app and number, once its event is forgotten: a digest of ticket and device.
    ///
    /// Two may share a digest, but only of the same comment, whose number nobody but the help desk chooses.
    static func mark(of identity: Event.Identity) -> Int64 {
        number(of: "\(identity.ticketID ?? 0)", identity.deviceID)
    }

    /// Whether it is remembered that an unknown device has signed out, so that a webhook that is on its way with a token does not bring it back:
    /// only while nothing that is known of the person must leave for it, so that names that somebody makes up cost few writes.
    static func remembersUnknown(known: Int, devicesPerUser: Int) -> Bool { known < devicesPerUser }

    /// Whether it is worth a write that a device signs out that has signed out before.
    static func notesSignOut(seenAt: UInt64, isFromApp: Bool, now: UInt64) -> Bool {
        !isFromApp || now > seenAt + noteIntervalMilliseconds
    }

    /// FNV-1a, which stays the same in every process.
    private static func number(of texts: String...) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for text in texts {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            // No text has this byte, so that none can pass for two.
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        return Int64(bitPattern: hash)
    }

    /// Whether one device of a person leaves before another when there are too many: those that signed out, then those not seen for longest.
    static func leavesFirst(_ left: (hasSignedOut: Bool, seenAt: UInt64), _ right: (hasSignedOut: Bool, seenAt: UInt64)) -> Bool {
        left.hasSignedOut == right.hasSignedOut ? left.seenAt < right.seenAt : left.hasSignedOut
    }

    /// Whether what is known of a device that loses its token is its app's own word, which no webhook changes: a sign-out is, what a provider says
    /// is not, and otherwise it stays as it was.
    static func isFromApp(_ isFromApp: Bool, after reason: RegistryChange.Reason) -> Bool {
        switch reason {
        case .unsubscribed: true
        case .gone: false
        default: isFromApp
        }
    }

    /// Whether a device that its provider does not know any more leaves: not when it has another token by now, or was seen after the provider's
    /// time.
    static func leaves(_ device: Device, goneSince since: UInt64?, tried: Device) -> Bool {
        device.token == tried.token && since.map { device.seenAt < $0 } ?? (device.seenAt <= tried.seenAt)
    }

    /// The type of a device that is learned: what the webhook says, unless no app could say it.
    static func learnedType(_ event: Event, known: String?) -> String {
        event.deviceType.flatMap { $0.utf16.count <= Device.longestType ? $0 : nil } ?? known ?? ""
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
