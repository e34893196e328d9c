package import Time

/// The recent authorizations of one user of an app in one process. Contains times, reasons and key ids, but no text from callers.
package struct AuthorizationHistory: Sendable {
    static let maximumDenials = 3

    package struct Success: Sendable, Equatable {
        package let at: UnixSeconds
        /// The id of the app's key; nil when the app's backend decides alone.
        package let keyID: UInt32?
        /// Whether only the app's shadow mode allowed the request.
        package var isShadowed = false
    }

    package enum Reason: Sendable, Equatable {
        /// Answered 403.
        case denial(Denial)
        /// Answered 400 because the security key is malformed.
        case malformedKey(ValidationError.Problem)

        /// Returns nil for an unknown word.
        init?(word: String) {
            if let denial = Denial(rawValue: word) {
                self = .denial(denial)
            } else if let problem = ValidationError.Problem(rawValue: word) {
                self = .malformedKey(problem)
            } else {
                return nil
            }
        }

        /// The word in logs and metrics.
        package var word: String {
            switch self {
            case .denial(let denial): denial.rawValue
            case .malformedKey(let problem): problem.rawValue
            }
        }
    }

    /// The last request that was denied for one reason and with one key.
    package struct Denied: Sendable, Equatable {
        package let reason: Reason
        /// The id of the app's key; nil when the request contains the id of none of the app's keys.
        package let keyID: UInt32?
        package let at: UnixSeconds

        /// The denial; nil when the request was answered 400.
        package var denial: Denial? { if case .denial(let denial) = reason { denial } else { nil } }

        /// Whether only an existing user can cause this denial: the key was genuine, or an operator has blocked the user.
        package var provesUser: Bool {
            switch denial {
            case .issuedInFuture, .expired, .tooOld, .keyRetired, .revoked: true
            // If a key id is present, the key was verified before the backend was queried.
            case .backendDenied, .backendUndecided: keyID != nil
            case .unknownApp, .unknownKey, .wrongMac, nil: false
            }
        }

        /// Whether the request had a genuine key. If only the backend verifies keys, a blocked user is denied without a check of the key.
        package var hadGenuineKey: Bool { provesUser && keyID != nil }
    }

    package private(set) var lastSuccess: Success?
    /// The last denial of each reason and key, latest first, at most `maximumDenials`. Always includes the latest denial of a genuine key.
    package private(set) var denials: [Denied] = []
    /// Whether the latest decided request was denied.
    package private(set) var isDenied = false
    /// The latest response, if it neither allowed nor denied; otherwise nil.
    package internal(set) var failure: AuthorizationFailure?
    private var counts = DenialCounts()

    init() {}

    init(
        _ success: Success?, denials: [Denied], isDenied: Bool, minutes: [(minute: UInt64, count: UInt32)],
        failure: AuthorizationFailure? = nil
    ) {
        (lastSuccess, self.failure) = (success, failure)
        self.denials = denials
        self.isDenied = isDenied
        for (minute, count) in minutes { counts.add(count, inMinute: minute) }
    }

    var minutes: [(minute: UInt64, count: UInt32)] { counts.minutes }

    /// The latest denial of a genuine key after the last success, if later denials exist that any caller can cause; otherwise nil.
    package var provenDenial: Denied? {
        guard isDenied, let latest = denials.first, !latest.provesUser else { return nil }
        // As in `merged`, a success is considered the latest response within one second.
        return denials.first { $0.hadGenuineKey && lastSuccess.map(\.at) ?? 0 < $0.at }
    }

    /// Counts the denials of the last ten minutes, in whole minutes.
    package func count(at now: UnixSeconds) -> Int { counts.total(at: now) }

    /// The time of the latest decided request.
    private var latest: UnixSeconds { isDenied ? denials.first?.at ?? 0 : lastSuccess?.at ?? 0 }

    /// Combines the histories of two processes. Within one second, a success is considered the latest response, and a failure the earliest.
    func merged(with other: AuthorizationHistory) -> AuthorizationHistory {
        var merged = AuthorizationHistory()
        merged.lastSuccess = [lastSuccess, other.lastSuccess].compactMap(\.self).max { $0.at < $1.at }
        merged.isDenied = latest == other.latest ? isDenied && other.isDenied : latest > other.latest ? isDenied : other.isDenied
        for denied in (denials + other.denials).sorted(by: { $0.at > $1.at }) {
            let isKnown = merged.denials.contains { $0.reason == denied.reason && $0.keyID == denied.keyID }
            if !isKnown { merged.denials.append(denied) }
        }
        merged.dropOldest()
        let later = [failure.flatMap { $0.at > other.latest ? $0 : nil }, other.failure.flatMap { $0.at > latest ? $0 : nil }]
        merged.failure = later.compactMap(\.self).max { $0.at < $1.at }
        merged.counts = counts
        for (minute, count) in other.counts.minutes { merged.counts.add(count, inMinute: minute) }
        return merged
    }

    /// Converts the times to a clock that is ahead by `seconds`; negative values mean that it is behind.
    func moved(bySeconds seconds: Int64) -> AuthorizationHistory {
        let minutes = Int64((Double(seconds) / 60).rounded())
        return AuthorizationHistory(
            lastSuccess.map { Success(at: $0.at.advanced(by: seconds), keyID: $0.keyID, isShadowed: $0.isShadowed) },
            denials: denials.map { Denied(reason: $0.reason, keyID: $0.keyID, at: $0.at.advanced(by: seconds)) }, isDenied: isDenied,
            minutes: self.minutes.map { minute, count in
                (minutes < 0 ? minute - min(minute, minutes.magnitude) : minute + minutes.magnitude, count)
            },
            failure: failure?.moved(bySeconds: seconds))
    }

    mutating func recordSuccess(_ success: Success) {
        lastSuccess = success
        isDenied = false
    }

    mutating func recordDenial(_ denied: Denied) {
        isDenied = true
        counts.add(at: denied.at)
        denials.removeAll { $0.reason == denied.reason && $0.keyID == denied.keyID }
        denials.insert(denied, at: 0)
        dropOldest()
    }

    /// Evicts the oldest denials beyond the limit, except for the latest denial of a genuine key, so that a stranger cannot evict the
    /// user's own reason.
    private mutating func dropOldest() {
        while denials.count > Self.maximumDenials {
            let last = denials.count - 1
            denials.remove(at: denials.firstIndex(where: \.hadGenuineKey) == last ? last - 1 : last)
        }
    }
}

