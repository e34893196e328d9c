package import Time

/// An answer to a user's request that neither allowed nor denied it. It has no text of a caller.
package struct AuthorizationFailure: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        /// Answered 503: undecided.
        case undecided(UndecidedReason)
        /// Answered 429: the registration of a device was beyond a limit.
        case limited(LimitRule.Scope)

        /// Reads the word; nil for another one.
        init?(word: String) {
            if let reason = UndecidedReason(rawValue: word) {
                self = .undecided(reason)
            } else if let scope = LimitRule.Scope.allCases.first(where: { Reason.limited($0).word == word }) {
                self = .limited(scope)
            } else {
                return nil
            }
        }

        /// The word that logs have.
        package var word: String {
            switch self {
            case .undecided(let reason): reason.rawValue
            case .limited(let scope): "limit_\(scope.rawValue)"
            }
        }
    }

    package let reason: Reason
    package let at: UnixSeconds

    /// From when the limit allows the next registration; nil where there is no limit.
    package let nextAt: UnixSeconds?
    /// The limit; nil where there is none, and from a replica of an earlier version.
    package let rule: LimitRule?

    package init(_ reason: Reason, at: UnixSeconds, nextAt: UnixSeconds? = nil, rule: LimitRule? = nil) {
        (self.reason, self.at, self.nextAt, self.rule) = (reason, at, nextAt, rule)
    }

    /// Makes the failure of a registration that a limit refuses.
    package init(_ refusal: LimitRefusal, at: UnixSeconds) {
        let nextAt = UnixMilliseconds(rawValue: refusal.until.rawValue + 999).seconds
        self.init(.limited(refusal.rule.scope), at: at, nextAt: nextAt, rule: refusal.rule)
    }

    /// The same by another clock, which is ahead by so many seconds, or behind.
    func moved(bySeconds seconds: Int64) -> AuthorizationFailure {
        AuthorizationFailure(reason, at: at.advanced(by: seconds), nextAt: nextAt?.advanced(by: seconds), rule: rule)
    }

    /// Whether the limits in force now allow the refused call: none of them is as strict as the one that refused it.
    package func isLifted(by limits: [LimitRule]) -> Bool {
        guard let rule else { return false }
        return !limits.contains { $0.isAtLeastAsStrict(as: rule) }
    }
}
