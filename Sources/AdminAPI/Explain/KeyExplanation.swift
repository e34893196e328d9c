internal import Core
internal import Time

extension Explanation {
    /// Explains a key: the response of authorization now, with the reason.
    init(_ facts: KeyFacts) {
        let checks = Self.checks(facts)
        let backend = checks.contains { $0.subject == .backend } ? facts.backendTroubles : []
        let (outcome, finding) = Self.finding(facts)
        self.init(
            Self.conclusion(facts, Conclusion(outcome, finding, from: Self.cause(facts, checks))),
            checks + backend + [Self.shadow(facts), Self.store(facts)].compactMap(\.self)
                + facts.closing.steps(isAllowed: facts.isAuthorized, lacksKey: facts.lacksKey) + Self.past(facts))
    }

    /// Weakens the conclusion while all users are denied, or while the person is denied with another key.
    private static func conclusion(_ facts: KeyFacts, _ verdict: Conclusion) -> Conclusion {
        if let closed = facts.closing.ofAll ?? facts.closing.nearlyAllDenied(isAllowed: facts.isAuthorized) { return verdict.but(closed) }
        guard verdict.outcome != .problem else { return verdict }
        // Each replica decides with its own keys, so a key that is allowed here may be denied there.
        if facts.lacksKey, let replicas = facts.closing.ofReplicas(lacksKey: true) { return verdict.but(replicas) }
        let reservation = facts.authorizations.reservations(facts).first { $0.outcome == .problem }
        guard let refusal = facts.authorizations.refusal(facts) ?? reservation else { return verdict }
        return verdict.but(Step(refusal.subject, outcome: .note, text: refusal.text, at: refusal.at, remedy: refusal.remedy))
    }

    /// The responses to the person's latest requests; empty when none is known.
    private static func past(_ facts: KeyFacts) -> [Step] {
        guard case .known = facts.authorizations else { return [] }
        return facts.authorizations.steps(facts) + facts.authorizations.reservations(facts) + [log(facts)]
    }

    /// The decisive check.
    private static func cause(_ facts: KeyFacts, _ checks: [Step]) -> Step? {
        // Such a verdict occurs with a block that authorization has not received yet.
        if case .unconfirmed? = facts.verdict { return checks.first { $0.subject == .backend } }
        guard let step = checks.first(where: { $0.outcome == .problem }) ?? checks.last else { return nil }
        // Several revocations may apply to the key, so the remedy of one alone would be incomplete.
        guard step.subject == .revocations, step.outcome == .problem, !facts.ending.isEmpty else { return step }
        return Step(step.subject, outcome: step.outcome, text: step.text, at: step.at, remedy: facts.revocationRemedy)
    }

    private static func finding(_ facts: KeyFacts) -> (Outcome, LocalizedText) {
        guard let verdict = facts.verdict else { return unverified(facts) }
        switch verdict {
        case .authorized:
            return (
                .ok,
                LocalizedText("Authorization answers 200: this key is allowed now.", "Проверка отвечает 200: сейчас этот ключ действует.")
            )
        case .malformed(let error):
            return (.problem, LocalizedText("Authorization answers 400: \(error.localized)", "Проверка отвечает 400. \(error.localized)"))
        case .denied(let denial, _): return denied(denial, facts, shadowEnd: nil)
        case .shadowed(let denial, _): return denied(denial, facts, shadowEnd: facts.shadowEnd)
        case .undecided(let reason):
            return (
                .problem,
                LocalizedText(
                    "Authorization answers 503 (\(reason.rawValue)): it cannot decide now.",
                    "Проверка отвечает 503 (\(reason.rawValue)): сейчас решить некому.")
            )
        case .unconfirmed:
            let backend = facts.backend.map { " (\($0))" } ?? ""
            return (
                .note,
                LocalizedText(
                    "Nothing speaks against this key here. The app's backend\(backend) has the last word, and was not asked.",
                    "Здесь против этого ключа ничего нет. Последнее слово за сервером приложения\(backend), его не спрашивали.")
            )
        }
    }

    /// - Parameter shadowEnd: the time until which shadow mode answers 200 in place of this denial; nil when it does not.
    private static func denied(_ denial: Denial, _ facts: KeyFacts, shadowEnd: UnixSeconds?) -> (Outcome, LocalizedText) {
        let (reason, sentence) = (denial.rawValue, denial.sentence(facts))
        guard let end = shadowEnd.map({ TextFragments.time($0) }) else {
            return (
                .problem,
                LocalizedText("Authorization answers 403 (\(reason)): \(sentence)", "Проверка отвечает 403 (\(reason)). \(sentence)")
            )
        }
        return (
            .note,
            LocalizedText(
                "Authorization answers 200 only because of the app's shadow mode until \(end), then 403 (\(reason)): \(sentence)",
                "Проверка отвечает 200 лишь из-за пробного режима приложения до \(end), потом 403 (\(reason)). \(sentence)")
        )
    }

    private static func unverified(_ facts: KeyFacts) -> (Outcome, LocalizedText) {
        if facts.application?.verification == .backend {
            return (
                .note,
                LocalizedText(
                    "The app's backend alone decides about keys, for a user_id.", "О ключах решает только сервер приложения, для user_id.")
            )
        }
        guard let key = facts.key else {
            return (
                .problem,
                LocalizedText(
                    "This is not a security key of Deskgate: expected dgk1. and 84 base64url characters.",
                    "Это не ключ безопасности Deskgate: ожидается dgk1. и 84 символа base64url.")
            )
        }
        func always(_ reason: String, _ sentence: LocalizedText) -> (Outcome, LocalizedText) {
            (
                .problem,
                LocalizedText(
                    "For any user, this key is denied (\(reason)): \(sentence)",
                    "Для кого бы он ни был, в нём отказано (\(reason)). \(sentence)")
            )
        }
        if let denial = facts.denial(of: key) { return always(denial.rawValue, denial.sentence(facts)) }
        if !facts.ending.isEmpty { return always(Denial.revoked.rawValue, facts.revocationSentence) }
        return (
            .note,
            LocalizedText(
                "The key is well formed and in force. Its signature cannot be checked without its app_id and user_id.",
                "Ключ правильной формы и действует. Подлинный ли он, нельзя сказать без app_id и user_id.")
        )
    }
}
