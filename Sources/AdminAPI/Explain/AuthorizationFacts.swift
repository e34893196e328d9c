internal import Core
internal import Time

enum AuthorizationFacts {
    /// No service runs, so no history is available.
    case unknown
    case known(KnownAuthorizations)

    private var history: AuthorizationHistory? {
        if case .known(let known) = self { known.history } else { nil }
    }

    var isAllowed: Bool { history.map { !$0.isDenied && !$0.isUndecided && $0.lastSuccess != nil } ?? false }

    /// Whether a request was recently denied for an unknown key id or a wrong MAC, for example by a replica with other keys.
    func lacksKey(at now: UnixSeconds) -> Bool {
        history?.denials.contains {
            [.unknownKey, .wrongMac].contains($0.denial) && now.elapsed(since: $0.at) * 1000 < AnswerWindow.lengthMilliseconds
        } ?? false
    }

    /// Whether a service runs and has recorded only requests that it answered with 200.
    var hasNoRefusal: Bool {
        if case .known(let known) = self { known.history.map { $0.denials.isEmpty && $0.failure == nil } ?? true } else { false }
    }

    /// Returns why the person's latest request was not allowed; nil when it was, or none is known. Ignores registration limits.
    func refusal(_ key: KeyFacts) -> Explanation.Step? { latest(key).flatMap { $0.outcome == .problem ? $0 : nil } }

    /// The step for a latest request that was not allowed; a note if the app's backend could not decide then, but decides again.
    private func latest(_ key: KeyFacts) -> Explanation.Step? { denial(key) ?? reason(key) }

    private func reason(_ key: KeyFacts) -> Explanation.Step? { history?.isUndecided == true ? history?.failure?.step(key) : nil }

    /// Whether other replicas may have more records, because they have not answered.
    var isPartial: Bool { silentReplicas > 0 }

    private var silentReplicas: Int { if case .known(let known) = self { known.silentReplicas } else { 0 } }

    /// The steps that matter only when no other step is a problem: a limit of registrations, and replicas that did not answer.
    func reservations(_ key: KeyFacts) -> [Explanation.Step] {
        let limit = history?.isUndecided == false ? history?.failure?.step(key) : nil
        return [limit, isPartial ? Self.silence(silentReplicas) : nil].compactMap(\.self)
    }

    /// Reports the latest denial, the number of denials and the cause; nil when the latest request was allowed, or none is known.
    /// - Parameter key: the person without a key.
    func denial(_ key: KeyFacts) -> Explanation.Step? {
        guard let history, history.isDenied, let latest = history.denials.first else { return nil }
        let (count, at) = (history.count(at: key.now), TextFragments.time(latest.at))
        let text =
            switch count {
            case 0:
                LocalizedText(
                    "This user was last denied at \(at), and has not been allowed since: \(latest.phrase).",
                    "Последний отказ этому пользователю был \(at), с тех пор его не пускали: \(latest.phrase).")
            case 1:
                LocalizedText(
                    "This user was denied once in ten minutes, at \(at): \(latest.phrase).",
                    "За десять минут этому пользователю отказано один раз, \(at): \(latest.phrase).")
            default:
                LocalizedText(
                    "This user was denied \(count) times in ten minutes, last at \(at): \(latest.phrase).",
                    "Отказов этому пользователю за десять минут: \(count), последний \(at): \(latest.phrase).")
            }
        let remedy = latest.remedy(key)
        guard let proven = history.provenDenial else {
            guard latest.denial == .backendUndecided else {
                return Explanation.Step(.authorization, outcome: .problem, text: text, at: latest.at.milliseconds, remedy: remedy)
            }
            if key.backendDecidesAgain { return AuthorizationFailure.isOver(text, at: latest.at) }
            return Explanation.Step(
                .authorization, outcome: .problem, text: text + key.backendCause, at: latest.at.milliseconds, remedy: remedy)
        }
        let own = LocalizedText(
            "Any client can cause this denial. This user's own key was last denied at \(TextFragments.time(proven.at)): \(proven.phrase).",
            "Вызвать это может кто угодно. Собственному ключу этого пользователя последний раз отказано \(TextFragments.time(proven.at)): \(proven.phrase)."
        )
        return Explanation.Step(
            .authorization, outcome: .problem, text: LocalizedText("\(text) \(own)", "\(text) \(own)"), at: latest.at.milliseconds,
            remedy: TextFragments.sentences([proven.remedy(key), remedy]))
    }

    /// Reports that a request was allowed after denials, or that the next one may be; nil when none was denied.
    func recovery(_ key: KeyFacts) -> LocalizedText? {
        if let latest = latest(key), latest.outcome != .problem { return LocalizedText(" \(latest.text)", " \(latest.text)") }
        guard let history, !history.isDenied, history.failure == nil, !history.denials.isEmpty, let success = history.lastSuccess else {
            return nil
        }
        return LocalizedText(
            " The latest request was allowed, at \(TextFragments.time(success.at))\(success.shadow).",
            " Последний запрос принят, \(TextFragments.time(success.at))\(success.shadow).")
    }

    func steps(_ key: KeyFacts) -> [Explanation.Step] {
        switch self {
        case .unknown:
            return [
                Explanation.Step(
                    .authorization, outcome: .note,
                    text: LocalizedText(
                        "The answers to this user's latest requests are known only to a running service, and none runs here.",
                        "Как ответили на последние запросы этого пользователя, знает только работающая служба, а здесь она не запущена."))
            ]
        case .known(let known):
            guard let history = known.history else { return [Self.absence(known)] }
            let (denial, isBlocked) = (denial(key), history.isDenied || history.isUndecided)
            let success = history.lastSuccess.map { $0.step(isBlocked || $0.isShadowed ? .note : .ok) }
            let earlier = history.denials.dropFirst(denial == nil ? 0 : 1).map(\.earlierStep)
            return [reason(key), denial, success].compactMap(\.self) + earlier
        }
    }

