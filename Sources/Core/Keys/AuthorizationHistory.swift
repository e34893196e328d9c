package import Time

/// The recent authorizations of one user of an app, as one process has answered them.
///
/// It has times, reasons and key ids, and no text of a caller.
package struct AuthorizationHistory: Sendable {
    /// How far back denials are counted, in seconds.
    package static let windowSeconds = DenialCounts.windowSeconds
    /// How many reasons are kept.
    static let mostDenials = 3

    /// The last request that was allowed.
    package struct Success: Sendable, Equatable {
        /// When it was allowed.
        package let at: UnixSeconds
        /// Which of the app's keys allowed it; nil when the app's backend decides alone.
        package let keyID: UInt32?
    }

    /// The last request that was denied for one reason, with one key.
    package struct Denied: Sendable, Equatable {
        /// Why.
        package let denial: Denial
        /// Which of the app's keys the request was about; nil when it was about none of them.
        package let keyID: UInt32?
        /// When.
        package let at: UnixSeconds
    }

    /// The last success; nil when none is known.
    package private(set) var lastSuccess: Success?
    /// The last denial of each reason and key, the latest first, three at most.
    package private(set) var denials: [Denied] = []
    /// Whether the latest request was denied.
    package private(set) var isDenied = false
    private var counts = DenialCounts()

    /// How many requests were denied within the window, counted in whole minutes.
    package func count(at now: UnixSeconds) -> Int { counts.total(at: now) }

    mutating func recordSuccess(_ success: Success) {
        lastSuccess = success
        isDenied = false
    }

    mutating func recordDenial(_ denied: Denied) {
        isDenied = true
        counts.add(at: denied.at)
        denials.removeAll { $0.denial == denied.denial && $0.keyID == denied.keyID }
        denials.insert(denied, at: 0)
        if denials.count > Self.mostDenials { denials.removeLast() }
    }
}

/// Counts denials in a window of ten minutes, in one counter for each minute.
struct DenialCounts: Sendable {
    static let windowSeconds: UInt64 = 60 * UInt64(minutes)
    private static let minutes = 10

    /// The minute of the latest denial, since 1970.
    private var latest: UInt64 = 0
    /// By the minute, modulo their number.
    private var counts = InlineArray<10, UInt32>(repeating: 0)

    mutating func add(at now: UnixSeconds) {
        let minute = now.rawValue / 60
        // After the clock was set back, the latest minute goes on.
        if minute > latest {
            for passed in 0..<min(minute - latest, UInt64(Self.minutes)) { counts[Self.index(minute - passed)] = 0 }
            latest = minute
        }
        let index = Self.index(latest)
        if counts[index] < .max { counts[index] += 1 }
    }

    func total(at now: UnixSeconds) -> Int {
        let minute = now.rawValue / 60
        let age = minute > latest ? minute - latest : 0
        guard age < UInt64(Self.minutes) else { return 0 }
        return (0..<UInt64(Self.minutes) - age).reduce(0) { sum, passed in
            passed <= latest ? sum + Int(counts[Self.index(latest - passed)]) : sum
        }
    }

    private static func index(_ minute: UInt64) -> Int { Int(minute % UInt64(minutes)) }
}

/// What a process can say about the recent authorizations of one user.
package struct KnownAuthorizations: Sendable {
    /// When the process began to record.
    package let startedAt: UnixSeconds
    /// Since when no denial was dropped for lack of room: a user without a record was not denied since then.
    package let completeSince: UnixSeconds
    /// The user's record; nil when there is none.
    package let history: AuthorizationHistory?

    /// Makes a statement.
    package init(startedAt: UnixSeconds, completeSince: UnixSeconds, history: AuthorizationHistory?) {
        (self.startedAt, self.completeSince, self.history) = (startedAt, completeSince, history)
    }
}
