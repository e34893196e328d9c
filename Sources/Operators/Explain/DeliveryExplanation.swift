internal import Configuration
internal import Core
internal import Time

/// What is said of one delivery.
extension Explanation {
    /// Explains a delivery.
    init(_ facts: DeliveryFacts) {
        outcome = facts.outcome
        finding = facts.sentence
        steps = [Self.arrival(facts.delivery.event)] + facts.attemptSteps + [facts.step]
    }

    /// Explains why a delivery cannot be found.
    init(unknownDelivery keep: Configuration.Deliveries) {
        outcome = .problem
        finding = "No delivery with this id is stored."
        steps = [
            Step(
                .search, .problem, "\(finding) \(Self.retention(keep))",
                remedy: "Compare the id with deskgate deliveries list. Of a forgotten delivery the log still tells.")
        ]
    }

    /// How long deliveries are remembered.
    static func retention(_ keep: Configuration.Deliveries) -> String {
        "Delivered ones are forgotten after \(Telling.count(keep.keepDeliveredDays, "day")), others after "
            + "\(Telling.count(keep.keepDeadDays, "day")) (deliveries.keep_delivered_days, keep_dead_days)."
    }

    /// The step that tells of an event's arrival.
    static func arrival(_ event: Event) -> Step {
        let references = [
            Reference(name: "event_id", text: event.id.description), Reference(name: "user_id", text: event.userID),
        ]
        guard let comment = event.identity.commentID else {
            return Step(.event, .ok, "The event \(event.kind.rawValue) was stored.", at: event.receivedAt, references)
        }
        let device = event.identity.deviceID
        let named =
            device.isEmpty ? "names no device" : "names the device \(device)" + (event.deviceType.map { " of the type \($0)" } ?? "")
        let delay = event.receivedAt.elapsed(since: event.occurredAt) / 1000
        let late = delay < 60 ? "" : " By the help desk's clock it was written \(Telling.duration(seconds: delay)) before."
        return Step(
            .webhook, .ok,
            "The help desk told of comment \(comment) for user \(event.userID), which was stored before the answer. It \(named).\(late)",
            at: event.receivedAt, references)
    }
}

/// What is known of one comment.
struct CommentFacts {
    let comment: HelpDeskID
    /// How the app is configured.
    let app: Configuration.App
    /// How long deliveries are remembered.
    let keep: Configuration.Deliveries
    /// Who hears of the app's comments.
    let audience: CommentAudience
    /// The comment's deliveries, oldest first.
    let deliveries: [DeliveryFacts]
    /// When the comment came, if nothing else is left of it.
    let forgottenArrival: UnixMilliseconds?
    /// Whether there are more of them.
    let hasMore: Bool
    /// The devices that its person has registered now, as many as are shown.
    let devices: [Device]
}

extension Explanation {
    /// Explains what became of a comment.
    init(_ facts: CommentFacts) {
        self = facts.deliveries.isEmpty ? Self.unknown(facts) : Self.known(facts)
    }

    private static func known(_ facts: CommentFacts) -> Explanation {
        var steps: [Step] = []
        var last: UUIDv7?
        for delivery in facts.deliveries {
            // Each webhook of the comment is an event, whose deliveries stand together.
            if delivery.delivery.event.id != last { steps.append(arrival(delivery.delivery.event)) }
            last = delivery.delivery.event.id
            steps += delivery.attemptSteps + [delivery.step]
        }
        steps += facts.devices.map { $0.step(facts.audience) }
        if facts.hasMore {
            let app = Telling.word(facts.app.id)
            steps.append(
                Step(
                    .search, .note, "The comment has more deliveries.",
                    remedy: "For all of them: deskgate deliveries list --all --app \(app) --comment \(Telling.word(facts.comment.text))."))
        }
        let (outcome, finding) = finding(facts)
        return Explanation(outcome: outcome, finding: finding, steps: steps)
    }