    private static func silence(_ replicas: Int) -> Explanation.Step {
        Explanation.Step(
            .authorization, outcome: .problem,
            text: LocalizedText(
                "\(TextFragments.count(replicas, "other replica")) did not answer in time, so their records are missing here.",
                "Не ответили вовремя другие реплики: \(replicas), поэтому известное им здесь не учтено."),
            remedy: LocalizedText(
                "Repeat the request, or send it to that replica. A replica that hangs or runs an earlier version does not answer.",
                "Спросите снова или на той реплике: зависшая реплика или реплика более ранней версии не ответит."))
    }

    private static func absence(_ known: KnownAuthorizations) -> Explanation.Step {
        let since = TextFragments.time(known.completeSince)
        let text =
            known.completeSince == known.startedAt
            ? LocalizedText(
                "No denial of this user is known since the start at \(since).",
                "Отказов этому пользователю с запуска \(since) не было.")
            : LocalizedText(
                "No denial of this user is known since \(since); older records are gone.",
                "Отказов этому пользователю с \(since) не было; более старых записей уже нет.")
        return Explanation.Step(.authorization, outcome: .note, text: text)
    }
}

extension AuthorizationHistory.Success {
    /// The end of a sentence about the success; empty unless only the shadow mode allowed the request.
    fileprivate var shadow: LocalizedText {
        isShadowed ? LocalizedText(", only because of the shadow mode", ", только из-за пробного режима") : LocalizedText(verbatim: "")
    }

    fileprivate func step(_ outcome: Explanation.Outcome) -> Explanation.Step {
        let key = TextFragments.key(keyID)
        return Explanation.Step(
            .authorization, outcome: outcome,
            text: LocalizedText(
                "This user was last allowed at \(TextFragments.time(at))\(key)\(shadow).",
                "Последний раз этого пользователя впустили \(TextFragments.time(at))\(key)\(shadow)."),
            at: at.milliseconds)
    }
}

extension AuthorizationHistory.Denied {
    /// The cause in a few words, with the key and the reason that logs and metrics show.
    fileprivate var phrase: LocalizedText {
        let cause =
            switch reason {
            case .denial(let denial): denial.phrase
            case .malformedKey: LocalizedText("malformed security key, answered 400", "неправильный ключ безопасности, ответ 400")
            }
        return LocalizedText("\(cause) (\(reason.word))", "\(cause) (\(reason.word))") + TextFragments.key(keyID)
    }

    fileprivate var earlierStep: Explanation.Step {
        Explanation.Step(
            .authorization, outcome: .note,
            text: LocalizedText(
                "Before that, this user was denied at \(TextFragments.time(at)): \(phrase).",
                "До этого этому пользователю отказано \(TextFragments.time(at)): \(phrase)."), at: at.milliseconds)
    }

    /// The remedy. The record does not name the deciding revocation, so the remedy names the revocations of the person and the app. It adds
    /// that a single key may be revoked, which only a search by the key finds. A forgotten person is never allowed again.
    fileprivate func remedy(_ key: KeyFacts) -> LocalizedText {
        switch reason {
        case .denial(.revoked) where !key.revocations.found.isEmpty: break
        case .denial(let denial): return denial.remedy(key)
        case .malformedKey: return ValidationError.Problem.notASecurityKey.remedy
        }
        if let forgotten = key.revocations.found.first(where: \.isOfFormerUser) { return forgotten.remedy(at: key.now) }
        var distinct: [LocalizedText] = []
        for remedy in key.revocations.found.map({ $0.remedy(at: key.now) }) where !distinct.contains(remedy) { distinct.append(remedy) }
        let command = "deskgate explain --app \(TextFragments.word(key.appID ?? "")) --user \(TextFragments.word(key.userID ?? "")) --key -"
        let single = LocalizedText(
            "If that does not help, the key itself may be revoked: \(command) shows the revocation.",
            "Если это не поможет, возможно, отозван сам ключ: каким отзывом, скажет \(command).")
        return TextFragments.sentences(distinct + [single])
    }
}

extension TextFragments {
    /// The app's key in a request, as the end of a sentence; empty for none.
    fileprivate static func key(_ id: UInt32?) -> LocalizedText {
        id.map { LocalizedText(" with the key id \($0)", ", номер ключа \($0)") } ?? LocalizedText(verbatim: "")
    }
}

extension Denial {
    /// The cause of a denial in a few words.
    fileprivate var phrase: LocalizedText {
        switch self {
        case .unknownApp: LocalizedText("unknown app", "неизвестное приложение")
        case .unknownKey: LocalizedText("unknown key id", "неизвестный номер ключа")
        case .wrongMac: LocalizedText("wrong signature", "неверная подпись")
        case .issuedInFuture: LocalizedText("issued in the future", "ключ выдан в будущем")
        case .expired: LocalizedText("key expired", "срок ключа истёк")
        case .tooOld: LocalizedText("key too old", "ключ слишком старый")
        case .keyRetired: LocalizedText("secret retired", "секрет ключа выведен")
        case .revoked: LocalizedText("key revoked or user blocked", "ключ отозван или пользователь заблокирован")
        case .backendDenied: LocalizedText("denied by the app's backend", "отказал сервер приложения")
        case .backendUndecided: LocalizedText("the app's backend could not decide", "сервер приложения не смог решить")
        }
    }
}
