internal import Configuration
internal import Core
internal import Notifiers
internal import Time

struct DeliveryFacts {
    let delivery: Delivery
    /// Empty if attempts were not requested.
    let attempts: [DeliveryAttempt]
    /// The reason why the delivery starts no attempt; nil when attempts may start, or the delivery has ended.
    let hold: String?
    /// nil when it is no longer configured.
    let notifier: Configuration.Notifier?
    /// The reason of the notifier's last failed attempt, of any delivery; empty while it works, and when unknown.
    let lastFailure: String
    /// The number of deliveries that wait for the notifier, and the problem of a late queue.
    var queue: (count: Int, late: Problem?) = (0, nil)
    /// Whether the delivery found no device, and its person now has a device that the notifier serves.
    var isServedNow = false
    /// The time at which the notifier may start an attempt again; nil while it may, and when unknown.
    var nextAttemptAt: UnixMilliseconds?
    private var serve = "deskgate serve"

    /// - Parameter problems: the current problems; nil outside the service.
    init(_ delivery: Delivery, attempts: [DeliveryAttempt], problems: ProblemSearch?, context: AdminContext) {
        let status = problems?.statuses.first { $0.name.utf8.elementsEqual(delivery.notifier.utf8) }
        let lastFailure = status.flatMap { $0.state == .working ? nil : $0.lastFailure }
        self.init(
            delivery, attempts: attempts, hold: context.hold(of: delivery),
            notifier: context.state.configuration.notifier(delivery.notifier), lastFailure: lastFailure ?? "")
        if let problems { queue = problems.queue(of: delivery.notifier) }
        nextAttemptAt = status?.nextAttemptAt.flatMap { $0 > context.now ? $0 : nil }
        if context.holds == nil { serve = context.state.configuration.serveLine }
    }

    init(
        _ delivery: Delivery, attempts: [DeliveryAttempt], hold: String?, notifier: Configuration.Notifier?, lastFailure: String = ""
    ) {
        self.delivery = delivery
        self.attempts = attempts
        self.hold = hold
        self.notifier = notifier
        self.lastFailure = lastFailure
    }

    /// The device id; nil for none. Deliveries of an event without a device have an empty one.
    private var deviceID: String? { delivery.deviceID.flatMap { $0.isEmpty ? nil : $0 } }

    /// Whether its message is held until the help desk names the customer.
    var isHeld: Bool { delivery.event.kind == .messageHeld }

    private var meaning: ReasonMeaning { .of(delivery.reason, notifier, delivery: delivery.id) }

    /// Whether it is pending, was delivered or failed. If no service runs on this host, a service on another host may deliver it.
    var outcome: Explanation.Outcome {
        switch delivery.state {
        case .delivered: .ok
        case .noTarget, .dead: .problem
        case .pending:
            if !delivery.reason.isEmpty {
                .problem
            } else if let hold {
                hold == AdminContext.serviceIsElsewhere ? .note : .problem
            } else {
                lastFailure.isEmpty && queue.late == nil ? .ok : .note
            }
        }
    }

    /// The delivery's state and its cause: one or two sentences.
    var sentence: LocalizedText {
        let (number, notifier, meaning) = (delivery.attempts, delivery.notifier, meaning.text)
        let count = TextFragments.count(number, "attempt")
        if isHeld { return held(count) }
        switch delivery.state {
        case .delivered where delivery.isLogged:
            return LocalizedText(
                "\(notifier) wrote it to the log, which notifies no one.", "\(notifier) записал его в журнал; это никого не уведомляет.")
        case .delivered where delivery.isSuperseded && delivery.event.kind == .conversationSeen:
            return LocalizedText(
                "\(notifier) need not send it any more: a later reading replaced it.",
                "\(notifier) может больше не отправлять его: его заменило более позднее прочтение.")
        case .delivered where delivery.isSuperseded:
            return LocalizedText(
                "\(notifier) need not send it any more: \(meaning).", "\(notifier) может больше не отправлять его: \(meaning).")
        case .delivered:
            return LocalizedText(
                "\(notifier) delivered it after \(count): \(meaning).\(phone)",
                "\(notifier) доставил (попыток: \(number)): \(meaning).\(phone)")
        case .noTarget: return LocalizedText("\(notifier) sent nothing: \(meaning).", "\(notifier) ничего не отправил: \(meaning).")
        case .dead:
            return LocalizedText(
                "\(notifier) gave it up after \(count): \(meaning) (\(delivery.reason))\(lastAttempt).",
                "\(notifier) отказался от доставки (попыток: \(number)): \(meaning) (\(delivery.reason))\(lastAttempt).")
        case .pending: return pending(count)
        }
    }

