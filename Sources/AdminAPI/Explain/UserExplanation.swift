internal import Configuration
internal import Core
internal import Time

struct UserFacts {
    let key: KeyFacts
    let app: Configuration.App
    /// The notifiers that get the app's comments, and their device types.
    let audience: CommentAudience
    let stopping: [Problem]
    /// The person's session tokens; nil if the help desk has none.
    let session: SessionFacts?
    /// The registered devices, up to the limit of shown devices.
    let devices: [Device]
    let hasMoreDevices: Bool
    let registration: Configuration.PushTokens
    /// The used part of the limits for a person.
    let limitUses: [LimitUse]
    /// The newest deliveries, newest first.
    let deliveries: [DeliveryFacts]
    /// Reports the end of the search for deliveries.
    let search: Explanation.Step?
    let botCalls: BotCallFacts
}

extension Explanation {
    init(_ facts: UserFacts) {
        let steps =
            [Self.app(facts)] + Self.revocations(facts) + Self.closing(facts.key) + Self.decision(facts)
            + facts.key.authorizations.steps(facts.key) + Self.session(facts) + Self.stopping(facts.stopping) + Self.devices(facts)
            + [Self.limits(facts)] + Self.deliveries(facts) + [facts.search].compactMap(\.self)
            + facts.key.authorizations.reservations(facts.key) + facts.botCalls.steps + [Self.log(facts.key)]
        self.init(Self.conclusion(facts, steps), steps)
    }

    private static func conclusion(_ facts: UserFacts, _ steps: [Step]) -> Conclusion {
        if let block = facts.key.revocations.found.first(where: facts.key.denies) {
            return Conclusion(.problem, kept(out: block), from: block.step(.problem, at: facts.key.now))
        }
        if let denied = denied(facts.key, steps) { return denied }
        if let trouble = facts.key.backendTroubles.first(where: { $0.outcome == .problem }) { return Conclusion(trouble) }
        let open =
            (facts.key.authorizations.isPartial
                ? LocalizedText(
                    "As far as this replica knows, this user is not denied: a genuine key in force is allowed.",
                    "Насколько знает эта реплика, этому пользователю ничто не мешает: подлинный действующий ключ принимается.")
                : LocalizedText(
                    "Nothing keeps this user out: a genuine key that is in force is allowed.",
                    "Этому пользователю ничто не мешает: подлинный действующий ключ принимается."))
            + (facts.key.authorizations.recovery(facts.key) ?? LocalizedText(verbatim: ""))
        let backend =
            facts.app.verify == nil
            ? LocalizedText(verbatim: "")
            : LocalizedText(
                " The app's backend has the last word, and was not asked.", " Последнее слово за сервером приложения, его не спрашивали.")
        let late = facts.deliveries.first { $0.delivery.state == .pending && $0.queue.late != nil }
        guard let problem = steps.first(where: { $0.outcome == .problem }) ?? late?.step else { return Conclusion(.ok, open + backend) }
        let but =
            if let latest = facts.deliveries.first, latest.step == problem {
                LocalizedText(
                    "But the latest delivery has not arrived: \(latest.sentence)", "Но последняя доставка не удалась: \(latest.sentence)")
            } else {
                LocalizedText("But: \(problem.text)", "Однако: \(problem.text)")
            }
        return Conclusion(problem.outcome, LocalizedText("\(open)\(backend) \(but)", "\(open)\(backend) \(but)"), from: problem)
    }

    private static func kept(out block: Revocation) -> LocalizedText {
        if !block.isBlock, !block.isOfFormerUser, let bound = block.issuedBefore.map({ TextFragments.time($0) }) {
            return LocalizedText(
                "This user is denied with any key until \(bound): \(block.sentence)",
                "Этому пользователю отказывают с любым ключом до \(bound). \(block.sentence)")
        }
        let how = block.isBlock ? LocalizedText("blocked", "заблокирован") : LocalizedText("forgotten", "забыт")
        let at = RFC3339.text(block.createdAt)
        return LocalizedText(
            "This user is denied with any key: \(how) at \(at) by \(block.author).",
            "Этому пользователю отказывают с любым ключом: \(how) \(at), это сделал \(block.author).")
    }

