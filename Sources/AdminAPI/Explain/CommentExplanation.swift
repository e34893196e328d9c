internal import Configuration
internal import Core
internal import Time

struct CommentFacts {
    let comment: HelpDeskID
    let app: Configuration.App
    let keep: Configuration.Deliveries
    let now: UnixMilliseconds
    let audience: CommentAudience
    let stopping: [Problem]
    let deliveries: [DeliveryFacts]
    /// The time at which the comment was received, if all its data was purged.
    let forgottenIncoming: UnixMilliseconds?
    let hasMore: Bool
    /// The currently registered devices of its person, up to the limit of shown devices.
    let devices: [Device]

    /// Whether no record shows that the comment was received.
    var isUnknown: Bool { deliveries.isEmpty && forgottenIncoming == nil }
}

extension Explanation {
    init(_ facts: CommentFacts) {
        self = facts.deliveries.isEmpty ? Self.unknown(facts) : Self.known(facts)
    }

    /// The steps that explain why comments of the app may not come in now.
    static func stopping(_ problems: [Problem]) -> [Step] {
        problems.map { Step(.webhook, outcome: $0.severity == .problem ? .problem : .note, text: $0.text, remedy: $0.remedy) }
    }

    private static func known(_ facts: CommentFacts) -> Explanation {
        var steps: [Step] = []
        var last: UUIDv7?
        for delivery in facts.deliveries {
            // Each webhook of the comment is an event, whose deliveries are listed together.
            if delivery.delivery.event.id != last {
                steps.append(incoming(delivery.delivery.event))
                if delivery.delivery.event.userID.isEmpty, !delivery.isHeld { steps.append(ofNobody(facts.app).step) }
            }
            last = delivery.delivery.event.id
            steps += delivery.attemptSteps + [delivery.step]
        }
        steps += facts.devices.map { $0.step(facts.audience) }
        if facts.hasMore {
            let (app, comment) = (TextFragments.word(facts.app.id), TextFragments.word(facts.comment.text))
            let command = "deskgate deliveries list --all --app \(app) --comment \(comment)."
            steps.append(
                Step(
                    .search, outcome: .note,
                    text: LocalizedText("The comment has more deliveries.", "У комментария есть и другие доставки."),
                    remedy: LocalizedText("For all of them: \(command)", "Все: \(command)")))
        }
        return Explanation(conclusion(facts), steps)
    }

    /// Explains why a comment has no user: unknown or forgotten.
    private static func ofNobody(_ app: Configuration.App) -> (cause: LocalizedText, step: Step) {
        app.helpDesk.holdsMessages
            ? (LocalizedText("its user was unknown", "неизвестно, для кого он"), ofUnknownCustomer)
            : (LocalizedText("it was anonymous, or its person is forgotten", "он анонимный, или его человек забыт"), anonymous)
    }

    private static let anonymous = Step(
        .webhook, outcome: .note,
        text: LocalizedText(
            "It names no user, so no phone got it: the app's chat was in anonymous mode, or the user is forgotten.",
            "Пользователь в нём не назван, поэтому телефоны не уведомлялись: чат был в анонимном режиме, или пользователь забыт."),
        remedy: LocalizedText(
            "For pushes choose external authorization for the chat at the help desk.",
            "Чтобы приходили пуши, выберите в службе поддержки внешнюю авторизацию чата."))

    private static let ofUnknownCustomer = Step(
        .webhook, outcome: .problem,
        text: LocalizedText(
            "Its user was unknown, so no phone got it: no webhook had named the ticket of its channel.",
            "Неизвестно, для кого он, поэтому телефоны не уведомлялись: о тикете этого канала ничего не сообщалось."),
        remedy: LocalizedText(
            "See that the help desk's webhooks about tickets arrive too, and that its API can be reached (deskgate check --live).",
            "Проверьте, что приходят и вебхуки о тикетах, и что API службы поддержки доступен (deskgate check --live)."))

