import Core
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration

@Suite struct DeliveryExplanationTests {
    private static let now = TestTime.now.milliseconds

    private static func event(user: String = "ann", occurredAt: UnixMilliseconds = now) -> Event {
        Event(
            id: UUIDv7(milliseconds: now, random: InlineArray(repeating: 1)).event, kind: .commentCreated,
            identity: Event.Identity(appID: "shop", ticketID: 17, commentID: 4711, deviceID: "phone"), userID: user, deviceType: "ios",
            occurredAt: occurredAt, receivedAt: now, expiresAt: now + 1000, data: Event.emptyData)
    }

    static func facts(
        _ state: Delivery.State, _ reason: String = "", attempts: [DeliveryAttempt] = [], hold: String? = nil, isConfigured: Bool = true,
        user: String = "ann", lastFailure: String = "", notifier: Configuration.Notifier? = nil
    ) -> DeliveryFacts {
        let event = event(user: user)
        let delivery = Delivery(
            id: event.id.delivery(0), notifier: "sink", event: event, deviceID: "phone", state: state, attempts: attempts.count, dueAt: now,
            endedAt: state == .pending ? nil : now, reason: reason)
        let notifier = notifier ?? Configuration.Notifier(name: "sink", kind: .log)
        return DeliveryFacts(delivery, attempts: attempts, hold: hold, notifier: isConfigured ? notifier : nil, lastFailure: lastFailure)
    }

    private static func attempt(_ number: Int, outcome: String, reason: String, ended: Bool = true) -> DeliveryAttempt {
        DeliveryAttempt(number: number, startedAt: now, endedAt: ended ? now : nil, outcome: outcome, reason: reason)
    }

    @Test func `a later read receipt replaces a silent push`() {
        let mark = ReadReceipt(AppUser(appID: "shop", userID: "ann"), conversation: 1, notifiers: [], receivedAt: Self.now)
        let event = Event(mark, ticketID: 1, id: Self.event(user: "ann").id, lifetimeMilliseconds: 1000)
        let delivery = Delivery(
            id: event.id.delivery(0), notifier: "sink", event: event, deviceID: "phone", state: .delivered, dueAt: Self.now,
            endedAt: Self.now, reason: "superseded_by_read")
        let facts = DeliveryFacts(delivery, attempts: [], hold: nil, notifier: nil)
        #expect(facts.sentence.english == "sink need not send it any more: a later reading replaced it.")
    }