/// Counts denials in a window of ten minutes, with one counter per minute.
struct DenialCounts: Sendable {
    private static let kept = 10

    /// The minute of the latest denial, since 1970.
    private var latest: UInt64 = 0
    /// The counters, indexed by the minute modulo the number of counters.
    private var counts = InlineArray<10, UInt32>(repeating: 0)

    mutating func add(at now: UnixSeconds) {
        // After the clock was set back, denials are added to the latest minute.
        add(1, inMinute: max(latest, now.rawValue / 60))
    }

    /// Adds denials. Ignores a minute that is ten or more minutes before the latest one.
    mutating func add(_ count: UInt32, inMinute minute: UInt64) {
        if minute > latest {
            for passed in 0..<min(minute - latest, UInt64(Self.kept)) { counts[Self.index(minute - passed)] = 0 }
            latest = minute
        }
        guard latest - minute < UInt64(Self.kept) else { return }
        let (sum, overflows) = counts[Self.index(minute)].addingReportingOverflow(count)
        counts[Self.index(minute)] = overflows ? .max : sum
    }

    var minutes: [(minute: UInt64, count: UInt32)] {
        (0..<min(UInt64(Self.kept), latest + 1)).compactMap { passed in
            let count = counts[Self.index(latest - passed)]
            return count == 0 ? nil : (latest - passed, count)
        }
    }

    func total(at now: UnixSeconds) -> Int {
        let minute = now.rawValue / 60
        let age = minute > latest ? minute - latest : 0
        guard age < UInt64(Self.kept) else { return 0 }
        return (0..<UInt64(Self.kept) - age).reduce(0) { sum, passed in
            passed <= latest ? sum + Int(counts[Self.index(latest - passed)]) : sum
        }
    }

    private static func index(_ minute: UInt64) -> Int { Int(minute % UInt64(kept)) }
}
