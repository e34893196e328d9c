internal import Configuration
internal import Core
internal import Time

struct DeviceFacts {
    let deviceID: String
    /// The expected user; nil for any.
    let userID: String?
    let app: Configuration.App
    let audience: CommentAudience
    let stopping: [Problem]
    let registration: Configuration.PushTokens
    /// The device, once for each person who has it registered.
    let devices: [Device]
    /// Whether some devices of the app were not searched.
    let isCut: Bool
    let deliveries: [DeliveryFacts]
    /// Reports the end of the search for deliveries.
    let search: Explanation.Step?
    /// The used part of the limits of registrations for a device, and for the person who is named.
    var limitUses: [LimitUse] = []
    /// The block or the erasure that keeps that person out with any key; nil when there is none.
    var keepingOut: Revocation?
    let now: UnixSeconds
}

extension Explanation {
    /// Explains whether a device is notified.
    init(_ facts: DeviceFacts) {
        let found = facts.devices.map { $0.step(facts.audience) }
        let limits = found.isEmpty || facts.limitUses.isEmpty ? [] : [Self.limits(facts)]
        let steps = found.isEmpty ? Self.absence(facts) : found
        self.init(
            found.isEmpty ? Self.absence(facts, steps) : Self.conclusion(facts, found),
            Self.stopping(facts.stopping) + steps + limits + facts.deliveries.reversed().map(\.step) + [facts.search].compactMap(\.self))
    }

    private static func absence(_ facts: DeviceFacts, _ steps: [Step]) -> Conclusion {
        Conclusion(
            .problem,
            facts.isCut
                ? LocalizedText(
                    "The device was not found among those that were searched.", "Среди просмотренных устройств такого не нашлось.")
                : LocalizedText(
                    "No such device is registered, so it is not notified.",
                    "Такое устройство не зарегистрировано, поэтому его не уведомляют."), from: steps.first
        ).and(facts.keepingOut?.sentence)
    }

    private static func conclusion(_ facts: DeviceFacts, _ found: [Step]) -> Conclusion {
        if let unserved = found.first(where: { $0.outcome == .problem }) { return Conclusion(unserved) }
        if let stopped = stopping(facts.stopping).first(where: { $0.outcome == .problem }) {
            return Conclusion(
                .problem,
                LocalizedText("The device is registered. But: \(stopped.text)", "Устройство зарегистрировано. Однако: \(stopped.text)"),
                from: stopped)
        }
        guard let latest = facts.deliveries.first(where: { $0.delivery.event.kind == .commentCreated }) else {
            return Conclusion(
                .ok,
                LocalizedText(
                    "The device is registered and a notifier serves it. No comment was sent to it among the newest deliveries.",
                    "Устройство зарегистрировано, канал для него есть. Среди последних доставок комментариев ему не было."))
        }
        let sentence = latest.sentence
        guard latest.outcome == .problem else {
            let isNotified = found.allSatisfy { $0.outcome == .ok }
            let state =
                isNotified
                ? LocalizedText("The device is registered and is notified.", "Устройство зарегистрировано, его уведомляют.")
                : LocalizedText(
                    "The device is registered, and no push notifier serves its type.",
                    "Устройство зарегистрировано, но пуш-канала для его типа нет.")
            return Conclusion(
                latest.outcome, LocalizedText("\(state) The latest: \(sentence)", "\(state) Последнее: \(sentence)"), from: latest.step)
        }
        return Conclusion(
            .problem,
            LocalizedText(
                "The device is registered, but the latest comment has not arrived: \(sentence)",
                "Устройство зарегистрировано, но последний комментарий не доставлен: \(sentence)"), from: latest.step)
    }

    /// Lists the possible causes of a missing registration, likely ones first.
    private static func absence(_ facts: DeviceFacts) -> [Step] {
        if facts.isCut {
            return [
                Step(
                    .search, outcome: .problem,
                    text: LocalizedText(
                        "The app has more devices than are looked at without a person.",
                        "У приложения больше устройств, чем просматривается без пользователя."),
                    remedy: LocalizedText(
                        "Repeat the request with the user_id: an index then finds the device.",
                        "Спросите снова и укажите user_id: по нему устройство находится сразу."))
            ]
        }
        return [facts.keepingOut?.step(.problem, at: facts.now), absent(facts), departed(facts), limits(facts)].compactMap(\.self)
    }

