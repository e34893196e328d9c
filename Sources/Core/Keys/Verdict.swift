/// The answer to "may this user use the chat?", with its reason, which only operators see.
package enum Verdict: Sendable, Equatable {
    /// 200: the key is genuine and in force.
    case authorized(keyID: UInt32)
    /// 400: the request breaks the public grammar.
    case malformed(Malformation)
    /// 403: well formed, but denied. The key id is given when the app has a key of that id.
    case denied(Denial, keyID: UInt32?)
    /// 503: a failure of our own, which must never look like a denial.
    case undecided

    /// The HTTP status of the answer.
    package var status: Int {
        switch self {
        case .authorized: 200
        case .malformed: 400
        case .denied: 403
        case .undecided: 503
        }
    }

    /// Which of the app's keys the request was about; nil when it was about none of them.
    package var keyID: UInt32? {
        switch self {
        case .authorized(let keyID): keyID
        case .denied(_, let keyID): keyID
        case .malformed, .undecided: nil
        }
    }

    /// The reason as it stands in logs, metrics and `deskgate key verify`.
    package var reason: String {
        switch self {
        case .authorized: "valid"
        case .malformed(let malformation): malformation.problem.rawValue
        case .denied(let denial, _): denial.rawValue
        case .undecided: "internal_error"
        }
    }
}

/// Why a well-formed request is denied.
package enum Denial: String, Sendable, Equatable, CaseIterable {
    /// No such app is configured.
    case unknownApp = "unknown_app"
    /// The app has no key of that id, or not any more.
    case unknownKey = "unknown_key"
    /// The key was not made with this secret for this app and user.
    case wrongMac = "wrong_mac"
    /// The key was issued later than now, by more than the clocks may differ.
    case issuedInFuture = "issued_in_future"
    /// The key's own time is over.
    case expired
    /// The key is older than any key may be.
    case tooOld = "too_old"
    /// The time of the secret that made the key is over (`not_after`).
    case keyRetired = "key_retired"
}
