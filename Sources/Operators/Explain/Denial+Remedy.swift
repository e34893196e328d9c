internal import Core
internal import Time

/// What decides about a key, in the order in which authorization asks.
enum KeyCheck: Int, CaseIterable, Comparable {
    case key, app, keyID, signature, life, revocations, backend

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The step that tells of it.
    var subject: Explanation.Subject {
        switch self {
        case .key: .key
        case .app: .app
        case .keyID: .keyID
        case .signature: .signature
        case .life: .life
        case .revocations: .revocations
        case .backend: .backend
        }
    }
}

extension Denial {
    /// What has failed.
    var check: KeyCheck {
        switch self {
        case .unknownApp: .app
        case .unknownKey: .keyID
        case .wrongMac: .signature
        case .issuedInFuture, .expired, .tooOld, .keyRetired: .life
        case .revoked: .revocations
        case .backendDenied, .backendUndecided: .backend
        }
    }

    /// What is wrong with a key that is denied so: one sentence.
    func sentence(_ facts: KeyFacts) -> String {
        let key = facts.key
        let issued = key.map { Telling.time($0.issuedAt) } ?? "", ids = facts.keyIDs
        func since(_ earlier: UnixSeconds?) -> String { Telling.duration(seconds: facts.now.elapsed(since: earlier ?? facts.now)) }
        switch self {
        case .unknownApp: return "No app with this app_id is configured."
        case .unknownKey:
            return "The key was made with the key id \(key?.keyID ?? 0), and the app has \(ids.isEmpty ? "no key" : "only \(ids)")."
        case .wrongMac:
            return "The key was not made with the secret of key id \(key?.keyID ?? 0) for this app_id and this user_id."
        case .issuedInFuture:
            let ahead = Telling.duration(seconds: facts.now.remaining(until: key?.issuedAt ?? facts.now))
            return "The key was issued at \(issued), which is \(ahead) ahead of this machine's clock (\(Telling.time(facts.now)))."
        case .expired:
            return "The key expired at \(Telling.time(key?.expiresAt ?? 0)), \(since(key?.expiresAt)) ago."
        case .tooOld:
            let longest = facts.policy.longestLifeSeconds.map { Telling.duration(seconds: $0) } ?? "nothing"
            return "The key was issued at \(issued), \(since(key?.issuedAt)) ago, and keys of this app may be \(longest) old."
        case .keyRetired:
            let end = facts.secretEnd
            return
                "The secret with the key id \(key?.keyID ?? 0) verifies nothing since \(end.map { Telling.time($0) } ?? "its not_after"), "
                + "\(since(end)) ago."
        case .revoked: return facts.revocationSentence
        case .backendDenied: return "The app's backend denies this user."
        case .backendUndecided: return "The app's backend could not decide, and the app's rule (verify.when_undecided) denies then."
        }
    }

    /// What to do about it, in sentences.
    func remedy(_ facts: KeyFacts) -> String {
        let newKey = "Have the app fetch a new key from its backend, and hand it to the chat."
        switch self {
        case .unknownApp:
            return "Compare the app_id byte for byte with apps[].app_id in the configuration\(facts.appHint). "
                + "If the app is new, configure it and reload (SIGHUP)."
        case .unknownKey:
            return
                "Either the secret has left the configuration, or the key was made for another environment. \(newKey) If many users still "
                + "have such keys, configure the former secret again under apps[].keys until they have expired."
        case .wrongMac:
            return
                "Check in this order: the user_id is byte for byte the one that the key was minted for (capitals, spaces, a prefix); the "
                + "app_id is too; the backend that mints has the same secret for this key id as apps[].keys, which another environment has "
                + "not; nothing on the way has changed the key. deskgate key mint makes a key to compare with."
        case .issuedInFuture:
            return "Set the clock of the machine that minted the key, or of this one; a difference of "
                + "\(Telling.duration(seconds: facts.policy.clockSkewSeconds)) is allowed (security_keys.clock_skew_seconds)."
        case .expired:
            return "\(newKey) If keys expire while people chat, mint them for longer (ttl), or fetch a new one at every start of the app."
        case .tooOld: return "\(newKey) The longest life is longest_life_seconds of apps[].security_keys or of security_keys."
        case .keyRetired:
            return "\(newKey) If many users still have such keys, set a later not_after for the secret under apps[].keys."
        case .revoked: return facts.revocationRemedy
        case .backendDenied:
            return "Ask whoever runs the backend why; deskgate_authorize_requests_total counts such denials as backend_denied."
        case .backendUndecided:
            return "Look at the log for why the backend was not reached or did not answer, and mend that."
        }
    }
}
