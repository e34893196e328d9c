internal import Configuration
internal import Core
internal import Time

/// The steps about a security key.
extension Explanation {
    /// One step for each check, in order, up to the first failure.
    static func checks(_ facts: KeyFacts) -> [Step] {
        guard let verdict = facts.verdict else { return unverifiedChecks(facts) }
        let isForeign = facts.application?.verification == .backend
        var (last, failed) = (KeyCheck.revocations, nil as Step?)
        switch verdict {
        case .denied(let denial, _), .shadowed(let denial, _):
            last = denial.check
            failed = Step(last.subject, outcome: .problem, text: denial.sentence(facts), remedy: denial.remedy(facts))
        case .malformed(let error):
            last = .key
            failed = Step(.key, outcome: .problem, text: error.localized, remedy: ValidationError.Problem.notASecurityKey.remedy)
        case .undecided(let reason): (last, failed) = undecided(reason)
        case .unconfirmed: last = .backend
        case .authorized: break
        }
        let passed = KeyCheck.allCases.filter { check in
            if failed != nil ? check >= last : check > last { return false }
            return !isForeign || [.app, .revocations, .backend].contains(check)
        }
        let revoked = verdict.isRevoked ? facts.ending.map { $0.step(.problem, at: facts.now) } : []
        return passed.map { step(of: $0, facts) } + (revoked.isEmpty ? [failed].compactMap(\.self) : revoked)
            + others(facts, after: revoked)
    }

    /// Adds facts that matter although another check decides: a replacement key would be denied by them as well.
    private static func others(_ facts: KeyFacts, after reported: [Step]) -> [Step] {
        let blocks = facts.revocations.found.filter(facts.denies).map { $0.step(.problem, at: facts.now) }
        return blocks.filter { !reported.contains($0) }
    }

    private static func undecided(_ reason: UndecidedReason) -> (KeyCheck, Step) {
        switch reason {
        case .revocationsUnknown:
            return (
                .revocations,
                Step(
                    .revocations, outcome: .problem,
                    text: LocalizedText(
                        "It is not known which keys are revoked: the store could not be read since the start, and there is no usable copy.",
                        "Какие ключи отозваны, неизвестно: с самого запуска хранилище не удалось прочитать, а пригодной копии нет."),
                    remedy: LocalizedText(
                        "Repair the store; the log and deskgate status show its problem, and the copy's.",
                        "Почините хранилище; что с ним и с копией, говорят журнал и deskgate status."))
            )
        case .internalError, .backendTimeout, .backendUnreachable, .backendStatus, .backendBreakerOpen, .backendNewKeysLimited,
            .backendOverloaded:
            let reason = reason.rawValue
            return (
                .signature,
                Step(
                    .signature, outcome: .problem,
                    text: LocalizedText("Deskgate itself has failed (\(reason)).", "Сбой в самом Deskgate (\(reason))."),
                    remedy: LocalizedText("Look at the log.", "Посмотрите журнал."))
            )
        }
    }

    /// Describes a check that passed.
    private static func step(of check: KeyCheck, _ facts: KeyFacts) -> Step {
        let id = facts.key?.keyID ?? 0
        switch check {
        case .key:
            return Step(
                .key, outcome: .ok,
                text: LocalizedText(
                    "It is a security key of Deskgate, and says that it was made with the key id \(id).",
                    "Это ключ безопасности Deskgate; в нём указан номер ключа \(id)."))
        case .app: return Step(.app, outcome: .ok, text: LocalizedText("The app is configured.", "Приложение есть в настройках."))
        case .keyID:
            return Step(
                .keyID, outcome: .ok, text: LocalizedText("The app has a key with the id \(id).", "У приложения есть ключ с номером \(id).")
            )
        case .signature:
            return Step(
                .signature, outcome: .ok,
                text: LocalizedText(
                    "The key was made with that secret for this app_id and this user_id.",
                    "Ключ создан этим секретом для этого app_id и этого user_id."))
        case .life: return life(facts)
        case .revocations:
            return Step(
                .revocations, outcome: .ok,
                text: LocalizedText("No revocation applies to this key.", "Отзывов, которые касаются этого ключа, нет."))
        case .backend:
            let backend = facts.backend.map { " \($0)" }
            return Step(
                .backend, outcome: .note,
                text: LocalizedText(
                    "The app's backend\(backend.map { " at\($0)" } ?? "") decides next, and was not called for this explanation.",
                    "Дальше спрашивают сервер приложения\(backend ?? ""); для этого ответа его не спрашивали."),
                remedy: LocalizedText(
                    "If the chat is denied nevertheless, see backend_denied and backend_undecided in the log and the metrics.",
                    "Если в чат всё равно не пускают, ищите backend_denied и backend_undecided в журнале и метриках."))
        }
    }

