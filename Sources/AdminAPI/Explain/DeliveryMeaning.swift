package import Configuration
internal import Core
internal import Notifiers

extension ReasonMeaning {
    /// The meaning of the reason of a delivery or of one of its attempts.
    /// - Parameters:
    ///   - notifier: its configuration; nil if it is no longer configured.
    ///   - delivery: the one to retry; nil for all with this reason.
    static func of(_ reason: String, _ notifier: Configuration.Notifier?, delivery: UUIDv7? = nil) -> ReasonMeaning {
        let retry = LocalizedText(
            verbatim: "deskgate deliveries retry \(delivery?.description ?? "--reason \(TextFragments.word(reason))")")
        if let ending = DeliveryEnding.allCases.first(where: { $0.reason == reason }) { return of(ending) }
        if let ending = RetryDecision.Ending(rawValue: reason) { return of(ending, retry) }
        if let own = ofDispatch(reason, retry) { return own }
        return ReasonMeaning(reason, from: notifier?.reasonSource ?? .unknown)
            ?? ReasonMeaning(
                LocalizedText("the reason is \(reason)", "причина \(reason)"),
                LocalizedText("look at the log for this notifier and this reason", "поищите в журнале этот канал и эту причину"))
    }

    /// The meaning of the reason for which a notifier is paused.
    static func ofPause(_ reason: String, _ notifier: Configuration.Notifier?) -> ReasonMeaning {
        of(reason, notifier).asPause(reason, notifier?.reasonSource ?? .unknown)
    }

    private static func of(_ ending: DeliveryEnding) -> ReasonMeaning {
        switch ending {
        case .noTarget:
            ReasonMeaning(
                LocalizedText(
                    "there was no registered device that this notifier serves",
                    "не было зарегистрированного устройства, которое обслуживает этот канал"),
                LocalizedText(
                    "have the person open the app, which registers its push token, and check that apps[].routes routes the device's type ",
                    "пусть человек откроет приложение, оно зарегистрирует пуш-токен; проверьте, что apps[].routes ведут тип устройства ")
                    + LocalizedText("to a notifier; deskgate tokens list shows the type", "в канал; тип показывает deskgate tokens list"))
        case .tooMany:
            ReasonMeaning(
                LocalizedText("the event had too many deliveries", "у события слишком много доставок"),
                LocalizedText("name fewer notifiers for the app", "назовите для приложения меньше каналов"))
        case .supersededByRead:
            ReasonMeaning(
                LocalizedText("the user had read it before", "пользователь прочитал это раньше"), nil)
        case .notifierQueueFull, .queueFull:
            ReasonMeaning(
                LocalizedText("too many deliveries were waiting", "ждало слишком много доставок"),
                LocalizedText(
                    "find the cause (deskgate status), repair it, and retry: deskgate deliveries retry --reason \(ending.reason)",
                    "выясните, почему они ждут (deskgate status), устраните это и повторите: deskgate deliveries retry --reason \(ending.reason)"
                ))
        }
    }

    private static func of(_ ending: RetryDecision.Ending, _ retry: LocalizedText) -> ReasonMeaning {
        switch ending {
        case .expired:
            ReasonMeaning(
                LocalizedText(
                    "there was no time left for another attempt before the event expired",
                    "до истечения срока события не осталось времени на ещё одну попытку"),
                LocalizedText(
                    "retry it: \(retry); deliveries.expire_after_seconds says how long Deskgate tries",
                    "повторите: \(retry); сколько длятся попытки, задаёт deliveries.expire_after_seconds"))
        case .attemptsSpent:
            ReasonMeaning(
                LocalizedText("no further attempts are allowed", "больше попыток не разрешено"),
                LocalizedText("retry it: \(retry)", "повторите: \(retry)"))
        }
    }