    private static func app(_ facts: UserFacts) -> Step {
        guard let ids = facts.key.keyIDs else {
            return Step(
                .app, outcome: .ok,
                text: LocalizedText("The app is configured, and has no key.", "Приложение есть в настройках, ключей у него нет."))
        }
        return Step(
            .app, outcome: .ok, text: LocalizedText("The app is configured, with \(ids).", "Приложение есть в настройках, у него \(ids)."))
    }

    private static func revocations(_ facts: UserFacts) -> [Step] {
        let found = facts.key.revocations.found
        let most = RevocationSearch.maximumRead
        let cut =
            facts.key.revocations.isCut
            ? [
                Step(
                    .search, outcome: .note,
                    text: LocalizedText(
                        "Only the newest \(most) revocations were searched for those of the whole app.",
                        "Отзывы для всего приложения искали только среди последних \(most)."),
                    remedy: LocalizedText(
                        "For older ones: deskgate revocations list --all.", "Более старые: deskgate revocations list --all."))
            ] : []
        guard !found.isEmpty else {
            // A revocation of one key has the key's salt and no user.
            let text = LocalizedText(
                "Neither this user nor the whole app is revoked; revocations of single keys do not name their users.",
                "Ни у этого пользователя, ни у всего приложения отзывов нет; по отзывам отдельных ключей не видно, чьи они.")
            return [Step(.revocations, outcome: .ok, text: text)] + cut
        }
        return found.map { $0.step(facts.key.denies($0) ? .problem : .note, at: facts.key.now) } + cut
    }

    /// The steps that explain why users are denied in the app's chat now.
    static func closing(_ key: KeyFacts) -> [Step] {
        key.closing.steps(isAllowed: key.authorizations.isAllowed, lacksKey: key.lacksKey)
    }

    /// The conclusion from a closed chat, from the person's own denial, or from a nearly closed chat; nil when the person is allowed.
    static func denied(_ key: KeyFacts, _ steps: [Step]) -> Conclusion? {
        if let closed = closed(key.closing, steps) { return closed }
        let most = key.closing.nearlyAllDenied(isAllowed: key.authorizations.isAllowed)
        if let refusal = key.authorizations.refusal(key) { return Conclusion(refusal).but(most) }
        return key.authorizations.isAllowed ? nil : most.map { Conclusion($0) }
    }

    /// A warning may not apply to this user, so it hides no problem.
    private static func closed(_ closure: ChatClosure, _ steps: [Step]) -> Conclusion? {
        guard let closing = closure.ofAll else { return nil }
        guard closing.outcome != .problem, let problem = steps.first(where: { $0.outcome == .problem }) else { return Conclusion(closing) }
        let text = LocalizedText("\(closing.text) But: \(problem.text)", "\(closing.text) Однако: \(problem.text)")
        return Conclusion(.problem, text, from: problem)
    }

    /// Failures of a notifier that has delivered since then are no longer a problem.
    private static func deliveries(_ facts: UserFacts) -> [Step] {
        var working: Set<String> = []
        return facts.deliveries.map { delivery in
            if delivery.delivery.state == .delivered, !delivery.delivery.isSuperseded { working.insert(delivery.delivery.notifier) }
            let step = delivery.step
            guard step.outcome == .problem, working.contains(delivery.delivery.notifier) else { return step }
            return Step(step.subject, outcome: .note, text: step.text, at: step.at, remedy: step.remedy, references: step.references)
        }
    }

    private static func decision(_ facts: UserFacts) -> [Step] {
        var steps: [Step] = []
        if let verify = facts.app.verify {
            let (backend, mode, rule) = (facts.key.backend ?? "", verify.mode.rawValue, verify.whenUndecided.rawValue)
            let text = LocalizedText(
                "The app's backend is called at \(backend) (verify.mode \(mode)); when it cannot decide, the rule is \(rule).",
                "Спрашивают сервер приложения \(backend) (verify.mode \(mode)); если он не может решить, действует правило \(rule).")
            steps.append(Step(.backend, outcome: .note, text: text))
            steps += facts.key.backendTroubles
        }
        return steps + [shadow(facts.key)].compactMap(\.self)
    }

