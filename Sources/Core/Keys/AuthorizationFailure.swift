package import Time

/// An answer to a user's request that neither allowed nor denied it. It has no text of a caller.
package struct AuthorizationFailure: Sendable, Equatable {
    /// Why the request was answered so.
    package enum Reason: Sendable, Equatable {
        /// Answered 503: nobody could decide.
        case undecided(Indecision)
        /// Answered 429: the registration of a device was beyond a limit.
        case limited(LimitRule.Scope)

        /// Reads the word; nil for another one.
        init?(word: String) {
            if let indecision = Indecision(rawValue: word) {
                self = .undecided(indecision)
            } else if let scope = LimitRule.Scope.allCases.first(where: { Reason.limited($0).word == word }) {
                self = .limited(scope)
            } else {
                return nil
            }
        }

        /// The word that logs have.
        package var word: String {
            switch self {
            case .undecided(let indecision): indecision.rawValue
            case .limited(let scope): "limit_\(scope.rawValue)"
            }
        }
    }

    /// Why.
    package let reason: Reason
    /// When.
    package let at: UnixSeconds

    /// From when the limit allows the next registration; nil where there is no limit.
    package let nextAt: UnixSeconds?

    /// Makes a failure.
    package init(_ reason: Reason, at: UnixSeconds, nextAt: UnixSeconds? = nil) {
        (self.reason, self.at, self.nextAt) = (reason, at, nextAt)
    }
}