    /// Explains why no push notifier got a comment although the app has one; nil when no step does.
    private static func unpushed(_ facts: CommentFacts, _ reported: [DeliveryFacts]) -> (cause: LocalizedText, step: Step?) {
        if reported.allSatisfy(\.delivery.event.userID.isEmpty) {
            return ofNobody(facts.app)
        }
        // The comment is for its named device, whatever other devices its person has.
        let named = reported.last { !$0.delivery.event.identity.deviceID.isEmpty }?.delivery.event.identity.deviceID
        if let named, let device = facts.devices.first(where: { $0.key.deviceID.utf8.elementsEqual(named.utf8) }) {
            let step = device.step(facts.audience)
            if step.outcome != .ok {
                return (
                    LocalizedText(
                        "it is for the device \(named) of the type \(device.type), which no push notifier serves",
                        "он для устройства \(named) типа \(device.type), которое не обслуживает ни один пуш-канал"), step
                )
            }
        }
        let devices = facts.devices.map { $0.step(facts.audience) }
        guard let first = devices.first, !devices.contains(where: { $0.outcome == .ok }) else {
            return absent(isRegisteredNow: !devices.isEmpty)
        }
        return (LocalizedText("no push notifier serves its person's devices", "пуш-каналы не обслуживают устройства человека"), first)
    }

    private static func absent(isRegisteredNow: Bool) -> (cause: LocalizedText, step: Step?) {
        let cause = LocalizedText("its person had no device for a push notifier", "у человека не было устройства для пуш-канала")
        let remedy =
            isRegisteredNow
            ? DeliveryFacts.servedNow
            : LocalizedText(
                "Have the person open the app, which registers its push token.",
                "Пусть человек откроет приложение, оно зарегистрирует пуш-токен.")
        return (cause, Step(.devices, outcome: .problem, text: TextFragments.sentence(cause), remedy: remedy))
    }

    private static func conclusion(_ facts: CommentFacts) -> Conclusion {
        let comment = facts.comment
        // Once the customer is known, only the reported events matter.
        let reported = facts.deliveries.filter { !$0.isHeld }
        if reported.isEmpty, let held = facts.deliveries.last {
            let sentence = held.sentence
            if held.delivery.state == .delivered {
                return Conclusion(.ok, LocalizedText("Comment \(comment): \(sentence)", "Комментарий \(comment): \(sentence)"))
            }
            return Conclusion(
                held.outcome == .note ? .note : .problem,
                LocalizedText("Comment \(comment) is held: \(sentence)", "Комментарий \(comment) задержан: \(sentence)"), from: held.step)
        }
        let failed = reported.filter { $0.outcome == .problem }
        guard let first = failed.first else {
            let phones = reported.filter { $0.notifier?.type.isPush == true }
            if phones.isEmpty, facts.audience.hasPush {
                let (cause, step) = unpushed(facts, reported)
                return Conclusion(
                    .problem,
                    LocalizedText(
                        "Comment \(comment) was handed on, and no phone was notified: \(cause).",
                        "Комментарий \(comment) передан, но ни один телефон не уведомлён: \(cause)."), from: step)
            }
            let isPending = reported.contains { $0.delivery.state == .pending }
            let main = reported.first { $0.outcome == .note } ?? phones.first ?? reported.first { !$0.delivery.isLogged } ?? reported[0]
            let state =
                isPending
                ? LocalizedText("is on its way", "в пути")
                : main.delivery.isLogged
                    ? LocalizedText("was logged, and no one was notified", "записан в журнал, и никто не уведомлён")
                    : main.delivery.isSuperseded ? LocalizedText("was read", "прочитан") : LocalizedText("was delivered", "доставлен")
            return Conclusion(
                main.outcome,
                LocalizedText("Comment \(comment) \(state): \(main.sentence)", "Комментарий \(comment) \(state): \(main.sentence)"),
                from: main.step)
        }
        let others = failed.count - 1
        let rest =
            others > 0 ? LocalizedText(" (and \(TextFragments.count(others, "other")))", " (и ещё \(others))") : LocalizedText(verbatim: "")
        return Conclusion(
            .problem,
            LocalizedText(
                "Comment \(comment) has not arrived\(rest): \(first.sentence)",
                "Комментарий \(comment) не доставлен\(rest): \(first.sentence)"), from: first.step)
    }
}