    /// Explains how to register a device.
    /// - Parameters:
    ///   - isBlocked: whether the person is denied with any key, which has its own remedy.
    ///   - uses: the used part of the limits that apply.
    ///   - usual: the remedy without an obstacle.
    static func registering(isBlocked: Bool, _ uses: [LimitUse], usual: LocalizedText) -> LocalizedText? {
        if isBlocked { return nil }
        guard let next = uses.compactMap(\.nextAt).max().map({ RFC3339.text($0) }) else { return usual }
        return LocalizedText(
            "Wait until \(next): push_tokens.limits allow no registration before. Then have the person open the app.",
            "Подождите до \(next): раньше push_tokens.limits не дают зарегистрироваться. Потом пусть человек откроет приложение.")
    }

    private static func absent(_ facts: DeviceFacts) -> Step {
        let owner =
            facts.userID == nil ? LocalizedText("of the app", "у приложения") : LocalizedText("of this user", "у этого пользователя")
        let series = "deskgate_push_token_requests_total{app=\"\(facts.app.id)\"}"
        return Step(
            .device, outcome: .problem,
            text: LocalizedText(
                "No device \(owner) with this id has a push token.", "Устройства с таким идентификатором и пуш-токеном \(owner) нет."),
            remedy: registering(
                isBlocked: facts.keepingOut != nil, facts.limitUses,
                usual: LocalizedText(
                    "Have the person open the app while signed in, and see the result of its registration: \(series) counts results. ",
                    "Пусть человек войдёт и откроет приложение; посмотрите, чем кончится регистрация: итоги считает \(series). ")
                    + LocalizedText(
                        "Denied ones are explained by deskgate explain --user and --key.",
                        "Отказы объясняет deskgate explain --user и --key.")))
    }

    private static func departed(_ facts: DeviceFacts) -> Step {
        let (most, days) = (facts.registration.devicesPerUser, facts.registration.forgetAfterDays)
        let app = TextFragments.word(facts.app.id)
        let text =
            LocalizedText(
                "A device leaves when the app signs out, when its provider no longer knows the token, when its token comes with ",
                "Устройство исчезает, когда в приложении выходят, когда провайдер больше не знает токен, когда токен приходит с другим ")
            + LocalizedText(
                "another user or device, when an operator removes it, or when the person has more than \(TextFragments.count(most, "device")). ",
                "пользователем или устройством, когда его удаляет оператор или когда устройств у человека больше \(most). ")
            + LocalizedText(
                "After \(TextFragments.count(days, "day")) without activity it is removed. Deliveries ",
                "Без признаков жизни оно забывается, срок в днях: \(days). Доставки ")
            + LocalizedText(
                "to it that are still stored follow, and show whether a provider has refused it.",
                "ему, которые ещё хранятся, стоят ниже и говорят, не отказал ли провайдер.")
        return Step(
            .device, outcome: .note, text: text,
            remedy: LocalizedText(
                "The devices of a person: deskgate tokens list --app \(app) --user ID.",
                "Устройства человека: deskgate tokens list --app \(app) --user ID."))
    }

    private static func limits(_ facts: DeviceFacts) -> Step {
        let uses = facts.limitUses.reduce(LocalizedText(verbatim: "")) { $0 + used($1) }
        return Step(
            .limits, outcome: .note,
            text: LocalizedText(
                "Registrations beyond push_tokens.limits are answered 429, and the app repeats them later.\(uses)",
                "На регистрации сверх push_tokens.limits отвечают 429, и приложение повторяет их позже.\(uses)"))
    }

    private static func used(_ use: LimitUse) -> LocalizedText {
        let next = use.nextAt.map {
            LocalizedText("; the next is allowed at \(RFC3339.text($0)).", "; следующая разрешена в \(RFC3339.text($0)).")
        }
        let whose = use.rule.scope == .user ? LocalizedText("user", "пользователя") : LocalizedText("device", "устройства")
        return LocalizedText(
            " Of this \(whose) \(use.used) of \(use.rule.max) are used up",
            " У этого \(whose) израсходовано \(use.used) из \(use.rule.max)")
            + (next ?? LocalizedText(verbatim: "."))
    }
}
