internal import Core
internal import Time

/// What is said of a security key.
extension Explanation {
    /// Explains a key: what authorization answers now, and why.
    init(_ facts: KeyFacts) {
        let checks = Self.checks(facts)
        let shadow = Self.shadow(facts)
        (outcome, finding) = Self.finding(facts)
        steps = checks + [shadow, Self.store(facts)].compactMap(\.self)
    }

    /// The answer and what it is worth.
    private static func finding(_ facts: KeyFacts) -> (Outcome, String) {
        guard let verdict = facts.verdict else { return unverified(facts) }
        switch verdict {
        case .authorized: return (.ok, "Authorization answers 200: this key is allowed now.")
        case .malformed(let malformation): return (.problem, "Authorization answers 400: \(malformation.description)")
        case .denied(let denial, _), .shadowed(let denial, _):
            let sentence = denial.sentence(facts)
            guard let end = facts.shadowEnd else { return (.problem, "Authorization answers 403 (\(denial.rawValue)): \(sentence)") }
            return (
                .note,
                "Authorization answers 200 only because of the app's shadow mode until \(Telling.time(end)), then 403 "
                    + "(\(denial.rawValue)): \(sentence)"
            )
        case .undecided(let indecision):
            return (.problem, "Authorization answers 503 (\(indecision.rawValue)): nobody can decide now.")
        case .unconfirmed:
            return (
                .note,
                "Nothing speaks against this key here. The app's backend\(facts.backend.map { " (\($0))" } ?? "") has the last word, "
                    + "and was not asked."
            )
        }
    }

    private static func unverified(_ facts: KeyFacts) -> (Outcome, String) {
        if facts.application?.verification == .backend { return (.note, "The app's backend alone decides about keys, for a user_id.") }
        guard let key = facts.key else {
            return (.problem, "This is not a security key of Deskgate: expected dgk1. and 84 base64url characters.")
        }
        if let denial = facts.policy.denial(of: key, notAfter: facts.secretEnd, now: facts.now) {
            return (.problem, "Whoever it is for, this key is denied (\(denial.rawValue)): \(denial.sentence(facts))")
        }
        if !facts.ending.isEmpty { return (.problem, "Whoever it is for, this key is denied (revoked): \(facts.revocationSentence)") }
        return (.note, "The key is well formed and in force. Whether it is genuine cannot be said without its app_id and user_id.")
    }

    /// One step for each check that was made, in their order, up to the first that has failed.
    private static func checks(_ facts: KeyFacts) -> [Step] {
        guard let verdict = facts.verdict else { return unverifiedChecks(facts) }
        let isForeign = facts.application?.verification == .backend
        var (last, failed) = (KeyCheck.revocations, nil as Step?)
        switch verdict {
        case .denied(let denial, _), .shadowed(let denial, _):
            last = denial.check
            failed = Step(last.subject, .problem, denial.sentence(facts), remedy: denial.remedy(facts))
        case .malformed(let malformation):
            last = .key
            failed = Step(.key, .problem, malformation.description, remedy: wrongForm)
        case .undecided(let indecision): (last, failed) = undecided(indecision)
        case .unconfirmed: last = .backend
        case .authorized: break
        }
        let passed = KeyCheck.allCases.filter { check in
            if failed != nil ? check >= last : check > last { return false }
            return !isForeign || [.app, .revocations, .backend].contains(check)
        }
        let revoked = verdict.isRevoked ? facts.ending.map { $0.step(.problem) } : []
        return passed.map { step(of: $0, facts) } + (revoked.isEmpty ? [failed].compactMap(\.self) : revoked)
            + others(facts, after: revoked)
    }

    /// What an operator should know although something else decides: a key that is replaced would be denied by it as well.
    private static func others(_ facts: KeyFacts, after told: [Step]) -> [Step] {
        let blocks = facts.revocations.found.filter(\.keepsOut).map { $0.step(.problem) }
        return blocks.filter { !told.contains($0) }
    }

    private static let wrongForm =
        "See what the app hands to the chat as security_key: it must be the whole text that the backend minted, and nothing else. "
        + "Keys are often cut off, wrapped in quotes, or replaced by a session token."