    /// The failure of a dead delivery's last attempt, unless that failure ended the delivery.
    private var lastAttempt: LocalizedText {
        guard let last = attempts.last, last.reason != delivery.reason else { return LocalizedText(verbatim: "") }
        let meaning = ReasonMeaning.of(last.reason, notifier).text
        return LocalizedText("; the last attempt: \(meaning)", "; последняя попытка: \(meaning)")
    }

    /// A message that waits for its customer, or has waited.
    private func held(_ count: String) -> LocalizedText {
        if delivery.state == .delivered {
            return LocalizedText(
                "It was held until attempt \(delivery.attempts): \(meaning.text).",
                "Сообщение было задержано до попытки \(delivery.attempts): \(meaning.text).")
        }
        guard delivery.state == .pending else {
            return LocalizedText(
                "It was not delivered, because the help desk has not named its user: \(meaning.text) (\(delivery.reason))\(lastAttempt).",
                "О нём никому не сообщено, потому что служба поддержки не сказала, для кого оно: \(meaning.text) (\(delivery.reason))\(lastAttempt)."
            )
        }
        let unknown = LocalizedText(
            "It is not delivered yet, because the help desk has not named its user.",
            "О нём пока никому не сообщено, потому что служба поддержки не сказала, для кого оно.")
        let failed =
            delivery.reason.isEmpty
            ? LocalizedText(verbatim: "")
            : LocalizedText(
                " The last of \(count) failed: \(meaning.text) (\(delivery.reason)).",
                " Последняя попытка (всего их \(delivery.attempts)) не удалась: \(meaning.text) (\(delivery.reason)).")
        if let hold {
            let why = Self.reason(ofHold: hold)
            return LocalizedText("\(unknown)\(failed) It waits: \(why).", "\(unknown)\(failed) Оно ждёт: \(why).")
        }
        let due = RFC3339.text(delivery.dueAt)
        return LocalizedText("\(unknown)\(failed) Deskgate asks again at \(due).", "\(unknown)\(failed) Deskgate спросит снова \(due).")
    }

    private func pending(_ count: String) -> LocalizedText {
        let (notifier, due, meaning) = (delivery.notifier, RFC3339.text(delivery.dueAt), meaning.text)
        let hasFailed = !delivery.reason.isEmpty
        let failed =
            hasFailed
            ? LocalizedText(
                " The last of \(count) failed: \(meaning) (\(delivery.reason)).",
                " Последняя попытка (всего их \(delivery.attempts)) не удалась: \(meaning) (\(delivery.reason)).") : notifierFailed
        if let hold {
            let why = Self.reason(ofHold: hold)
            return LocalizedText("It waits for \(notifier): \(why).\(failed)\(next)", "Доставка ждёт \(notifier): \(why).\(failed)\(next)")
        }
        if delivery.attempts == 0 {
            let others =
                queue.count > 1
                ? LocalizedText(", where \(queue.count) deliveries wait", ", всего ждут доставки: \(queue.count)")
                : LocalizedText(verbatim: "")
            return LocalizedText(
                "It waits for its turn at \(notifier)\(others).\(failed)\(next)",
                "Доставка ждёт своей очереди в \(notifier)\(others).\(failed)\(next)")
        }
        return hasFailed
            ? LocalizedText(
                "\(notifier) tries again at \(due).\(failed)\(next)", "\(notifier) попробует снова \(due).\(failed)\(next)")
            : LocalizedText(
                "\(notifier) is trying, or tries again at \(due).\(failed)", "\(notifier) пробует или попробует снова \(due).\(failed)")
    }

    /// The time before which the notifier starts no attempt, as a sentence after others; empty if the delivery is due later.
    private var next: LocalizedText {
        guard let nextAttemptAt, nextAttemptAt > delivery.dueAt else { return LocalizedText(verbatim: "") }
        let at = RFC3339.text(nextAttemptAt)
        return LocalizedText(
            " \(delivery.notifier) starts no attempt before \(at).", " \(delivery.notifier) не начнёт попыток раньше \(at).")
    }

    /// The notifier's failure if this delivery has had none itself: a sentence that follows others.
    private var notifierFailed: LocalizedText {
        guard !lastFailure.isEmpty, hold.flatMap(AdminContext.pauseReason) == nil else { return LocalizedText(verbatim: "") }
        let meaning = ReasonMeaning.of(lastFailure, notifier).text
        return LocalizedText(
            " The last attempt of \(delivery.notifier) failed: \(meaning) (\(lastFailure)).",
            " Последняя попытка канала \(delivery.notifier) не удалась: \(meaning) (\(lastFailure)).")
    }

