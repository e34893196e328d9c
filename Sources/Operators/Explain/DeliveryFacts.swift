internal import Configuration
internal import Core
internal import Notifiers
internal import Time

/// What is known of one delivery.
struct DeliveryFacts {
    let delivery: Delivery
    /// Its attempts; empty where they were not asked for.
    let attempts: [DeliveryAttempt]
    /// Why it is not attempted although it is due; nil when it is not due, or has ended.
    let wait: String?
    /// As it is configured; nil when it is not any more.
    let notifier: Configuration.Notifier?

    init(_ delivery: Delivery, attempts: [DeliveryAttempt] = [], _ context: AdminContext) {
        self.init(
            delivery, attempts: attempts, wait: context.wait(of: delivery),
            notifier: context.state.configuration.notifier(delivery.notifier))
    }

    init(_ delivery: Delivery, attempts: [DeliveryAttempt], wait: String?, notifier: Configuration.Notifier?) {
        self.delivery = delivery
        self.attempts = attempts
        self.wait = wait
        self.notifier = notifier
    }

    /// Why it starts no attempt; nil when nothing holds it back.
    var hold: String? { wait == AdminContext.turn ? nil : wait }

    /// The meaning of its reason.
    private var meaning: ReasonMeaning { .of(delivery.reason, notifier) }

    /// Whether it is on its way, has arrived or has failed.
    var outcome: Explanation.Outcome {
        switch delivery.state {
        case .delivered: .ok
        case .noTarget, .dead: .problem
        case .pending: hold != nil || !delivery.reason.isEmpty ? .problem : .ok
        }
    }

    /// Where it stands, and why: one sentence or two.
    var sentence: String {
        let (count, notifier) = (Telling.count(delivery.attempts, "attempt"), delivery.notifier)
        switch delivery.state {
        case .delivered: return "\(notifier) delivered it after \(count): \(meaning.text).\(phone)"
        case .noTarget: return "\(notifier) sent nothing: \(meaning.text)."
        case .dead:
            let last = attempts.last.map {
                $0.reason == delivery.reason ? "" : "; the last attempt: \(ReasonMeaning.of($0.reason, self.notifier).text)"
            }
            return "\(notifier) gave it up after \(count): \(meaning.text) (\(delivery.reason))\(last ?? "")."
        case .pending:
            let failed = delivery.reason.isEmpty ? "" : " The last of \(count) failed: \(meaning.text) (\(delivery.reason))."
            if let hold { return "It waits for \(notifier): \(hold).\(failed)" }
            if delivery.attempts == 0 { return "It is due, and waits for its turn at \(notifier)." }
            return failed.isEmpty
                ? "\(notifier) is trying, or tries again at \(RFC3339.text(delivery.dueAt))."
                : "It has not arrived yet.\(failed) \(notifier) tries again at \(RFC3339.text(delivery.dueAt))."
        }
    }

    /// What a provider's acceptance does not say.
    private var phone: String {
        guard notifier?.type.isPush == true, delivery.event.kind == .commentCreated else { return "" }
        return " Whether the phone shows it is up to the phone: notifications of the app may be off there, or the phone without network."
    }

    /// What to do; nil when nothing need be done.
    var remedy: String? {
        guard outcome == .problem else { return nil }
        let reason = delivery.reason.isEmpty ? nil : meaning.remedy
        guard let hold else { return (delivery.state == .dead ? settled(reason) : reason).map(Telling.sentence) }
        return holdRemedy(hold)
    }

    /// A dead delivery may have ended for want of time: then the last attempt's reason says what to mend.
    private func settled(_ own: String?) -> String? {
        guard let last = attempts.last, last.reason != delivery.reason, !last.reason.isEmpty,
            let cause = ReasonMeaning.of(last.reason, notifier).remedy
        else { return own }
        return [cause, own].compactMap(\.self).joined(separator: "; then ")
    }

    private func holdRemedy(_ hold: String) -> String {
        if notifier == nil {
            return "Configure the notifier again, or give its deliveries up: "
                + "deskgate deliveries purge --state pending --notifier \(Telling.word(delivery.notifier))."
        }
        if hold == AdminContext.serviceIsDown { return "Start the service: deskgate serve." }
        if let reason = AdminContext.pauseReason(hold) {
            let remedy = ReasonMeaning.of(reason, notifier).remedy ?? "look at the log"
            return Telling.sentence(remedy) + " Then reload the configuration (SIGHUP), which tries again."
        }
        let reason = delivery.reason.isEmpty ? nil : meaning.remedy
        return "The notifier has failed several times in a row and is tried again by itself within minutes."
            + (reason.map { " " + Telling.sentence($0) } ?? " The log says why it fails.")
    }

    /// The identifiers to go on with.
    var references: [Explanation.Reference] {
        let identity = delivery.event.identity
        let texts: [(String, String?)] = [
            ("delivery_id", delivery.id.description), ("notifier", delivery.notifier), ("user_id", delivery.event.userID),
            ("comment_id", identity.commentID?.text), ("ticket_id", identity.ticketID?.text), ("device_id", delivery.deviceID),
        ]
        return texts.compactMap { name, text in text.map { Explanation.Reference(name: name, text: $0) } }
    }

    /// The step that tells of the whole delivery.
    var step: Explanation.Step {
        Explanation.Step(.delivery, outcome, "\(subject): \(sentence)", at: delivery.endedAt, remedy: remedy, references)
    }

    private var subject: String {
        let device = delivery.deviceID.map { ", device \($0)" } ?? ""
        guard let comment = delivery.event.identity.commentID else { return "Event \(delivery.event.kind.rawValue)\(device)" }
        return "Comment \(comment)\(device)"
    }

    /// A step for each attempt.
    var attemptSteps: [Explanation.Step] {
        attempts.map { attempt in
            let start = "Attempt \(attempt.number) of \(delivery.notifier)"
            if attempt.outcome == "interrupted" {
                return Explanation.Step(
                    .attempt, .note, "\(start) was interrupted, because Deskgate ended; it may have arrived.", at: attempt.startedAt)
            }
            guard attempt.endedAt != nil else {
                return Explanation.Step(.attempt, .note, "\(start) has begun; what came of it is not known yet.", at: attempt.startedAt)
            }
            let meaning = ReasonMeaning.of(attempt.reason, notifier)
            let isDone = attempt.outcome == Delivery.State.delivered.rawValue
            return Explanation.Step(
                .attempt, isDone ? .ok : .problem, "\(start): \(meaning.text) (\(attempt.reason)).", at: attempt.startedAt,
                remedy: isDone ? nil : meaning.remedy.map(Telling.sentence))
        }
    }
}

extension Configuration {
    /// The notifier of a name; nil when it is not configured.
    func notifier(_ name: String) -> Notifier? { notifiers.first { $0.name.utf8.elementsEqual(name.utf8) } }

    /// The app of an id; nil when it is not configured.
    func app(_ id: String) -> App? { apps.first { $0.id.utf8.elementsEqual(id.utf8) } }
}