    /// The reasons of the dispatcher, of operators and of relays.
    private static func ofDispatch(_ reason: String, _ retry: LocalizedText) -> ReasonMeaning? {
        switch reason {
        case AdminAnswer.Change.purged(0).name:
            ReasonMeaning(
                LocalizedText("an operator gave it up", "оператор отказался от неё"),
                LocalizedText("retry it if that was wrong: \(retry)", "если зря, повторите: \(retry)"))
        case "stopped":
            ReasonMeaning(
                LocalizedText("Deskgate was stopped before it was sent", "Deskgate остановили раньше, чем она была отправлена"),
                waitingForTurn)
        case "claim_lost":
            ReasonMeaning(
                LocalizedText(
                    "the connection to the database was lost before it was sent",
                    "соединение с базой данных прервалось раньше, чем она была отправлена"), waitingForTurn)
        case "superseded":
            ReasonMeaning(
                LocalizedText(
                    "a later change of the same device made it pointless",
                    "более позднее изменение того же устройства сделало её ненужной"), nil)
        case "not_for_relay":
            ReasonMeaning(
                LocalizedText(
                    "comments are not passed on to the help desk that wrote them",
                    "комментарии не передаются службе поддержки, которая их написала"), nil)
        case "no_key":
            ReasonMeaning(
                LocalizedText("no security key could be minted for the call", "не удалось выдать ключ безопасности для запроса"),
                LocalizedText("give the app a key under apps[].keys", "дайте приложению ключ в apps[].keys"))
        default: ofLookup(reason)
        }
    }

    /// The reasons of the notifier of held messages (`HeldMessage`).
    private static func ofLookup(_ reason: String) -> ReasonMeaning? {
        switch reason {
        case "owner_found":
            ReasonMeaning(
                LocalizedText("the help desk has named its user", "служба поддержки сказала, для кого оно"), nil)
        case "no_customer":
            ReasonMeaning(
                LocalizedText(
                    "the help desk knows no ticket of its conversation, so no phone got it",
                    "служба поддержки не знает тикета этой беседы, поэтому телефоны не уведомлялись"), nil)
        case "unknown_ticket":
            ReasonMeaning(
                LocalizedText("the help desk knows no ticket of its conversation", "служба поддержки не знает тикета этой беседы"), nil)
        case "duplicate": ReasonMeaning(LocalizedText("it was delivered before", "о нём уже сообщено"), nil)
        case "ignored":
            ReasonMeaning(
                LocalizedText(
                    "such a message is not delivered, for example because the customer wrote it",
                    "о таких сообщениях не сообщают, например потому, что его написал клиент"), nil)
        default: nil
        }
    }

    static let waitingForTurn = LocalizedText("wait: its next attempt starts automatically", "подождите: следующая попытка будет сама")
}

extension ReasonMeaning {
    /// The remedy for a notifier whose attempts keep failing for this reason: the end of a sentence.
    func remedy(whileFailing name: String) -> LocalizedText {
        let attempts = LocalizedText(
            "check its latest attempts (deskgate deliveries list --notifier \(TextFragments.word(name))), and repair its receiver",
            "посмотрите последние попытки (deskgate deliveries list --notifier \(TextFragments.word(name))) и почините получателя")
        return lasting ?? remedy.flatMap { $0.isWaiting ? nil : $0 } ?? attempts
    }

    /// The remedy of deliveries that have ended for this reason, or after it, or that no service attempts; it does not announce an attempt.
    /// - Returns: the end of a sentence; nil when no action is needed.
    func remedy(ofEndedFor name: String) -> LocalizedText? {
        let promise = LocalizedText("; Deskgate tries again", "; Deskgate повторяет попытки")
        return remedy.map { _ in
            remedy(whileFailing: name).map { text in
                [promise.english, promise.russian].first(where: text.hasSuffix).map { String(text.dropLast($0.count)) } ?? text
            }
        }
    }
}

extension Configuration.Notifier {
    /// The meaning of a reason that stops a notifier, in the English words of `deskgate status`: the ends of two sentences.
    /// - Parameter notifier: nil when it is no longer configured.
    /// - Returns: the event and the remedy; without a remedy no action is needed.
    package static func meaning(of reason: String, for notifier: Configuration.Notifier?) -> (text: String, remedy: String?) {
        let meaning = ReasonMeaning.ofPause(reason, notifier)
        return (meaning.text.english, meaning.remedy?.english)
    }

    /// The remedy for a notifier whose attempts keep failing, in the English words of `deskgate status`: the end of a sentence.
    package static func remedy(whileFailing name: String, _ reason: String, for notifier: Configuration.Notifier?) -> String {
        ReasonMeaning.ofPause(reason, notifier).remedy(whileFailing: name).english
    }

    /// The source on which the meaning of its reasons depends.
    var reasonSource: ReasonSource {
        switch kind {
        case .log: .log
        case .http: .http(name)
        case .relay: .relay
        case .push(let push): .push(push.provider)
        }
    }
}