    @Test func `a dead delivery has its cause before its end`() {
        let explanation = Explanation(
            Self.facts(
                .dead, "expired",
                attempts: [
                    Self.attempt(1, outcome: "retry", reason: "timeout"), Self.attempt(2, outcome: "expired", reason: "host_unknown"),
                ]))
        #expect(explanation.outcome == .problem)
        #expect(explanation.finding.english.contains("gave it up after 2 attempts: there was no time left for another attempt"))
        #expect(explanation.finding.english.hasSuffix("the last attempt: the receiver's host name could not be resolved."))
        #expect(
            explanation.remedy?.english.hasPrefix("Check \"url\" and this machine's DNS; then retry it: deskgate deliveries retry") == true)
        #expect(explanation.steps.map(\.subject) == [.webhook, .attempt, .attempt, .delivery])
        #expect(
            explanation.steps.last?.references.map(\.name) == [
                "delivery_id", "notifier", "user_id", "comment_id", "ticket_id", "device_id",
            ])
    }

    @Test(
        arguments: [
            ("status_503", "Check its latest attempts (deskgate deliveries list --notifier sink), and repair its receiver"),
            ("status_500", "Look at the receiver's log"),
        ])
    func `an ended delivery promises no further attempt`(_ reason: String, _ cause: String) {
        let facts = Self.facts(
            .dead, "expired",
            attempts: [Self.attempt(1, outcome: "retry", reason: reason), Self.attempt(2, outcome: "expired", reason: reason)])
        let remedy = facts.remedy?.english ?? ""
        #expect(remedy.hasPrefix("\(cause); then retry it: deskgate deliveries retry \(facts.delivery.id);"), "\(remedy)")
        #expect(facts.remedy?.isTranslated == true)
        #expect(facts.attemptSteps.map { $0.remedy?.english } == ["\(cause).", "\(cause)."])
        let delivered = Self.facts(.delivered, "logged", attempts: [Self.attempt(1, outcome: "retry", reason: "status_503")])
        #expect(delivered.attemptSteps.map(\.remedy) == [nil])
    }

    /// The delivery has waited already, so waiting is no remedy.
    @Test(
        arguments: [
            (false, "status_503", "Check its latest attempts (deskgate deliveries list --notifier sink), and repair its receiver."),
            (false, "status_500", "Look at the receiver's log; Deskgate tries again."),
            (true, "status_429", "Have the provider raise your quota of pushes."),
            (true, "device_delayed", "No repair is needed: the provider limits the pushes to one device."),
        ])
    func `a delivery whose attempts fail has the remedy of the status`(_ isPush: Bool, reason: String, remedy: String) throws {
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("secrets/rustore", "a-token-of-the-provider\n")
        let sink = isPush ? #"{"type":"rustore","project_id":"p","token":{"file":"secrets/rustore"}}"# : #"{"type":"log"}"#
        let configuration = try directory.configuration("{\(ConfigurationDirectory.apps),\"notifiers\":{\"sink\":\(sink)}}")
        let tried = Self.facts(
            .pending, reason, attempts: [Self.attempt(1, outcome: "retry", reason: reason)], notifier: configuration.notifier("sink"))
        #expect(tried.remedy?.english == remedy)
        #expect(tried.remedy?.isTranslated == true)
        #expect(tried.attemptSteps.map { $0.remedy?.english } == [remedy])
    }

    @Test func `a held delivery has a remedy`() {
        let paused = Self.facts(
            .pending, "status_410", attempts: [Self.attempt(1, outcome: "retry", reason: "status_410")],
            hold: "notifier paused (status_410)")
        #expect(paused.sentence.english.hasPrefix("It waits for sink: notifier paused (status_410)."))
        // The remedy includes the reload.
        #expect(paused.remedy?.english.hasSuffix("; ask its operator, then run deskgate reload.") == true)
        let refused = Self.facts(.pending, "status_404", hold: "notifier paused (status_404)")
        #expect(refused.remedy?.english.hasSuffix("Then run deskgate reload, which tries again.") == true)
        let failing = Self.facts(.pending, hold: "notifier failing")
        #expect(failing.outcome == .problem)
        #expect(failing.remedy?.english.contains("retried automatically within minutes") == true)
        let stopped = Self.facts(.pending, hold: AdminContext.serviceIsDown)
        #expect(stopped.remedy == Problem.serviceDown("deskgate serve").remedy)
        let elsewhere = Self.facts(.pending, hold: AdminContext.serviceIsElsewhere)
        #expect(elsewhere.sentence.english == "It waits for sink: no service on this host.")
        #expect(elsewhere.sentence.isTranslated)
        #expect(elsewhere.outcome == .note)
        #expect(elsewhere.remedy == Problem.serviceElsewhere("deskgate serve").remedy)
        #expect(Self.facts(.pending, "status_500", hold: AdminContext.serviceIsElsewhere).outcome == .problem)
        let stranger = Self.facts(.pending, hold: "notifier not configured", isConfigured: false)
        #expect(stranger.remedy?.english.contains("--state pending --notifier sink") == true)
    }

    /// The newest delivery waits for a notifier that has failed for other deliveries.
    @Test(
        arguments: [
            ("notifier failing", "It waits for sink: notifier failing.", Explanation.Outcome.problem),
            (nil, "It waits for its turn at sink.", .note),
        ] as [(String?, String, Explanation.Outcome)])
    func `a delivery without attempts has the reason of its notifier's failure`(
        _ hold: String?, start: String, outcome: Explanation.Outcome
    ) {
        let facts = Self.facts(.pending, hold: hold, lastFailure: "cannot_connect")
        let cause = "The last attempt of sink failed: no connection to the receiver could be made (cannot_connect)."
        #expect(facts.outcome == outcome)
        #expect(facts.sentence.english == "\(start) \(cause)")
        #expect(facts.sentence.isTranslated)
        #expect(facts.remedy?.english.contains("heck \"url\", the network and the firewall") == true)
        #expect(facts.remedy?.english.contains("log says why") == false)
        #expect(facts.remedy?.isTranslated == true)
    }

    /// The pause has its own reason.
    @Test func `a pause names no other failure`() {
        let paused = Self.facts(.pending, hold: "notifier paused (status_410)", lastFailure: "status_410")
        #expect(paused.sentence.english == "It waits for sink: notifier paused (status_410).")
    }

    @Test func `a waiting delivery has the queue's length and its expiry`() throws {
        var facts = Self.facts(.pending)
        facts.queue.count = 57
        #expect(facts.sentence.english == "It waits for its turn at sink, where 57 deliveries wait.")
        #expect(facts.sentence.isTranslated)
        #expect(facts.outcome == .ok)
        facts.nextAttemptAt = Self.now + 60_000
        #expect(facts.sentence.english.hasSuffix(" sink starts no attempt before 2026-03-10T08:16:12.000Z."))
        #expect(facts.sentence.isTranslated)
        facts.nextAttemptAt = Self.now
        #expect(facts.sentence.english.hasSuffix("57 deliveries wait."), "it is not due before that")
        var held = Self.facts(.pending, hold: "notifier failing")
        held.nextAttemptAt = Self.now + 60_000
        #expect(held.sentence.english.hasSuffix("notifier failing. sink starts no attempt before 2026-03-10T08:16:12.000Z."))
    }

    @Test func `a delivery in a late queue has the remedy of the queue`() throws {
        let late = Problem(
            .queueLate, as: .warning, LocalizedText("sink is late.", "sink опаздывает."), remedy: LocalizedText("Hurry.", "Быстрее."))
        var facts = Self.facts(.pending)
        facts.queue = (count: 57, late: late)
        #expect(facts.outcome == .note)
        #expect(facts.remedy == late.remedy)
    }

    @Test func `a running attempt is no problem`() {
        let facts = Self.facts(.pending)
        #expect(facts.outcome == .ok)
        #expect(facts.remedy == nil)
        let retried = Self.facts(.pending, "status_500", attempts: [Self.attempt(1, outcome: "retry", reason: "status_500")])
        #expect(retried.outcome == .problem)
        #expect(retried.sentence.english.hasPrefix("sink tries again at 2026-03-10T08:15:12.000Z. The last of"))
        #expect(retried.remedy?.english == "Look at the receiver's log; Deskgate tries again.")
    }

    @Test func `attempts are listed as they ended`() {
        let steps = Self.facts(
            .delivered, "logged",
            attempts: [
                Self.attempt(1, outcome: "interrupted", reason: ""), Self.attempt(2, outcome: "", reason: "", ended: false),
                Self.attempt(3, outcome: "retry", reason: "new_reason"),
                Self.attempt(4, outcome: "delivered", reason: "logged"),
            ]
        ).attemptSteps
        #expect(steps.map(\.outcome) == [.note, .note, .problem, .ok])
        #expect(steps[0].text.english.contains("interrupted") && steps[1].text.english.contains("not known yet"))
        #expect(steps[2].text.english == "Attempt 3 of sink: the reason is new_reason (new_reason)." && steps[3].remedy == nil)
    }

    @Test(arguments: [
        "purged", "stopped", "claim_lost", "no_key", "no_target", "too_many_deliveries", "queue_full", "notifier_queue_full",
        "attempts_spent",
    ])
    func `final reasons have remedies`(reason: String) {
        let facts = Self.facts(reason == "no_target" ? .noTarget : .dead, reason)
        #expect(facts.outcome == .problem)
        #expect(facts.remedy?.english.hasSuffix(".") == true)
        #expect(!facts.sentence.english.contains("the reason is"))
    }

    @Test func `the remedy of a delivery without a device does not name the command that explains it`() {
        let remedy = Self.facts(.noTarget, "no_target").remedy
        #expect(remedy?.english.hasPrefix("Have the person open the app, which registers its push token") == true)
        #expect(remedy?.english.contains("deskgate explain") == false)
        #expect(remedy?.isTranslated == true)
    }

    @Test func `a late webhook is reported as late`() {
        #expect(Explanation.incoming(Self.event(occurredAt: Self.now - 7_200_000)).text.english.hasSuffix("it was written 2 hours before."))
        #expect(!Explanation.incoming(Self.event()).text.english.contains("before."))
    }

    private static func comment(
        _ app: String, _ deliveries: [DeliveryFacts] = [], forgotten: UnixMilliseconds? = nil, notifiers: String = "",
        devices: [Device] = [], stopping: [Problem] = []
    ) throws -> CommentFacts {
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("secrets/path", "a-path-secret-of-the-app\n")
        try directory.scratch.write("secrets/rustore", "a-token-of-the-provider\n")
        try directory.scratch.write("secrets/crm", TestSecret.signing(41))
        for (number, name) in ["chat", "desk"].enumerated() { try directory.scratch.write("secrets/\(name)", TestSecret.text(31 + number)) }
        let configuration = try directory.configuration(
            #"{"apps":[{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}]\#(app)}],"#
                + #""notifiers":{"sink":{"type":"log"}\#(notifiers)}}"#
        )
        return CommentFacts(
            comment: 4711, app: try #require(configuration.app("shop")), keep: configuration.deliveries,
            now: Self.now, audience: CommentAudience(of: "shop", configuration), stopping: stopping, deliveries: deliveries,
            forgottenIncoming: forgotten,
            hasMore: false, devices: devices)
    }

    private static let webhook = #","webhook":{"secret":{"file":"secrets/path"}}"#
    private static let sendbird =
        #","help_desk":"sendbird","sendbird":{"chat_token":{"file":"secrets/chat"},"desk_token":{"file":"secrets/desk"}}"#

    @Test func `an unknown comment has its likely causes`() throws {
        let unknown = Explanation(try Self.comment(Self.webhook + #","notifiers":["sink"]"#))
        #expect(unknown.outcome == .problem)
        #expect(unknown.finding.english == "No delivery of comment 4711 is stored.")
        #expect(unknown.steps.map(\.subject) == [.webhook, .webhook, .search, .search])
        #expect(unknown.remedy?.english.contains(#"deskgate_webhook_events_total{app="shop"}"#) == true)
        #expect(unknown.remedy?.english.contains(#"see whether deskgate_webhook_refusals_total does, also that of app="""#) == true)
        #expect(unknown.steps[0].remedy?.isTranslated == true)
        let unreported = Explanation(try Self.comment(Self.webhook + #","notifiers":[]"#))
        #expect(unreported.finding.english.hasPrefix("No notifier gets"))
        #expect(unreported.steps.first?.subject == .notifier)
        let without = Explanation(try Self.comment(#","notifiers":["sink"]"#))
        #expect(without.finding.english.hasPrefix("The app takes no webhooks"))
        #expect(without.steps.map(\.subject) == [.webhook])
    }

    @Test(arguments: Problem.Severity.allCases) func `a problem that keeps out comments comes first for an unknown comment`(
        _ severity: Problem.Severity
    ) throws {
        let refused = Problem(
            .webhooksRefused, as: severity, LocalizedText("Webhooks are refused.", "Вебхуки отклоняются."),
            remedy: LocalizedText("Mend it.", "Исправьте."))
        let explanation = Explanation(try Self.comment(Self.webhook + #","notifiers":["sink"]"#, stopping: [refused]))
        #expect(explanation.outcome == .problem)
        #expect(explanation.finding.english == "No delivery of comment 4711 is stored. Webhooks are refused.")
        #expect(explanation.remedy == refused.remedy)
        #expect(explanation.steps.first?.text == refused.text)
    }

    /// Its webhook would have been answered 200 and partly stored.
    @Test func `one full queue of several does not cause an unknown comment`() throws {
        let full = Problem(
            .queueFull, as: .warning, LocalizedText("It is full.", "Очередь полна."), remedy: LocalizedText("Mend it.", "Исправьте."))
        let explanation = Explanation(try Self.comment(Self.webhook + #","notifiers":["sink"]"#, stopping: [full]))
        #expect(explanation.finding.english == "No delivery of comment 4711 is stored.")
        #expect(explanation.remedy != full.remedy)
        #expect(explanation.steps.last?.text == full.text)
        #expect(explanation.steps.last?.outcome == .note)
    }

    @Test func `a comment whose data was purged is reported as received`() throws {
        let arrival = UnixMilliseconds(rawValue: Self.now.rawValue - 86_400_000 * 30)
        let explanation = Explanation(try Self.comment(Self.webhook + #","notifiers":["sink"]"#, forgotten: arrival))
        #expect(explanation.outcome == .note)
        #expect(explanation.steps.map(\.subject) == [.webhook, .delivery])
        #expect(explanation.finding.english.hasPrefix("Comment 4711 came at 2026-02-08T08:15:12.000Z"))
        #expect(explanation.steps[1].text.english.contains("(deliveries.keep_delivered_days, keep_dead_days)"))
    }

    /// No notifier was configured when it was received.
    @Test func `a recent comment is not reported as purged`() throws {
        let explanation = Explanation(try Self.comment(Self.webhook + #","notifiers":["sink"]"#, forgotten: Self.now))
        #expect(explanation.outcome == .problem)
        #expect(explanation.finding.english == "Comment 4711 came at 2026-03-10T08:15:12.000Z, and is not delivered.")
        #expect(explanation.finding.isTranslated)
        #expect(explanation.remedy?.english.hasPrefix("Deskgate does not deliver it again.") == true)
        #expect(explanation.remedy?.isTranslated == true)
        #expect(explanation.steps.allSatisfy { $0.text.isTranslated })
    }

    @Test func `a comment without notifiers is not reported as purged`() throws {
        let explanation = Explanation(try Self.comment(Self.webhook + #","notifiers":[]"#, forgotten: Self.now))
        let finding = "Comment 4711 came at 2026-03-10T08:15:12.000Z, and no notifier gets the app's comments."
        #expect(explanation.outcome == .problem)
        #expect(explanation.finding.english == finding)
        #expect(explanation.finding.isTranslated)
        #expect(explanation.steps.map(\.subject) == [.webhook, .notifier])
        #expect(explanation.remedy?.english.hasPrefix("Name one, and ") == true)
    }

    @Test func `a comment has the worst state of its deliveries`() throws {
        let app = Self.webhook + #","notifiers":["sink"]"#
        let good = Explanation(try Self.comment(app, [Self.facts(.delivered, "status_200")]))
        #expect(good.outcome == .ok)
        #expect(good.finding.english.hasPrefix("Comment 4711 was delivered: sink delivered it"))
        let mixed = Explanation(try Self.comment(app, [Self.facts(.delivered, "logged"), Self.facts(.dead, "timeout")]))
        #expect(mixed.outcome == .problem)
        #expect(mixed.finding.english.hasPrefix("Comment 4711 has not arrived: sink gave it up"))
        // The two deliveries are for one webhook.
        #expect(mixed.steps.map(\.subject) == [.webhook, .delivery, .delivery])
    }

    @Test func `a comment that was only logged is not reported as delivered`() throws {
        let app = Self.webhook + #","notifiers":["sink"]"#
        let logged = Explanation(try Self.comment(app, [Self.facts(.delivered, "logged")]))
        let sentence = "Comment 4711 was logged, and no one was notified: sink wrote it to the log, which notifies no one."
        #expect(logged.finding.english == sentence)
        #expect(logged.finding.isTranslated)
        let both = Explanation(try Self.comment(app, [Self.facts(.delivered, "logged"), Self.facts(.delivered, "status_200")]))
        #expect(both.finding.english.hasPrefix("Comment 4711 was delivered: sink delivered it"))
    }

    @Test func `the delivery of a comment is unknown without a service on this host`() throws {
        let app = Self.webhook + #","notifiers":["sink"]"#
        let due = Self.facts(.pending, hold: AdminContext.serviceIsElsewhere)
        let pending = Explanation(try Self.comment(app, [Self.facts(.delivered, "logged"), due]))
        #expect(pending.outcome == .note)
        #expect(pending.finding.english == "Comment 4711 is on its way: It waits for sink: no service on this host.")
        #expect(pending.remedy == Problem.serviceElsewhere("deskgate serve").remedy)
        let failed = Explanation(try Self.comment(app, [due, Self.facts(.dead, "timeout")]))
        #expect(failed.outcome == .problem)
        let held = Explanation(try Self.comment(app, [Self.held(.pending, hold: AdminContext.serviceIsElsewhere)]))
        #expect(held.outcome == .note)
        #expect(held.remedy == Problem.serviceElsewhere("deskgate serve").remedy)
        let alone = Explanation(due)
        #expect(alone.outcome == .note)
        #expect(alone.remedy == Problem.serviceElsewhere("deskgate serve").remedy)
    }

    @Test func `a device without a notifier is a problem`() throws {
        let facts = try Self.comment(#","notifiers":["sink"]"#)
        let device = Device(
            key: Device.Key(appID: "shop", userID: "ann", deviceID: "tv"), type: "tv", token: try PushToken("t"), registeredAt: Self.now,
            seenAt: Self.now)
        let step = device.step(facts.audience)
        #expect(step.outcome == .problem)
        #expect(step.remedy?.english.contains("apps[].routes") == true)
        #expect(step.references.map(\.text) == ["tv", "ann"])
        #expect(!step.text.english.contains("Optional"))
    }

    /// A delivery of a held message.
    private static func held(_ state: Delivery.State, _ reason: String = "", attempts: Int = 0, hold: String? = nil) -> DeliveryFacts {
        let event = Event(
            id: UUIDv7(milliseconds: now, random: InlineArray(repeating: 2)).event, kind: .messageHeld,
            identity: Event.Identity(appID: "shop", ticketID: 17, commentID: 4711, deviceID: "held"), userID: "", occurredAt: now,
            receivedAt: now, expiresAt: now + 1000, data: Event.emptyData)
        let delivery = Delivery(
            id: event.id.delivery(0), notifier: HeldMessage.notifier, event: event, deviceID: "held", state: state, attempts: attempts,
            dueAt: now, endedAt: state == .pending ? nil : now, reason: reason)
        return DeliveryFacts(delivery, attempts: [], hold: hold, notifier: nil)
    }

    private static let heldCases: [(facts: DeliveryFacts, outcome: Explanation.Outcome, says: String)] = [
        (held(.pending), .problem, "Deskgate asks again at 2026-03-10T08:15:12.000Z."),
        (held(.pending, "status_429", attempts: 3), .problem, "The last of 3 attempts failed:"),
        (held(.pending, "timeout", attempts: 1, hold: AdminContext.serviceIsDown), .problem, "It waits: service not running."),
        (held(.dead, "expired", attempts: 9), .problem, "It was not delivered, because the help desk has not named its user:"),
        (held(.delivered, "owner_found", attempts: 2), .ok, "the help desk has named its user."),
        (held(.delivered, "no_customer", attempts: 2), .ok, "so no phone got it."),
        (held(.delivered, "duplicate", attempts: 2), .ok, "it was delivered before."),
        (held(.delivered, "ignored", attempts: 2), .ok, "such a message is not delivered"),
        (held(.delivered, "unknown_ticket", attempts: 9), .ok, "the help desk knows no ticket of its conversation."),
        (held(.pending, "unknown_ticket", attempts: 1), .problem, "the help desk knows no ticket of its conversation (unknown_ticket)."),
    ]

    @Test(arguments: heldCases.indices) func `a held message has the reason for its delay`(_ index: Int) throws {
        let (facts, outcome, says) = Self.heldCases[index]
        let explanation = Explanation(try Self.comment(#","notifiers":["sink"]"#, [facts]))
        #expect(explanation.outcome == outcome)
        #expect(explanation.finding.english.contains(says), "\(explanation.finding.english)")
        #expect(explanation.finding.isTranslated)
        #expect(!explanation.finding.english.contains("had no device"))
        #expect(!explanation.finding.english.hasPrefix("Comment 4711 was delivered"))
        #expect(explanation.steps.map(\.subject) == [.webhook, .delivery])
        #expect(explanation.steps[0].text.english.contains("without its user"))
        #expect((explanation.steps[1].remedy != nil) == (facts.outcome == .problem))
    }

    @Test func `a message that was held is as good as its deliveries`() throws {
        let found = Self.held(.delivered, "owner_found", attempts: 2)
        let good = Explanation(try Self.comment(#","notifiers":["sink"]"#, [found, Self.facts(.delivered, "status_200")]))
        #expect(good.finding.english.hasPrefix("Comment 4711 was delivered: sink delivered it"))
        let bad = Explanation(try Self.comment(#","notifiers":["sink"]"#, [found, Self.facts(.dead, "timeout")]))
        #expect(bad.finding.english.hasPrefix("Comment 4711 has not arrived: sink gave it up"))
    }

    /// Comments of which a notifier was told that needs no device, and no push notifier.
    private static let unpushed: [(name: String, deliveries: [DeliveryFacts], isOfNobody: Bool)] = [
        ("of nobody", [facts(.delivered, "logged", user: "")], true),
        ("of nobody, on its way", [facts(.pending, user: "")], true),
        ("of nobody after it was held", [held(.delivered, "no_customer", attempts: 2), facts(.delivered, "logged", user: "")], true),
        ("of a person", [facts(.delivered, "logged")], false),
        ("of a person after it was held", [held(.delivered, "owner_found", attempts: 2), facts(.delivered, "logged")], false),
        ("of a person who was unknown at first", [facts(.delivered, "logged", user: ""), facts(.delivered, "logged")], false),
    ]

    @Test(arguments: unpushed.indices) func `a comment that no phone was notified of says why`(_ index: Int) throws {
        let (name, deliveries, isOfNobody) = Self.unpushed[index]
        let explanation = Explanation(
            try Self.comment(
                Self.sendbird + #","notifiers":["sink"],"routes":{"default":"phones"}"#, deliveries,
                notifiers: #","phones":{"type":"rustore","project_id":"p","token":{"file":"secrets/rustore"}}"#))
        let cause = isOfNobody ? "its user was unknown" : "its person had no device for a push notifier"
        #expect(explanation.outcome == .problem, "\(name)")
        #expect(explanation.finding.english == "Comment 4711 was handed on, and no phone was notified: \(cause).", "\(name)")
        #expect(explanation.finding.isTranslated, "\(name)")
        guard isOfNobody else {
            #expect(explanation.remedy?.english == "Have the person open the app, which registers its push token.", "\(name)")
            return
        }
        #expect(explanation.steps.contains { $0.text.english.hasPrefix("Its user was unknown") }, "\(name)")
        #expect(explanation.remedy?.english.hasPrefix("See that the help desk's webhooks about tickets arrive too") == true, "\(name)")
    }

    @Test func `a comment without a user says that it was anonymous`() throws {
        let explanation = Explanation(
            try Self.comment(
                Self.webhook + #","anonymous":"accept","notifiers":["sink"],"routes":{"default":"phones"}"#,
                [Self.facts(.delivered, "logged", user: "")],
                notifiers: #","phones":{"type":"rustore","project_id":"p","token":{"file":"secrets/rustore"}}"#))
        let cause = "it was anonymous, or its person is forgotten"
        #expect(explanation.finding.english == "Comment 4711 was handed on, and no phone was notified: \(cause).")
        #expect(explanation.finding.isTranslated)
        #expect(explanation.steps.contains { $0.outcome == .note && $0.text.english.hasPrefix("It names no user, so no phone got it") })
        #expect(explanation.remedy?.english.contains("external authorization") == true)
        #expect(explanation.remedy?.isTranslated == true)
    }

    @Test func `an anonymous comment is well where nobody expects a push`() throws {
        let facts = Self.facts(.delivered, "status_200", user: "")
        let explanation = Explanation(try Self.comment(Self.webhook + #","anonymous":"accept","notifiers":["sink"]"#, [facts]))
        #expect(explanation.outcome == .ok)
        #expect(explanation.steps.contains { $0.text.english.contains("anonymous mode") })
    }

    @Test func `a comment from before the person registered is not reported again`() throws {
        let device = Device(
            key: Device.Key(appID: "shop", userID: "ann", deviceID: "phone"), type: "ios", token: try PushToken("t"),
            registeredAt: Self.now, seenAt: Self.now)
        let explanation = Explanation(
            try Self.comment(
                Self.webhook + #","notifiers":["sink"],"routes":{"ios":"phones"}"#, [Self.facts(.delivered, "logged")],
                notifiers: #","phones":{"type":"rustore","project_id":"p","token":{"file":"secrets/rustore"}}"#, devices: [device]))
        #expect(explanation.finding.english.hasSuffix("its person had no device for a push notifier."))
        #expect(explanation.remedy?.english.hasPrefix("No repair is needed") == true)
        #expect(explanation.remedy?.isTranslated == true)
    }

    @Test(arguments: [(true, "The device is registered again; retry it: "), (false, "Have the person open the app")])
    func `a delivery that found no device is retried once the device is back`(_ isBack: Bool, _ remedy: String) throws {
        let event = Self.event()
        let device = Device(
            key: Device.Key(appID: "shop", userID: "ann", deviceID: "phone"), type: "ios", token: try PushToken("t"),
            registeredAt: Self.now, seenAt: Self.now)
        let delivery = Delivery(
            id: event.id.delivery(0), notifier: "sink", event: event, deviceID: "phone", device: isBack ? device : nil, state: .dead,
            attempts: 1, dueAt: Self.now, endedAt: Self.now, reason: "no_device")
        let facts = DeliveryFacts(delivery, attempts: [], hold: nil, notifier: nil)
        #expect(facts.remedy?.english.hasPrefix(remedy) == true, "\(facts.remedy?.english ?? "")")
        #expect(facts.remedy?.english.contains("deskgate deliveries retry \(delivery.id)") == isBack)
        #expect(facts.remedy?.isTranslated == true)
    }

    @Test func `a delivery of an event without a device names none`() {
        let event = Event(
            id: UUIDv7(milliseconds: Self.now, random: InlineArray(repeating: 1)).event, kind: .ticketClosed,
            identity: Event.Identity(appID: "shop", ticketID: 17, commentID: nil, deviceID: ""), userID: "ann", deviceType: nil,
            occurredAt: Self.now, receivedAt: Self.now, expiresAt: Self.now + 1000, data: Event.emptyData)
        let delivery = Delivery(
            id: event.id.delivery(0), notifier: "sink", event: event, deviceID: "", state: .delivered, attempts: 1, dueAt: Self.now,
            endedAt: Self.now)
        let step = DeliveryFacts(delivery, attempts: [], hold: nil, notifier: nil).step
        #expect(step.text.english.hasPrefix("Event ticket.closed: "))
        #expect(step.text.russian.hasPrefix("Событие ticket.closed: "))
        #expect(!step.references.contains { $0.name == "device_id" })
    }

    /// The other device of the person, which a push notifier serves, is not the one that the comment is for.
    @Test func `a comment for a device that no notifier serves says so beside others that are served`() throws {
        func device(_ id: String, _ type: String) throws -> Device {
            Device(
                key: Device.Key(appID: "shop", userID: "ann", deviceID: id), type: type, token: try PushToken(id), registeredAt: Self.now,
                seenAt: Self.now)
        }
        let explanation = Explanation(
            try Self.comment(
                Self.webhook + #","notifiers":["sink"],"routes":{"android":"phones"}"#, [Self.facts(.delivered, "logged")],
                notifiers: #","phones":{"type":"rustore","project_id":"p","token":{"file":"secrets/rustore"}}"#,
                devices: [try device("tablet", "android"), try device("phone", "ios")]))
        let cause = "it is for the device phone of the type ios, which no push notifier serves."
        #expect(explanation.finding.english.hasSuffix("no phone was notified: \(cause)"), "\(explanation.finding.english)")
        #expect(explanation.finding.isTranslated)
        #expect(explanation.remedy?.english == "Lead the type to a notifier in apps[].routes, and run deskgate reload.")
    }

    @Test func `a device that is served is not notified while comments are kept out`() throws {
        let device = Device(
            key: Device.Key(appID: "shop", userID: "ann", deviceID: "phone"), type: "ios", token: try PushToken("t"),
            registeredAt: Self.now, seenAt: Self.now)
        let refused = Problem(
            .webhooksRefused, LocalizedText("Webhooks are refused.", "Вебхуки отклоняются."),
            remedy: LocalizedText("Mend it.", "Исправьте."))
        let comment = try Self.comment(
            Self.webhook + #","notifiers":[],"routes":{"ios":"phones"}"#,
            notifiers: #","phones":{"type":"rustore","project_id":"p","token":{"file":"secrets/rustore"}}"#)
        let configuration = try ConfigurationDirectory().configuration("{\(ConfigurationDirectory.apps),\"log\":{}}")
        let explanation = Explanation(
            DeviceFacts(
                deviceID: "phone", userID: "ann", app: comment.app, audience: comment.audience, stopping: [refused],
                registration: configuration.pushTokens, devices: [device], isCut: false, deliveries: [], search: nil, now: 0))
        #expect(explanation.outcome == .problem)
        #expect(explanation.finding.english == "The device is registered. But: Webhooks are refused.")
        #expect(explanation.finding.isTranslated)
        #expect(explanation.remedy == refused.remedy)
    }

    @Test func `a type that only a backend is notified of is led to no push notifier`() throws {
        let device = Device(
            key: Device.Key(appID: "shop", userID: "ann", deviceID: "h1"), type: "huawei", token: try PushToken("t"),
            registeredAt: Self.now, seenAt: Self.now)
        let comment = try Self.comment(
            Self.webhook + #","notifiers":["sink","crm"],"routes":{"android":"phones"}"#, [Self.facts(.delivered, "logged")],
            notifiers: #","phones":{"type":"rustore","project_id":"p","token":{"file":"secrets/rustore"}}"#
                + #","crm":{"type":"http","url":"https://crm.test/","secret":{"file":"secrets/crm"}}"#, devices: [device])
        let remedy = "If crm does not notify it, lead the type to a push notifier in apps[].routes, and run deskgate reload."
        let explanation = Explanation(comment)
        #expect(explanation.finding.english.hasSuffix("no phone was notified: no push notifier serves its person's devices."))
        #expect(explanation.finding.isTranslated)
        #expect(explanation.remedy?.english == remedy)
        let configuration = try ConfigurationDirectory().configuration("{\(ConfigurationDirectory.apps),\"log\":{}}")
        let facts = DeviceFacts(
            deviceID: "h1", userID: "ann", app: comment.app, audience: comment.audience, stopping: [],
            registration: configuration.pushTokens, devices: [device], isCut: false, deliveries: [Self.facts(.delivered, "logged")],
            search: nil, now: 0)
        let reported = Explanation(facts)
        #expect(reported.outcome == .ok)
        #expect(reported.finding.english.hasPrefix("The device is registered, and no push notifier serves its type. The latest: "))
        #expect(reported.steps.contains { $0.remedy?.english == remedy })
        let due = DeviceFacts(
            deviceID: "h1", userID: "ann", app: comment.app, audience: comment.audience, stopping: [],
            registration: configuration.pushTokens, devices: [device], isCut: false,
            deliveries: [Self.facts(.pending, hold: AdminContext.serviceIsElsewhere)], search: nil, now: 0)
        #expect(Explanation(due).outcome == .note)
        #expect(Explanation(due).remedy == Problem.serviceElsewhere("deskgate serve").remedy)
    }
}