    private static func life(_ facts: KeyFacts) -> Step {
        guard let key = facts.key else {
            return Step(
                .life, outcome: .note, text: LocalizedText("It is not known when the key was issued.", "Когда выдан ключ, неизвестно."))
        }
        let (issued, expires) = (TextFragments.time(key.issuedAt), TextFragments.time(key.expiresAt))
        let end =
            key.expiresAt == 0
            ? LocalizedText("never expires", "не истекает") : LocalizedText("expires at \(expires)", "истекает \(expires)")
        return Step(
            .life, outcome: .ok, text: LocalizedText("The key was issued at \(issued) and \(end).", "Ключ выдан \(issued) и \(end)."))
    }

    /// The checks that need neither an app nor a person.
    private static func unverifiedChecks(_ facts: KeyFacts) -> [Step] {
        if facts.application?.verification == .backend { return [step(of: .app, facts), step(of: .backend, facts)] }
        guard let key = facts.key else {
            let text = LocalizedText("It is not dgk1. and 84 base64url characters.", "Это не dgk1. и 84 символа base64url.")
            return [Step(.key, outcome: .problem, text: text, remedy: ValidationError.Problem.notASecurityKey.remedy)]
        }
        var steps = [step(of: .key, facts)]
        if facts.application != nil { steps.append(step(of: .app, facts)) }
        if let denial = facts.denial(of: key) {
            steps.append(Step(denial.check.subject, outcome: .problem, text: denial.sentence(facts), remedy: denial.remedy(facts)))
        } else {
            steps.append(life(facts))
        }
        steps += facts.ending.map { $0.step(.problem, at: facts.now) }
        let missing = [facts.appID == nil ? "app_id" : nil, facts.userID == nil ? "user_id" : nil].compactMap(\.self)
        let (english, russian) = (missing.joined(separator: " and "), missing.joined(separator: " и "))
        steps.append(
            Step(
                .signature, outcome: .note,
                text: LocalizedText(
                    "The signature was not checked: it covers the app_id and the user_id.",
                    "Подпись не проверена: она охватывает app_id и user_id."),
                remedy: LocalizedText("Ask again with \(english).", "Спросите снова и укажите \(russian).")))
        return steps
    }

    /// Names the facts that are unknown while the store is unavailable; nil when it is available.
    static func store(_ facts: KeyFacts) -> Step? {
        facts.storeProblem.map {
            let known =
                facts.closing.knowsRevocations
                ? LocalizedText(
                    " Authorization continues with the last known revocations.", " Проверка идёт по последним известным отзывам.")
                : LocalizedText(verbatim: "")
            return Step(
                .search, outcome: .note,
                text: LocalizedText(
                    "The revocations could not be read from the store (\($0)).",
                    "Не удалось спросить хранилище, кто и что отозвал (\($0)).")
                    + known,
                remedy: LocalizedText(
                    "Make the store usable again, then repeat the command: deskgate status shows its problem.",
                    "Верните хранилище в строй и спросите снова: что с ним, говорит deskgate status."))
        }
    }

    /// Describes the app's shadow mode; nil when it is off.
    static func shadow(_ facts: KeyFacts) -> Step? {
        guard let end = facts.shadowEnd.map({ TextFragments.time($0) }) else { return nil }
        return Step(
            .shadowMode, outcome: .note,
            text: LocalizedText(
                "The app is in its shadow mode until \(end): until then denials are answered 200, except for blocked users.",
                "Приложение в пробном режиме до \(end): до тех пор вместо отказа отвечают 200, кроме заблокированных пользователей."),
            remedy: LocalizedText(
                "Repair the causes of denials before then, or extend apps[].shadow_until.",
                "До этого устраните причины отказов или продлите apps[].shadow_until."))
    }
}

extension KeyFacts {
    /// When the app's shadow mode ends; nil when it is off.
    var shadowEnd: UnixSeconds? { application?.shadowEnd(at: now) }
}

extension Verdict {
    fileprivate var isRevoked: Bool {
        switch self {
        case .denied(.revoked, _), .shadowed(.revoked, _): true
        default: false
        }
    }
}
