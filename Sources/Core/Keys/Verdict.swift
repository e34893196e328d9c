/// The answer to "may this user use the chat?", with its reason, which only operators see.
package enum Verdict: Sendable, Equatable {
    /// 200: the key is genuine and in force, and the app's backend has confirmed it where it is asked. The key id is nil when the backend
    /// alone decides. `isConfirmed` is false when the backend could not decide, and the app's rule lets valid keys pass.
    case authorized(keyID: UInt32?, isConfirmed: Bool = true)
    /// 400: the request breaks the public grammar.
    case malformed(ValidationError)
    /// 403: well formed, but denied. The key id is given when the app has a key of that id.
    case denied(Denial, keyID: UInt32?)
    /// 200: denied for this reason, but the app is in its shadow mode. Only authorization is answered so.
    case shadowed(Denial, keyID: UInt32?)
    /// 503: undecided, which must never look like a denial.
    case undecided(UndecidedReason)
    /// Not an answer yet: nothing speaks against the key, and the app's backend must be asked (`VerifyMode`). Until it is, nothing may be
    /// allowed.
    case unconfirmed(keyID: UInt32?)

    package var status: Int {
        switch self {
        case .authorized, .shadowed: 200
        case .malformed: 400
        case .denied: 403
        case .undecided, .unconfirmed: 503
        }
    }

    /// The app's key in the request; nil for none of them.
    package var keyID: UInt32? {
        switch self {
        case .authorized(let keyID, _), .denied(_, let keyID), .shadowed(_, let keyID), .unconfirmed(let keyID): keyID
        case .malformed, .undecided: nil
        }
    }

    /// The reason in logs, metrics and `deskgate key verify`.
    package var reason: String {
        switch self {
        case .authorized(_, isConfirmed: true): "valid"
        case .authorized(_, isConfirmed: false): Denial.backendUndecided.rawValue
        case .malformed(let error): error.problem.rawValue
        case .denied(let denial, _), .shadowed(let denial, _): denial.rawValue
        case .undecided(let reason): reason.rawValue
        case .unconfirmed: "unconfirmed"
        }
    }
}

package enum Denial: String, Sendable, Equatable, CaseIterable {
    case unknownApp = "unknown_app"
    /// The app has no key of that id, or not any more.
    case unknownKey = "unknown_key"
    /// The key was not made with this secret for this app and user.
    case wrongMac = "wrong_mac"
    /// The key was issued later than now, by more than the clocks may differ.
    case issuedInFuture = "issued_in_future"
    /// The key has expired.
    case expired
    /// The key is older than any key may be.
    case tooOld = "too_old"
    /// The time of the secret that made the key is over (`not_after`).
    case keyRetired = "key_retired"
    /// An operator has revoked the key, or blocked the person.
    case revoked
    /// The app's backend has said no.
    case backendDenied = "backend_denied"
    /// The app's backend could not decide, and the app's rule denies then.
    case backendUndecided = "backend_undecided"
}

/// The reason why a request could not be decided.
package enum UndecidedReason: String, Sendable, Equatable, CaseIterable {
    /// A failure of Deskgate's own.
    case internalError = "internal_error"
    /// It is not known yet which keys are revoked.
    case revocationsUnknown = "revocations_not_loaded"
    /// The app's backend did not answer in time.
    case backendTimeout = "backend_timeout"
    /// There was no connection to the app's backend, or it broke.
    case backendUnreachable = "backend_unreachable"
    /// The app's backend answered with a status that is neither yes nor no.
    case backendStatus = "backend_status"
    /// The app's backend was not asked, because it has just failed several times in a row.
    case backendBreakerOpen = "backend_breaker_open"
    /// The app's backend was not asked about a new key, because it has just failed for several of them in a row (`NewKeyRateLimit`).
    case backendNewKeysLimited = "backend_new_keys_paced"
    /// The app's backend was not asked, because too many calls were under way.
    case backendOverloaded = "backend_overloaded"

    /// Whether it follows from failed calls of the app's backend, so that a later decision ends it.
    package var isOfFailedCalls: Bool {
        switch self {
        case .internalError, .revocationsUnknown, .backendOverloaded: false
        case .backendTimeout, .backendUnreachable, .backendStatus, .backendBreakerOpen, .backendNewKeysLimited: true
        }
    }
}
