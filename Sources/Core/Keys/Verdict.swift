/// The decision whether a user may use the chat, with its reason, which only operators see.
package enum Verdict: Sendable, Equatable {
    /// 200: the key is genuine and valid, and the app's backend has confirmed it if the backend is queried. `keyID` is nil when the backend
    /// alone decides. `isConfirmed` is false when the backend could not decide, and the app's rule allows valid keys in this case.
    case authorized(keyID: UInt32?, isConfirmed: Bool = true)
    /// 400: the request does not match the public grammar.
    case malformed(ValidationError)
    /// 403: the request is well formed, but denied. `keyID` is set when the app has a key with this id.
    case denied(Denial, keyID: UInt32?)
    /// 200: the request would be denied, but the app is in shadow mode. Only for authorization.
    case shadowed(Denial, keyID: UInt32?)
    /// 503: no decision was possible. The response must not look like a denial.
    case undecided(UndecidedReason)
    /// The key is valid so far, and the app's backend must be queried (`VerifyMode`). This verdict is not final: nothing may be allowed
    /// before the backend has answered.
    case unconfirmed(keyID: UInt32?)

    package var status: Int {
        switch self {
        case .authorized, .shadowed: 200
        case .malformed: 400
        case .denied: 403
        case .undecided, .unconfirmed: 503
        }
    }

    /// The id of the app's key; nil when the request contains the id of none of the app's keys.
    package var keyID: UInt32? {
        switch self {
        case .authorized(let keyID, _), .denied(_, let keyID), .shadowed(_, let keyID), .unconfirmed(let keyID): keyID
        case .malformed, .undecided: nil
        }
    }

    /// The reason in logs, in metrics and in the output of `deskgate key verify`.
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
    /// The app has no key with this id, or the key was removed.
    case unknownKey = "unknown_key"
    /// The key was not minted with this secret for this app and user.
    case wrongMac = "wrong_mac"
    /// The issue time is later than now by more than the allowed clock skew.
    case issuedInFuture = "issued_in_future"
    case expired
    /// The key is older than the policy allows.
    case tooOld = "too_old"
    /// The secret that minted the key has expired (`not_after`).
    case keyRetired = "key_retired"
    /// An operator has revoked the key, or blocked the person.
    case revoked
    case backendDenied = "backend_denied"
    /// The app's backend could not decide, and the app's rule denies in this case.
    case backendUndecided = "backend_undecided"
}

package enum UndecidedReason: String, Sendable, Equatable, CaseIterable {
    /// A failure of Deskgate itself.
    case internalError = "internal_error"
    /// The revocations have not been read yet.
    case revocationsUnknown = "revocations_not_loaded"
    case backendTimeout = "backend_timeout"
    /// The connection to the app's backend failed or broke.
    case backendUnreachable = "backend_unreachable"
    /// The app's backend responded with a status that neither allows nor denies.
    case backendStatus = "backend_status"
    /// The app's backend was not queried, because its last calls failed (breaker open).
    case backendBreakerOpen = "backend_breaker_open"
    /// The app's backend was not queried about a new key, because its last calls about new keys failed (`NewKeyRateLimit`).
    case backendNewKeysLimited = "backend_new_keys_paced"
    /// The app's backend was not queried, because too many calls were in progress.
    case backendOverloaded = "backend_overloaded"

    /// Whether the reason follows from failed calls of the app's backend, so that a later decision resolves it.
    package var isOfFailedCalls: Bool {
        switch self {
        case .internalError, .revocationsUnknown, .backendOverloaded: false
        case .backendTimeout, .backendUnreachable, .backendStatus, .backendBreakerOpen, .backendNewKeysLimited: true
        }
    }
}