    /// Returns the reason why a notifier starts no attempts, in words.
    private static func reason(ofHold hold: String) -> LocalizedText {
        if let reason = AdminContext.pauseReason(hold) { return LocalizedText("notifier paused (\(reason))", "канал на паузе (\(reason))") }
        if hold == AdminContext.notConfigured { return LocalizedText("\(hold)", "канала нет в настройках") }
        if hold == AdminContext.serviceIsDown { return LocalizedText("\(hold)", "служба не запущена") }
        if hold == AdminContext.serviceIsElsewhere { return LocalizedText("\(hold)", "на этой машине служба не запущена") }
        return LocalizedText("\(hold)", "канал сбоит и остановлен на время")
    }

    /// The limits of a provider's acceptance: it does not prove that the phone shows the push.
    private var phone: LocalizedText {
        guard notifier?.type.isPush == true, delivery.event.kind.isForDevices else { return LocalizedText(verbatim: "") }
        return LocalizedText(
            " The phone may not show it: notifications of the app may be off there, or the phone may have no network.",
            " Покажет ли его телефон, зависит от телефона: уведомления приложения могут быть выключены, или нет сети.")
    }

    /// nil when no action is needed.
    var remedy: LocalizedText? {
        guard outcome != .ok else { return nil }
        if isServedNow { return Self.servedNow }
        if isHeld, hold == nil { return Self.heldRemedy }
        guard let hold else {
            let waiting = delivery.reason.isEmpty ? remedyOfNotifier ?? queue.late?.remedy : remedy(meaning)
            return (delivery.state == .dead ? settled : waiting).map(TextFragments.sentence)
        }
        return holdRemedy(hold)
    }

    /// For a comment received before its person had a device.
    static let servedNow = LocalizedText(
        "No repair is needed: a notifier serves the device registered now. The phone gets the next comment, not this one.",
        "Чинить нечего: теперь устройство зарегистрировано, и канал для него есть. О следующем комментарии телефон узнает, об этом нет.")

    private static let heldRemedy = LocalizedText(
        "See that the help desk's API can be reached and accepts its token (deskgate check --live), and that its webhooks about tickets arrive too.",
        "Проверьте, что API службы поддержки доступен и принимает токен (deskgate check --live) и что приходят и вебхуки о тикетах.")

    /// The remedy of a dead delivery. If it expired, the remedy also covers the reason of its last attempt.
    private var settled: LocalizedText? {
        if isOfDeviceThatIsBack {
            let retry = "deskgate deliveries retry \(delivery.id)"
            return LocalizedText(
                "the device is registered again; retry it: \(retry)", "устройство снова зарегистрировано; повторите: \(retry)")
        }
        let own = remedy(meaning)
        guard let last = attempts.last, last.reason != delivery.reason, !last.reason.isEmpty,
            let cause = remedy(ReasonMeaning.of(last.reason, notifier))
        else { return own }
        return own.map { LocalizedText("\(cause); then \($0)", "\(cause); затем \($0)") } ?? cause
    }

    /// Whether it ended because its device was not registered, and the device is registered again.
    private var isOfDeviceThatIsBack: Bool {
        guard delivery.state == .dead, delivery.device != nil else { return false }
        return delivery.reason == NotifierReason.noDevice.rawValue || notifier?.reasonSource.endsDevice(delivery.reason) == true
    }

    /// The remedy of a reason: the end of a sentence. While attempts fail, it equals that of `deskgate status`. After the
    /// delivery has ended, or while no service runs, no retry follows automatically. A held message has no receiver to repair.
    private func remedy(_ meaning: ReasonMeaning) -> LocalizedText? {
        guard let remedy = meaning.remedy else { return nil }
        return switch delivery.state {
        case .pending where hold != AdminContext.serviceIsDown: isHeld ? remedy : meaning.remedy(whileFailing: delivery.notifier)
        case .delivered where remedy.isWaiting: nil
        case .pending, .delivered, .noTarget, .dead: meaning.remedy(ofEndedFor: delivery.notifier)
        }
    }

    /// The remedy for the notifier's last failure: the end of a sentence; nil where none is known.
    private var remedyOfNotifier: LocalizedText? {
        lastFailure.isEmpty ? nil : ReasonMeaning.of(lastFailure, notifier).remedy(whileFailing: delivery.notifier)
    }