    private static func finding(_ facts: CommentFacts) -> (Outcome, String) {
        let failed = facts.deliveries.filter { $0.outcome == .problem }
        guard let first = failed.first else {
            let phones = facts.deliveries.filter { $0.notifier?.type.isPush == true }
            if phones.isEmpty, facts.audience.hasPush {
                return (
                    .problem,
                    "Comment \(facts.comment) was handed on, and no phone was notified: its person had no device for a push notifier."
                )
            }
            let state = facts.deliveries.contains { $0.delivery.state == .pending } ? "is on its way" : "was delivered"
            return (
                .ok,
                "Comment \(facts.comment) \(state): \((phones.first ?? facts.deliveries[0]).sentence)"
            )
        }
        let rest = failed.count > 1 ? " (and \(Telling.count(failed.count - 1, "other")))" : ""
        return (.problem, "Comment \(facts.comment) has not arrived\(rest): \(first.sentence)")
    }

    /// The causes for which a comment is not known, the likely ones first, and those that are certain before them.
    private static func unknown(_ facts: CommentFacts) -> Explanation {
        let app = facts.app.id
        let takes = facts.app.webhook != nil
        let isTold = !facts.audience.isEmpty
        let finding =
            !takes
            ? "The app takes no webhooks, so no comment of it is known."
            : !isTold ? "No notifier is told of the app's comments, so none is kept." : "No delivery of comment \(facts.comment) is stored."
        if let arrival = facts.forgottenArrival { return forgotten(facts, arrival) }
        var steps: [Step] = []
        if !takes {
            steps.append(
                Step(
                    .webhook, .problem, "The app has no webhook in the configuration.",
                    remedy: "Configure apps[].webhook, reload (SIGHUP), and enter the address in the help desk's settings."))
        }
        if !isTold {
            steps.append(
                Step(
                    .notifier, .problem, "Neither apps[].notifiers nor apps[].routes names a notifier that is told of comments.",
                    remedy: "Name one, and reload (SIGHUP)."))
        }
        return Explanation(outcome: .problem, finding: finding, steps: steps + (takes ? causes(facts, app) : []))
    }

    /// What is left of a comment whose deliveries are gone.
    private static func forgotten(_ facts: CommentFacts, _ arrival: UnixMilliseconds) -> Explanation {
        let came = Step(.webhook, .ok, "The help desk told of comment \(facts.comment).", at: arrival)
        let gone = Step(
            .delivery, .note, "None of its deliveries is left: they were forgotten, or no notifier was told. \(retention(facts.keep))",
            remedy: "The log of that time may tell what became of them. Keep them for longer if such questions come late.")
        let finding = "Comment \(facts.comment) came at \(RFC3339.text(arrival)), and what became of its deliveries is forgotten."
        return Explanation(outcome: .note, finding: finding, steps: [came, gone])
    }

    private static func causes(_ facts: CommentFacts, _ app: String) -> [Step] {
        let series = "deskgate_webhook_events_total{app=\"\(app)\"}"
        let proof =
            facts.app.webhook.map { $0.signatureSecrets.isEmpty ? "path" : $0.secrets.isEmpty ? "signature" : "path and signature" } ?? ""
        return [
            Step(
                .webhook, .problem, "The webhook may never have come, or was refused: nothing is stored of such a one.",
                remedy:
                    "See whether \(series) grows when a comment is written. If it does not, check the address in the help desk's settings "
                    + "and that it reaches this machine. If result=\"denied\" grows, the secret of the \(proof) is another one; if "
                    + "result=\"unavailable\" grows, the store is full or away (deskgate status); the log has a line for each."),
            Step(
                .webhook, .note, "Comments that the person wrote are not sent back: they are counted as result=\"ignored\".",
                remedy: "Ask about a comment that support wrote."),
            Step(
                .search, .note,
                "It may have come long ago: that it came is known for \(Telling.count(Recognition.milliseconds / 86_400_000, "day"))."),
            Step(
                .search, .note, "The comment may belong to another app, or have another id: ids are compared as text, so 7 and 007 differ.",
                remedy: "Look for it: deskgate deliveries list --app \(Telling.word(app))."),
        ]
    }
}
