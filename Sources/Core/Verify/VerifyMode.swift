/// The checks for access to an app's chat: `apps[].verify.mode`.
package enum VerifyMode: String, Sendable, CaseIterable {
    case key
    /// Only the app's backend, which verifies the security key.
    case backend
    /// First the security key, and then the app's backend.
    case keyAndBackend = "key_and_backend"
}

/// The response when the app's backend cannot decide: `apps[].verify.when_undecided`.
package enum UndecidedPolicy: String, Sendable, CaseIterable {
    /// Responds with 503; the caller may retry.
    case error
    /// Responds with 403.
    case deny
    /// Responds with 200 if the security key is valid; not for `VerifyMode.backend`.
    case allowIfKeyValid = "allow_if_key_valid"

    /// - Parameter keyID: the app's key that was verified; nil when the backend alone decides.
    package func verdict(on answer: BackendAnswer, keyID: UInt32?) -> Verdict {
        switch answer {
        case .allowed: .authorized(keyID: keyID)
        case .denied: .denied(.backendDenied, keyID: keyID)
        // An internal failure must never look like a denial.
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
