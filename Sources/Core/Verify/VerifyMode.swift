/// The authority over an app's users: `apps[].verify.mode`.
package enum VerifyMode: String, Sendable, CaseIterable {
    case key
    /// The app's backend alone; what a security key is like is its own affair.
    case backend
    /// The security key first, and then the app's backend.
    case keyAndBackend = "key_and_backend"
}

/// The answer when the app's backend cannot decide: `apps[].verify.when_undecided`.
package enum UndecidedPolicy: String, Sendable, CaseIterable {
    /// 503: the caller may try again.
    case error
    /// 403.
    case deny
    /// 200, because the security key has passed; not for `VerifyMode.backend`.
    case allowIfKeyValid = "allow_if_key_valid"

    /// The verdict that an answer of the backend leads to.
    /// - Parameter keyID: which of the app's keys has passed; nil when the backend alone decides.
    package func verdict(on answer: BackendAnswer, keyID: UInt32?) -> Verdict {
        switch answer {
        case .allowed: .authorized(keyID: keyID)
        case .denied: .denied(.backendDenied, keyID: keyID)
        // A failure of our own must never look like a denial.
        case .undecided(.internalError): .undecided(.internalError)
        case .undecided(let reason): verdict(without: reason, keyID: keyID)
        }
    }

    private func verdict(without reason: UndecidedReason, keyID: UInt32?) -> Verdict {
        switch self {
        case .error: .undecided(reason)
        case .deny: .denied(.backendUndecided, keyID: keyID)
        case .allowIfKeyValid: keyID == nil ? .undecided(reason) : .authorized(keyID: keyID, isConfirmed: false)
        }
    }
}