    private static func undecided(_ indecision: Indecision) -> (KeyCheck, Step) {
        switch indecision {
        case .revocationsUnknown:
            let text = "It is not known yet which keys are revoked, because the store could not be read since the start."
            let remedy = "Mend the store; the log and deskgate status say what is wrong with it."
            return (.revocations, Step(.revocations, .problem, text, remedy: remedy))
        case .internalError, .backendTimeout, .backendUnreachable, .backendStatus, .backendBreakerOpen, .backendOverloaded:
            let text = "Deskgate itself has failed (\(indecision.rawValue))."
            return (.signature, Step(.signature, .problem, text, remedy: "Look at the log."))
        }
    }

    /// What is said of a check that nothing has failed.
    private static func step(of check: KeyCheck, _ facts: KeyFacts) -> Step {
        let key = facts.key
        switch check {
        case .key: return Step(.key, .ok, "It is a security key of Deskgate, and says that it was made with the key id \(key?.keyID ?? 0).")
        case .app: return Step(.app, .ok, "The app is configured.")
        case .keyID: return Step(.keyID, .ok, "The app has a key with the id \(key?.keyID ?? 0).")
        case .signature: return Step(.signature, .ok, "The key was made with that secret for this app_id and this user_id.")
        case .life: return life(facts)
        case .revocations: return Step(.revocations, .ok, "Nothing that is revoked is about this key.")
        case .backend:
            return Step(
                .backend, .note, "The app's backend\(facts.backend.map { " at \($0)" } ?? "") is asked next, which this answer does not.",
                remedy: "If the chat is denied all the same, see backend_denied and backend_undecided in the log and the metrics.")
        }
    }

    private static func life(_ facts: KeyFacts) -> Step {
        guard let key = facts.key else { return Step(.life, .note, "It is not known when the key was issued.") }
        let end = key.expiresAt == 0 ? "never expires" : "expires at \(Telling.time(key.expiresAt))"
        return Step(.life, .ok, "The key was issued at \(Telling.time(key.issuedAt)) and \(end).")
    }

    /// What can be said without an app or a person.
    private static func unverifiedChecks(_ facts: KeyFacts) -> [Step] {
        if facts.application?.verification == .backend { return [step(of: .app, facts), step(of: .backend, facts)] }
        guard let key = facts.key else {
            return [Step(.key, .problem, "It is not dgk1. and 84 base64url characters.", remedy: wrongForm)]
        }
        var steps = [step(of: .key, facts)]
        if facts.application != nil { steps.append(step(of: .app, facts)) }
        if let denial = facts.policy.denial(of: key, notAfter: facts.secretEnd, now: facts.now) {
            steps.append(Step(.life, .problem, denial.sentence(facts), remedy: denial.remedy(facts)))
        } else {
            steps.append(life(facts))
        }
        steps += facts.ending.map { $0.step(.problem) }
        let missing = [facts.appID == nil ? "app_id" : nil, facts.userID == nil ? "user_id" : nil].compactMap(\.self)
        steps.append(
            Step(
                .signature, .note, "The signature was not checked: it covers the app_id and the user_id.",
                remedy: "Ask again with \(missing.joined(separator: " and "))."))
        return steps
    }

    /// What could not be looked up because the store is away; nil when it is not.
    private static func store(_ facts: KeyFacts) -> Step? {
        facts.storeProblem.map {
            Step(.search, .note, "The store could not be asked who has revoked what (\($0)). Authorization needs no store for its answer.")
        }
    }

    /// What the app's shadow mode does; nil when it is off.
    static func shadow(_ facts: KeyFacts) -> Step? {
        guard let end = facts.shadowEnd else { return nil }
        return Step(
            .shadowMode, .note,
            "The app is in its shadow mode until \(Telling.time(end)): what would be denied is answered 200 until then.",
            remedy: "Mend what would be denied before then, or extend apps[].shadow_until.")
    }
}

extension KeyFacts {
    /// When the app's shadow mode ends; nil when it is off.
    var shadowEnd: UnixSeconds? { application?.shadowEnd(at: now) }
}

extension Verdict {
    /// Whether a revocation has decided.
    fileprivate var isRevoked: Bool {
        switch self {
        case .denied(.revoked, _), .shadowed(.revoked, _): true
        default: false
        }
    }
}
