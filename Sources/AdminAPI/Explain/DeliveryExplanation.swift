internal import Configuration
internal import Core
internal import Time

extension Explanation {
    init(_ facts: DeliveryFacts) {
        let step = facts.step
        self.init(
            Conclusion(facts.outcome, facts.sentence, from: step), [Self.incoming(facts.delivery.event)] + facts.attemptSteps + [step])
    }

    init(unknownDelivery keep: Configuration.Deliveries) {
        let finding = LocalizedText("No delivery with this id is stored.", "Доставки с таким идентификатором нет.")
        let retention = Self.retention(keep)
        let step = Step(
            .search, outcome: .problem, text: LocalizedText("\(finding) \(retention)", "\(finding) \(retention)"),
            remedy: LocalizedText(
                "Compare the id with deskgate deliveries list. The log still shows deleted deliveries.",
                "Сверьте идентификатор с deskgate deliveries list. О забытой доставке ещё говорит журнал."))
        self.init(Conclusion(.problem, finding, from: step), [step])
    }

    static func retention(_ keep: Configuration.Deliveries) -> LocalizedText {
        let (delivered, dead) = (keep.keepDeliveredDays, keep.keepDeadDays)
        return LocalizedText(
            "Delivered ones are deleted after \(TextFragments.count(delivered, "day")), others after \(TextFragments.count(dead, "day")) ",
            "Удавшиеся забываются через \(delivered) дн., остальные через \(dead) дн. ")
            + LocalizedText(verbatim: "(deliveries.keep_delivered_days, keep_dead_days).")
    }

    /// The step of an event's arrival.
    static func incoming(_ event: Event) -> Step {
        let references =
            [Reference(name: "event_id", text: event.id.description), Reference(name: "user_id", text: event.userID)]
            + (event.trace.map { [Reference(name: "trace_id", text: $0.traceIDText)] } ?? [])
        let (kind, device, user) = (event.kind.rawValue, event.identity.deviceID, event.userID)
        guard let comment = event.identity.commentID else {
            if event.kind.isForOperators {
                return Step(
                    .event, outcome: .ok,
                    text: LocalizedText(
                        "The service stored the event \(kind) for its operators.", "Служба сохранила событие \(kind) для операторов."),
                    at: event.receivedAt, references: [references[0]])
            }
            return Step(
                .event, outcome: .ok, text: LocalizedText("The event \(kind) was stored.", "Событие \(kind) сохранено."),
                at: event.receivedAt, references: references)
        }
        if event.kind == .messageHeld {
            return Step(
                .webhook, outcome: .ok,
                text: LocalizedText(
                    "The help desk reported message \(comment) without its user. It was stored before the answer.",
                    "Служба поддержки сообщила о сообщении \(comment), но не о том, для кого оно. Оно сохранено до ответа."),
                at: event.receivedAt, references: references)
        }
        let type = event.deviceType.map { LocalizedText(" of the type \($0)", " типа \($0)") } ?? LocalizedText(verbatim: "")
        let named =
            device.isEmpty
            ? LocalizedText("names no device", "Устройство в нём не названо")
            : LocalizedText("names the device \(device)\(type)", "В нём названо устройство \(device)\(type)")
        let delay = event.receivedAt.elapsed(since: event.occurredAt) / 1000
        let duration = TextFragments.duration(seconds: delay)
        let late =
            delay < 60
            ? LocalizedText(verbatim: "")
            : LocalizedText(
                " By the help desk's clock it was written \(duration) before.",
                " По часам службы поддержки он написан на \(duration) раньше.")
        let receivers = event.userID.isEmpty ? LocalizedText("nobody", "никого") : LocalizedText("user \(user)", "пользователя \(user)")
        return Step(
            .webhook, outcome: .ok,
            text: LocalizedText(
                "The help desk reported comment \(comment) for \(receivers), which was stored before the answer. It \(named).\(late)",
                "Служба поддержки сообщила о комментарии \(comment) для \(receivers), он сохранён до ответа. \(named).\(late)"),
            at: event.receivedAt, references: references)
    }
}