    /// Explains the session tokens; nil for a denied user, because the revocation explains that.
    private static func session(_ facts: UserFacts) -> [Step] {
        guard let session = facts.session else { return [] }
        guard facts.key.revocations.found.contains(where: facts.key.denies) else {
            return [session.step(countingFrom: facts.key.revocations.found.keysSince)]
        }
        let text = LocalizedText(
            "No session token is issued, because this user has no valid key (403, revoked).",
            "Сеансового токена не дают: ни один ключ этого пользователя не действует (403, revoked).")
        return [Step(.sessionToken, outcome: .problem, text: text)]
    }

    private static func devices(_ facts: UserFacts) -> [Step] {
        guard !facts.devices.isEmpty else {
            return [
                Step(
                    .devices, outcome: .note,
                    text: LocalizedText(
                        "No device is registered, so no phone is notified.", "Устройств не зарегистрировано, уведомлять нечего."),
                    remedy: registering(
                        isBlocked: facts.key.revocations.found.contains(where: facts.key.denies), facts.limitUses,
                        usual: LocalizedText(
                            "Have the person open the app, which registers its push token; ",
                            "Пусть человек откроет приложение, оно зарегистрирует пуш-токен; ")
                            + LocalizedText(
                                "deskgate_push_token_requests_total counts such requests by result.",
                                "чем кончаются такие запросы, считает deskgate_push_token_requests_total.")))
            ]
        }
        let more = LocalizedText(
            "More devices are registered: deskgate tokens list shows them.",
            "Зарегистрированы и другие устройства: их показывает deskgate tokens list.")
        return facts.devices.map { $0.step(facts.audience) } + (facts.hasMoreDevices ? [Step(.search, outcome: .note, text: more)] : [])
    }

    private static func limits(_ facts: UserFacts) -> Step {
        let rules = facts.registration.limits.map { limit in
            let window = TextFragments.duration(seconds: limit.windowMilliseconds / 1000)
            return LocalizedText(
                "\(limit.max) in \(window) for one \(limit.scope.rawValue)", "\(limit.max) за \(window) на один \(limit.scope.rawValue)")
        }
        let list = TextFragments.joined(rules, by: ", ")
        let limits =
            rules.isEmpty
            ? LocalizedText("No limit of registrations is configured", "Ограничений на регистрации в настройках нет")
            : LocalizedText("Registrations are limited to \(list)", "Регистрации ограничены: \(list)")
        let uses = facts.limitUses.reduce(LocalizedText(verbatim: "")) { $0 + Self.used($1) }
        let most = facts.registration.devicesPerUser
        return Step(
            .limits, outcome: .note,
            text: LocalizedText(
                "\(limits).\(uses) A person may have \(TextFragments.count(most, "device")).",
                "\(limits).\(uses) Устройств у человека может быть не больше \(most)."))
    }

    private static func used(_ use: LimitUse) -> LocalizedText {
        let next = use.nextAt.map {
            LocalizedText("; the next is allowed at \(RFC3339.text($0)).", "; следующая разрешена в \(RFC3339.text($0)).")
        }
        return LocalizedText(
            " This one has used \(use.used) of \(use.rule.max) up", " Этот пользователь израсходовал \(use.used) из \(use.rule.max)")
            + (next ?? LocalizedText(verbatim: "."))
    }

    /// Only the latest of single requests are known. If all were allowed, the log has no entry to search for.
    static func log(_ facts: KeyFacts) -> Step {
        Step(
            .search, outcome: .note,
            text: LocalizedText(
                "Only the latest responses are kept, in memory; the log has a sample of the denials.",
                "Хранятся только последние ответы, в памяти; в журнале есть выборка отказов."),
            remedy: facts.authorizations.hasNoRefusal
                ? nil : facts.reference.map { LocalizedText("Search the log for user_ref \($0).", "Ищите в журнале user_ref \($0).") },
            references: facts.reference.map { [Reference(name: "user_ref", text: $0)] } ?? [])
    }
}
