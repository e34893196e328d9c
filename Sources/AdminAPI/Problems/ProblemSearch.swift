internal import Bytes
package import Configuration
package import Core
internal import HTTPServer
package import JSON
internal import Notifiers
package import Time

/// Finds the current problems: the member `problems` of `GET /v1/status`. Does not block.
package struct ProblemSearch {
    static let members = ["problems"]

    let configuration: Configuration
    let now: UnixMilliseconds
    let store: StoreError?
    let revocations: RevocationStatus
    let refusal: RefusedReload?
    let statuses: [NotifierStatus]
    let pending: [PendingDeliveries]
    let strangers: [Replica]
    let revokedKeys: [RevokedKey]
    let crowded: [CrowdedListener]
    let backends: [(app: String, status: BackendStatus)]
    let answers: [AnswerWindow.Finding]
    let letsIn: Bool
    let nearestApp: String?
    let unserved: [UnservedDevices.Finding]
    let facts: StoreFacts

    /// - Parameters:
    ///   - store: the error with which the store rejects calls; nil while it accepts them.
    ///   - revocations: the source of those in force.
    ///   - refusal: the rejection of the last reload; nil when it was applied.
    ///   - pending: the pending deliveries of each notifier; empty while they are unknown.
    ///   - replicas: the processes that share the store.
    ///   - keysDigest: the digest of the keys in force in this process.
    ///   - revokedKeys: the keys of apps that are revoked.
    ///   - crowded: the listeners without room for a connection.
    ///   - backends: the status of the apps' backends.
    ///   - answers: the reasons of current denials.
    ///   - letsIn: whether a user was allowed within the last minute.
    ///   - nearestApp: the configured app most similar to the last unknown one; nil without one.
    ///   - unserved: the device types that were registered without a notifier.
    ///   - facts: the state of the store when it was last read.
    package init(
        _ configuration: Configuration, now: UnixMilliseconds, store: StoreError?, revocations: RevocationStatus,
        refusal: RefusedReload?, statuses: [NotifierStatus], pending: [PendingDeliveries], replicas: [Replica], keysDigest: String,
        revokedKeys: [RevokedKey], crowded: [CrowdedListener], backends: [(app: String, status: BackendStatus)],
        answers: [AnswerWindow.Finding], letsIn: Bool, nearestApp: String?, unserved: [UnservedDevices.Finding], facts: StoreFacts
    ) {
        self.configuration = configuration
        self.now = now
        self.store = store
        self.revocations = revocations
        self.refusal = refusal
        self.statuses = statuses
        self.pending = pending
        self.revokedKeys = revokedKeys
        self.crowded = crowded
        self.backends = backends
        self.answers = answers
        self.letsIn = letsIn
        self.nearestApp = nearestApp
        self.unserved = unserved
        self.facts = facts
        strangers = replicas.filter { replica in
            !replica.isOwn && !replica.isDead && replica.keysDigest.map { $0 != keysDigest } ?? false
        }
    }

    package func append(to status: inout JSONObject, in language: Language) {
        status.append(.array(problems.map { $0.json(in: language) }), forKey: Self.members[0])
    }

    /// Urgent problems first.
    var problems: [Problem] {
        let all = Problem.Kind.allCases.flatMap(problems)
        return Problem.Severity.allCases.flatMap { severity in all.filter { $0.severity == severity } }
    }

    /// Returns the problems that may keep out comments of an app, or keep them from every phone. Warnings are omitted: they may concern
    /// unauthenticated webhooks, or one full queue of several.
    func stoppingComments(of appID: String) -> [Problem] {
        let app = configuration.app(appID)
        let isReported = app?.takesWebhooks == true
        func isOfApp(_ problem: Problem) -> Bool { problem.subject.map { $0.utf8.elementsEqual(appID.utf8) } ?? true }
        let held = app?.helpDesk.holdsMessages == true ? [HeldMessage.notifier] : []
        let reported = AppSubscriptions(configuration).comments(appID).map(\.notifier)
        let hasRoom = !reported.allSatisfy(Set(pending.compactMap(full).compactMap(\.subject)).contains)
        return problems.filter { problem in
            switch problem.kind {
            case .store: true
            case .webhooksRefused: isReported && isOfApp(problem)
            case .devicesMissing: isOfApp(problem)
            case .listenerFull, .bodiesFull: isReported && problem.subject == CrowdedListener.Name.public.rawValue
            case .queueFull: isReported && problem.subject.map((reported + held).contains) ?? false
            default: false
            }
        }.map { problem in
            guard problem.kind == .queueFull, hasRoom, problem.subject != HeldMessage.notifier else { return problem }
            return Problem(.queueFull, as: .warning, of: problem.subject, problem.text, remedy: problem.remedy)
        }
    }

    private func problems(_ kind: Problem.Kind) -> [Problem] {
        switch kind {
        case .serviceDown: []
        case .store: store.map { [Problem(.store, $0.localized, remedy: $0.remedy($0.meanwhile(revocations, now: now.seconds)))] } ?? []
        case .revocationsUnknown, .revocationsLate, .revocationsCopy:
            revocations.problems(now: now.seconds).filter { $0.kind == kind }
        case .authorizationsUndecided, .nearlyAllDenied, .unknownApp, .authorizationsMalformed, .callersRefused:
            denied.filter { $0.kind == kind }
        // Without a configured sender, arriving webhooks are of unknown origin.
        case .webhooksRefused: configuration.apps.contains(where: \.takesWebhooks) ? denied.filter { $0.kind == kind } : []
        case .devicesUnserved: unservedDevices
        case .devicesMissing: facts.appsWithoutDevices.map(missingDevices)
        case .backendOpen, .backendNewKeys:
            backends.flatMap { app, status in
                let verify = configuration.app(app)?.verify
                return status.problems(of: app, at: verify?.origin, verify?.whenUndecided ?? .error)
            }.filter { $0.kind == kind }
        case .notifierPaused: statuses.compactMap(paused)
        case .settingsDoubtful: statuses.compactMap(doubtful)
        case .listenerFull: crowded.filter { $0.bound.map { $0.caller == nil } ?? false }.map(full)
        case .bodiesFull: crowded.filter { $0.bound == nil }.map(bodiesFull)
        case .callerFull: crowded.compactMap(callerFull)
        case .listenerCertificateEnds, .appKeyEnds, .credentialEnds:
            (endingCredentials + revokedKeys.filter(\.isMinting).map(revoked) + denied).filter { $0.kind == kind }
        case .listenerCertificateRenewed: renewedCertificates
        case .notifierFailing: statuses.compactMap(failing)
        case .notifierUnknown: pending.filter { !configuration.runs($0.notifier) }.map(unknown)
        case .queueFull: pending.compactMap(full)
        case .queueLate: pending.compactMap(late)
        case .deliveriesDead: deadDeliveries
        case .diskLow: lowDisks
        case .reloadRefused: refusal.map { [$0.problem] } ?? []
        case .replicaKeys: strangers.isEmpty ? [] : [otherKeys]
        case .configurationWarning:
            configuration.reportedWarnings(now: now.seconds).filter { !$0.isAboutCredential }.map(warning)
        }
    }

    /// Skips removed apps.
    private var denied: [Problem] {
        var facts = KeyFacts(now: now.seconds)
        facts.policy = configuration.keyPolicy
        facts.closing = ChatClosure(problems(.replicaKeys))
        facts.similarApp = nearestApp.flatMap { configuration.app($0)?.id }
        return answers.filter { $0.app.isEmpty || configuration.app($0.app) != nil }.compactMap { answer in
            let app = configuration.app(answer.app)
            facts.mintingEnd = app?.lastMinting
            facts.revokedKey = revokedKeys.first { $0.app.utf8.elementsEqual(answer.app.utf8) }
            facts.backend = app?.verify?.origin
            facts.backendStatus = backends.first { $0.app.utf8.elementsEqual(answer.app.utf8) }?.status
            return answer.problem(facts)
        }
    }

    private func paused(_ status: NotifierStatus) -> Problem? {
        guard let reason = status.pause?.reason else { return nil }
        let (name, meaning) = (status.name, ReasonMeaning.ofPause(reason, configuration.notifier(status.name)))
        return Problem(
            .notifierPaused, of: name,
            LocalizedText(
                "\(name) is paused and sends nothing: \(meaning.text) (\(reason)).\(waiting(for: name))",
                "\(name) на паузе и ничего не отправляет: \(meaning.text) (\(reason)).\(waiting(for: name))"), remedy: meaning.remedyOfPause
        )
    }

    /// Nil while the notifier is paused, because that problem contains the cause, and when no delivery waits.
    private func doubtful(_ status: NotifierStatus) -> Problem? {
        guard let reason = status.settingsProblem, status.pause == nil,
            pending.contains(where: { $0.notifier == status.name && $0.count > 0 })
        else { return nil }
        let (name, notifier) = (status.name, configuration.notifier(status.name))
        let meaning = ReasonMeaning.of(reason, notifier)
        let check = TextFragments.sentence((notifier?.reasonSource ?? .unknown).doubtRemedy(reason))
        return Problem(
            .settingsDoubtful, of: name,
            LocalizedText(
                "The settings of \(name) may be wrong: \(meaning.text) (\(reason)), and nothing has arrived since.\(waiting(for: name))",
                "Возможно, настройки канала \(name) неверны: \(meaning.text) (\(reason)), и с тех пор ничего не дошло.\(waiting(for: name))"
            ),
            remedy: LocalizedText(
                "\(check) If you change the settings, \(LocalizedText.reload). If they are correct, the next delivery that arrives ends this problem.",
                "\(check) Если измените настройки, \(LocalizedText.reload). Если они верны, это пройдёт со следующей доставкой."))
    }

    private func full(_ crowded: CrowdedListener) -> Problem {
        let (name, place) = (crowded.listener.rawValue, crowded.listener.place)
        return Problem(
            .listenerFull, of: name,
            LocalizedText(
                "The \(name) listener has reached its maximum of connections: idle ones are closed for new ones; without an idle one, a new one is answered 503.",
                "У слушателя \(name) столько соединений, сколько допустимо: ради новых закрываются простаивающие, а если таких нет, новым отвечают 503."
            ),
            remedy: LocalizedText(
                "Find the clients with ss -tn. Limit the connections of each address in the proxy in front, or raise \(place) and restart.",
                "Посмотрите, кто их держит: ss -tn. Пусть прокси ограничит соединения каждого адреса, или увеличьте \(place) и перезапустите службу."
            ))
    }

    private func bodiesFull(_ crowded: CrowdedListener) -> Problem {
        let name = crowded.listener.rawValue
        return Problem(
            .bodiesFull, of: name,
            LocalizedText(
                "Large bodies use all memory that the \(name) listener has for them: requests over 16 KiB are answered 503 (too_many_bodies).",
                "Большие тела заняли всю память, которую слушатель \(name) отводит им: на запросы больше 16 КиБ отвечают 503 (too_many_bodies)."
            ),
            remedy: TextFragments.sentence(crowded.listener.remedyOfBodies))
    }

    private func callerFull(_ crowded: CrowdedListener) -> Problem? {
        guard let bound = crowded.bound, let caller = bound.caller else { return nil }
        let (name, address) = (crowded.listener.rawValue, caller.isIPv4 ? "\(caller)" : "\(caller)/48")
        let closes = crowded.listener == .public && bound.isRefused && !letsIn
        let nobody =
            closes
            ? LocalizedText(" No caller was admitted within the last minute.", " За последнюю минуту никого не пустили.")
            : LocalizedText(verbatim: "")
        return Problem(
            .callerFull, as: closes ? .problem : .warning, of: name,
            LocalizedText(
                """
                \(address) has as many connections to the \(name) listener as one caller may have: its idle ones are closed for its new \
                ones, which are answered 503 (too_many_connections) where none is idle.\(nobody)
                """,
                """
                У \(address) столько соединений со слушателем \(name), сколько допустимо для одного вызывающего: ради его новых закрываются \
                его простаивающие, а если таких нет, новым отвечают 503 (too_many_connections).\(nobody)
                """),
            remedy: crowded.listener == .public
                ? LocalizedText(
                    "If it is the help desk, raise listen.max_connections or list it in listen.allow (which must name every caller), and restart. ",
                    "Если это служба поддержки, увеличьте listen.max_connections или впишите её в listen.allow (где должны быть все) и перезапустите службу. "
                )
                    + LocalizedText(
                        "If it is your proxy, name it in listen.trusted_proxies and \(LocalizedText.reload). If it is a stranger, ",
                        "Если это ваш прокси, укажите его в listen.trusted_proxies и \(LocalizedText.reload). Если посторонний, ")
                    + LocalizedText("bound it in the proxy or the firewall.", "ограничьте его на прокси или файрволе.")
                : LocalizedText(
                    "Find the program that keeps the connections open, or raise admin.max_connections and restart.",
                    "Выясните, какая программа держит их открытыми, или увеличьте admin.max_connections и перезапустите службу."))
    }

    /// Credentials of the configuration and of the notifiers.
    private var endingCredentials: [Problem] {
        let ofNotifiers = statuses.compactMap { status in
            status.credentialExpiresAt.map { ExpiringCredential(.notifierCertificate, of: status.name, expiresAt: $0) }
        }
        return (configuration.credentials + ofNotifiers).filter { $0.isShown(now: now.seconds, configuration.operators.thresholds) }
            .map { $0.problem(now: now.seconds) }
    }

    /// A rotation would continue with the revoked key if another one may mint.
    private func revoked(_ key: RevokedKey) -> Problem {
        let remedy = key.other.map { other in
            LocalizedText(
                "Set \"state\": \"verify_only\" for key \(key.keyID) in apps[].keys and \(LocalizedText.reload). ",
                "Задайте \"state\": \"verify_only\" для ключа \(key.keyID) в apps[].keys и \(LocalizedText.reload). ")
                + LocalizedText(
                    "Then key \(other) mints: have the app's backend mint with it.",
                    "Тогда ключи выдаёт ключ \(other): пусть им пользуется и сервер приложения.")
        }
        return Problem(
            .appKeyEnds, of: key.app,
            LocalizedText(
                "The active key id \(key.keyID) of \(key.app) is revoked: keys that are minted with it are answered 403.",
                "Активный ключ приложения \(key.app) с номером \(key.keyID) отозван: выданным им ключам отвечают 403."),
            remedy: remedy ?? ExpiringCredential(.appKey, of: key.app, expiresAt: now.seconds).remedy)
    }

    /// nil while the notifier is paused, because that problem contains the cause. A notifier that continues with attempts is reported when
    /// a delivery waits for longer than a temporary failure lasts.
    private func failing(_ status: NotifierStatus) -> Problem? {
        guard status.pause == nil, status.state.isStopped || isHeldUp(status) else { return nil }
        let (name, reason) = (status.name, status.lastFailure)
        let meaning = ReasonMeaning.of(reason, configuration.notifier(name))
        let cause =
            reason.isEmpty ? LocalizedText(verbatim: "") : LocalizedText(": \(meaning.text) (\(reason))", ": \(meaning.text) (\(reason))")
        let text =
            status.state.isStopped
            ? LocalizedText(
                "\(name) has failed several times in a row and is tried only at intervals\(cause).\(waiting(for: name))",
                "\(name) сбоил несколько раз подряд и теперь пробует лишь изредка\(cause).\(waiting(for: name))")
            : LocalizedText(
                "The last attempt of \(name) failed\(cause).\(waiting(for: name))",
                "Последняя попытка канала \(name) не удалась\(cause).\(waiting(for: name))")
        return Problem(
            .notifierFailing, as: status.state.isStopped ? .problem : .warning, of: name, text,
            remedy: TextFragments.sentences([TextFragments.sentence(meaning.remedy(whileFailing: name)), Self.recoversByItself]))
    }

    private func isHeldUp(_ status: NotifierStatus) -> Bool {
        let patience = UInt64(configuration.operators.thresholds.pausedSeconds) * 1000
        return status.state == .failing && status.settingsProblem == nil
            && pending.contains { $0.notifier == status.name && now.elapsed(since: $0.oldestReceivedAt) >= patience }
    }

    private static let recoversByItself = LocalizedText(
        "It continues by itself once the cause is gone.", "Когда причина исчезнет, канал заработает сам.")

    private func unknown(_ waiting: PendingDeliveries) -> Problem {
        let name = TextFragments.word(waiting.notifier)
        return Problem(
            .notifierUnknown, of: waiting.notifier,
            LocalizedText(
                "\(waiting.notifier) is not configured any more.\(self.waiting(for: waiting.notifier))",
                "Канала \(waiting.notifier) больше нет в настройках.\(self.waiting(for: waiting.notifier))"),
            remedy: LocalizedText(
                "Configure it again, or give up its deliveries: deskgate deliveries purge --state pending --notifier \(name).",
                "Верните его в настройки или откажитесь от них: deskgate deliveries purge --state pending --notifier \(name)."))
    }

    private func full(_ waiting: PendingDeliveries) -> Problem? {
        let (name, bound) = (waiting.notifier, configuration.store.maximumPendingPerNotifier)
        guard waiting.count >= bound, configuration.runs(name) else { return nil }
        let deliveries = waiting.count == 1 ? "1 delivery waits" : "\(waiting.count) deliveries wait"
        return Problem(
            .queueFull, of: name,
            LocalizedText(
                """
                The queue of \(name) is full: \(deliveries), and the bound is \(bound). Further ones end as dead \
                (notifier_queue_full), and a webhook of which none finds room is answered 503.
                """,
                """
                Очередь канала \(name) полна: ждут доставки: \(waiting.count), а граница \(bound). Следующие завершаются неудачей \
                (notifier_queue_full), а на вебхук, доставкам которого нет места, отвечают 503.
                """),
            remedy: LocalizedText(
                """
                Repair the notifier, or raise store.max_pending_per_notifier and restart. When those that wait have arrived, try the dead \
                ones again: deskgate deliveries retry --reason notifier_queue_full.
                """,
                """
                Почините канал или увеличьте store.max_pending_per_notifier и перезапустите службу. Когда ждущие дойдут, повторите \
                неудавшиеся: deskgate deliveries retry --reason notifier_queue_full.
                """))
    }

    /// Returns the number of deliveries that wait for a notifier, 0 when unknown, and the problem of a late queue.
    func queue(of notifier: String) -> (count: Int, late: Problem?) {
        let found = pending.first { $0.notifier.utf8.elementsEqual(notifier.utf8) }
        return (found?.count ?? 0, found.flatMap(late))
    }

    /// Nil while another problem contains the cause.
    private func late(_ waiting: PendingDeliveries) -> Problem? {
        let (name, life) = (waiting.notifier, UInt64(configuration.deliveries.expireAfterSeconds) * 1000)
        let rule = QueueRule.status(
            of: name, count: waiting.count, ageMilliseconds: now.elapsed(since: waiting.oldestReceivedAt), lifetimeMilliseconds: life,
            configuration.operators.thresholds)
        guard rule == .holds, let status = statuses.first(where: { $0.name == name }), status.pause == nil,
            status.settingsProblem == nil, failing(status) == nil
        else { return nil }
        return .late(waiting, now: now)
    }

    private var otherKeys: Problem {
        let names = strangers.map(\.id).joined(separator: ", ")
        return Problem(
            .replicaKeys,
            LocalizedText("Other security keys are in force in \(names).", "В репликах \(names) действуют другие ключи безопасности."),
            remedy: LocalizedText(
                "Give every replica the same apps[].keys, and \(LocalizedText.reload) on each.",
                "Задайте всем репликам одинаковые apps[].keys и \(LocalizedText.reload) на каждой."))
    }

    private func warning(_ warning: ConfigurationWarning) -> Problem {
        Problem(
            .configurationWarning, as: .warning, of: warning.path,
            LocalizedText(
                "The configuration warns of \(warning.path): \(warning.cause).",
                "Предупреждение о настройке \(warning.path): \(warning.cause)."),
            remedy: TextFragments.sentence(warning.remedy))
    }

    /// The number of deliveries that wait for a notifier, as a sentence that follows others; empty for none.
    private func waiting(for name: String) -> LocalizedText {
        guard let found = pending.first(where: { $0.notifier == name }), found.count > 0 else { return LocalizedText(verbatim: "") }
        return LocalizedText(" \(found.localized(now: now).english)", " \(found.localized(now: now).russian)")
    }
}
