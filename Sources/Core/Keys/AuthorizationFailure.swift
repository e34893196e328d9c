package import Time

/// A response that neither allowed nor denied a user's request. Contains no text from callers.
package struct AuthorizationFailure: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        /// Answered 503: no decision was possible.
        case undecided(UndecidedReason)
        /// Answered 429: a limit rejected the registration of a device.
        case limited(LimitRule.Scope)

        /// Returns nil for an unknown word.
        init?(word: String) {
            if let reason = UndecidedReason(rawValue: word) {
                self = .undecided(reason)
            } else if let scope = LimitRule.Scope.allCases.first(where: { Reason.limited($0).word == word }) {
                self = .limited(scope)
            } else {
                return nil
            }
        }

        package var word: String {
            switch self {
            case .undecided(let reason): reason.rawValue
            case .limited(let scope): "limit_\(scope.rawValue)"
            }
        }
    }

    package let reason: Reason
    package let at: UnixSeconds

    /// The time at which the limit allows the next registration; nil if no limit was the reason.
    package let nextAt: UnixSeconds?
    /// The rule that rejected the request; nil if no limit was the reason, or a replica of an earlier version reported the failure.
    package let rule: LimitRule?

    package init(_ reason: Reason, at: UnixSeconds, nextAt: UnixSeconds? = nil, rule: LimitRule? = nil) {
        (self.reason, self.at, self.nextAt, self.rule) = (reason, at, nextAt, rule)
    }

    package init(_ refusal: LimitRefusal, at: UnixSeconds) {
        let nextAt = UnixMilliseconds(rawValue: refusal.until.rawValue + 999).seconds
        self.init(.limited(refusal.rule.scope), at: at, nextAt: nextAt, rule: refusal.rule)
    }

    /// Converts the times to a clock that is ahead by `seconds`; negative values mean that it is behind.
    func moved(bySeconds seconds: Int64) -> AuthorizationFailure {
        AuthorizationFailure(reason, at: at.advanced(by: seconds), nextAt: nextAt?.advanced(by: seconds), rule: rule)
    }

    /// Whether the current limits no longer reject such requests: none of them is at least as strict as `rule`.
    package func isLifted(by limits: [LimitRule]) -> Bool {
        guard let rule else { return false }
        return !limits.contains { $0.isAtLeastAsStrict(as: rule) }
    }
}