    private func holdRemedy(_ hold: String) -> LocalizedText {
        if hold == AdminContext.notConfigured {
            let purge = "deskgate deliveries purge --state pending --notifier \(TextFragments.word(delivery.notifier))."
            return LocalizedText(
                "Configure the notifier again, or delete its pending deliveries: \(purge)",
                "Верните канал в настройки или откажитесь от его доставок: \(purge)")
        }
        if hold == AdminContext.serviceIsDown { return Problem.serviceDown(serve).remedy }
        if hold == AdminContext.serviceIsElsewhere { return Problem.serviceElsewhere(serve).remedy }
        if let reason = AdminContext.pauseReason(hold) {
            return ReasonMeaning.ofPause(reason, notifier).remedyOfPause
        }
        let reason = (delivery.reason.isEmpty ? remedyOfNotifier : meaning.remedy(whileFailing: delivery.notifier)).map(
            TextFragments.sentence)
        return LocalizedText(
            "The notifier has failed several times in a row and is retried automatically within minutes. ",
            "Канал сбоил несколько раз подряд; он сам попробует снова через несколько минут. ")
            + (reason ?? LocalizedText("The log shows the cause.", "Почему, говорит журнал."))
    }

    var references: [Explanation.Reference] {
        let identity = delivery.event.identity
        let texts: [(String, String?)] = [
            ("delivery_id", delivery.id.description), ("notifier", delivery.notifier), ("user_id", delivery.event.userID),
            ("comment_id", identity.commentID?.text), ("ticket_id", identity.ticketID?.text), ("device_id", deviceID),
        ]
        return texts.compactMap { name, text in text.map { Explanation.Reference(name: name, text: $0) } }
    }

    /// The step of the whole delivery.
    var step: Explanation.Step {
        Explanation.Step(
            .delivery, outcome: outcome, text: LocalizedText("\(subject): \(sentence)", "\(subject): \(sentence)"), at: delivery.endedAt,
            remedy: remedy,
            references: references
        )
    }

    private var subject: LocalizedText {
        let device = deviceID.map { LocalizedText(", device \($0)", ", устройство \($0)") } ?? LocalizedText(verbatim: "")
        let kind = delivery.event.kind.rawValue
        guard let comment = delivery.event.identity.commentID else {
            return LocalizedText("Event \(kind)\(device)", "Событие \(kind)\(device)")
        }
        return LocalizedText("Comment \(comment)\(device)", "Комментарий \(comment)\(device)")
    }

    var attemptSteps: [Explanation.Step] {
        attempts.map { attempt in
            let start = LocalizedText(
                "Attempt \(attempt.number) of \(delivery.notifier)", "Попытка \(attempt.number) канала \(delivery.notifier)")
            if attempt.outcome == "interrupted" {
                return Explanation.Step(
                    .attempt, outcome: .note,
                    text: LocalizedText(
                        "\(start) was interrupted, because Deskgate ended; it may have arrived.",
                        "\(start) прервана: Deskgate остановился; возможно, всё доставлено."), at: attempt.startedAt)
            }
            guard attempt.endedAt != nil else {
                return Explanation.Step(
                    .attempt, outcome: .note,
                    text: LocalizedText(
                        "\(start) has begun; its outcome is not known yet.", "\(start) началась; чем она кончится, ещё неизвестно."),
                    at: attempt.startedAt)
            }
            let meaning = ReasonMeaning.of(attempt.reason, notifier)
            let isDone = attempt.outcome == Delivery.State.delivered.rawValue
            return Explanation.Step(
                .attempt, outcome: isDone ? .ok : .problem,
                text: LocalizedText("\(start): \(meaning.text) (\(attempt.reason)).", "\(start): \(meaning.text) (\(attempt.reason))."),
                at: attempt.startedAt, remedy: isDone ? nil : remedy(meaning).map(TextFragments.sentence))
        }
    }
}

extension ReasonMeaning {
    /// The remedy for a notifier that is paused for this reason, in sentences.
    var remedyOfPause: LocalizedText {
        let mend = TextFragments.sentence(remedy ?? LocalizedText("look at the log", "посмотрите журнал"))
        // Some remedies already mention the reload.
        if mend.english.contains(LocalizedText.reload.english) { return mend }
        return LocalizedText(
            "\(mend) Then \(LocalizedText.reload), which tries again.",
            "\(mend) Затем \(LocalizedText.reload), и канал попробует снова.")
    }
}

extension Configuration {
    /// The notifier of a name; nil when it is not configured.
    func notifier(_ name: String) -> Notifier? { notifiers.first { $0.name.utf8.elementsEqual(name.utf8) } }

    /// The app of an id; nil when it is not configured.
    func app(_ id: String) -> App? { apps.first { $0.id.utf8.elementsEqual(id.utf8) } }
}
