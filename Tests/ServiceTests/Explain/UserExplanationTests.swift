import Core
import Storage
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration

@Suite struct UserExplanationTests {
    private static let now = TestTime.now.milliseconds

    private static func explanation(
        deviceType: String? = nil, _ deliveries: [DeliveryFacts] = [], revocations: [Revocation] = [], closing: [Problem] = [],
        stopping: [Problem] = [], authorizations: AuthorizationFacts = .unknown, backend: BackendStatus? = nil,
        _ rule: UndecidedPolicy = .error, store: MemoryStore = MemoryStore()
    ) throws -> Explanation {
        let secret = "whsec_" + String(repeating: "QUJD", count: 8)
        let sink = #""allow_insecure_secrets":true,"notifiers":{"sink":{"type":"http","url":"https://sink.test/","secret":"\#(secret)"}}"#
        let key = #""keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}]"#
        let apps = #""apps":[{"app_id":"shop","notifiers":[],"routes":{"ios":"sink"},\#(key)}]"#
        let configuration = try ConfigurationDirectory().configuration(#"{\#(apps),\#(sink),"log":{}}"#)
        let app = try #require(configuration.app("shop"))
        let devices = try deviceType.map { type in
            Device(
                key: Device.Key(appID: "shop", userID: "ann", deviceID: "phone"), type: type, token: try PushToken("t"), registeredAt: now,
                seenAt: now)
        }
        var person = KeyFacts(appID: "shop", userID: "ann", now: TestTime.now)
        person.revocations.named = revocations
        (person.backendStatus, person.whenUndecided) = (backend, rule)
        (person.closing, person.authorizations) = (ChatClosure(closing), authorizations)
        person.isWithoutDevice = deviceType == nil
        return Explanation(
            UserFacts(
                key: person, app: app,
                audience: CommentAudience(of: "shop", configuration),
                stopping: stopping, session: nil, devices: [devices].compactMap(\.self), hasMoreDevices: false,
                registration: configuration.pushTokens, limitUses: [], deliveries: deliveries, search: nil,
                botCalls: try BotCallFacts(store, of: AppUser(appID: "shop", userID: "ann"))))
    }

    @Test func `the remedy belongs to the step of the finding`() throws {
        let block = Revocation.sample(1, appID: "shop", .user("ann"))
        let closing = Problem(
            .callersRefused, LocalizedText("Nobody is let in.", "Никого не пускают."), remedy: LocalizedText("Mend it.", "Исправьте."))
        let blocked = try Self.explanation(deviceType: "tv", revocations: [block], closing: [closing])
        #expect(blocked.finding.english.hasPrefix("This user is denied with any key: blocked"))
        #expect(blocked.remedy == block.remedy(at: 0))
        let closed = try Self.explanation(deviceType: "tv", closing: [closing])
        #expect(closed.finding == closing.text)
        #expect(closed.remedy == closing.remedy)
        let unserved = try Self.explanation(deviceType: "tv")
        #expect(unserved.finding.english.contains("Device phone of the type tv"))
        #expect(unserved.remedy?.english == "Lead the type to a notifier in apps[].routes, and run deskgate reload.")
    }

    @Test func `a warning hides no problem of the user`() throws {
        let elsewhere = try Self.explanation(closing: [.serviceElsewhere("deskgate serve")])
        #expect(elsewhere.outcome == .note)
        #expect(elsewhere.finding == Problem.serviceElsewhere("deskgate serve").text)
        #expect(elsewhere.remedy == Problem.serviceElsewhere("deskgate serve").remedy)
        let dead = try Self.explanation(Self.deliveries([("sink", .dead)]), closing: [.serviceElsewhere("deskgate serve")])
        #expect(dead.outcome == .problem)
        let text = "\(Problem.serviceElsewhere("deskgate serve").text.english) But: Comment 4711, device phone: sink gave it up"
        #expect(dead.finding.english.hasPrefix(text), "\(dead.finding.english)")
        #expect(dead.finding.isTranslated)
        #expect(dead.remedy == dead.steps.first { $0.subject == .delivery }?.remedy)
    }

    @Test func `a delivery in a late queue is reported in the finding`() throws {
        let late = Problem(
            .queueLate, as: .warning, LocalizedText("sink is late.", "sink опаздывает."), remedy: LocalizedText("Hurry.", "Быстрее."))
        var waiting = DeliveryExplanationTests.facts(.pending)
        #expect(try Self.explanation(deviceType: "ios", [waiting]).outcome == .ok)
        waiting.queue = (count: 57, late: late)
        let explanation = try Self.explanation(deviceType: "ios", [waiting])
        #expect(explanation.outcome == .note)
        #expect(explanation.finding.english.contains(" But the latest delivery has not arrived: "), "\(explanation.finding.english)")
        #expect(explanation.finding.isTranslated)
        #expect(explanation.remedy == late.remedy)
    }

    private static let mostDenied = Problem(
        .nearlyAllDenied, of: "shop", LocalizedText("Nearly all users are denied.", "Почти никого не пускают."),
        remedy: LocalizedText("Compare the secrets.", "Сравните секреты."))

    @Test(arguments: [AuthorizationFacts.unknown, AuthorizationExplanationTests.known([])])
    func `an unknown user is denied like most users`(_ authorizations: AuthorizationFacts) throws {
        let explanation = try Self.explanation(closing: [Self.mostDenied], authorizations: authorizations)
        #expect(explanation.outcome == .problem)
        #expect(explanation.finding == Self.mostDenied.text)
        #expect(explanation.remedy == Self.mostDenied.remedy)
    }

    @Test func `a denial mentions that most users are denied`() throws {
        let denied = AuthorizationExplanationTests.known([.denied(.wrongMac, keyID: 1)])
        let explanation = try Self.explanation(closing: [Self.mostDenied], authorizations: denied)
        #expect(explanation.outcome == .problem)
        #expect(explanation.finding.english.hasPrefix("This user was denied once in ten minutes"))
        #expect(explanation.finding.english.hasSuffix("(wrong_mac) with the key id 1. Nearly all users are denied."))
        #expect(explanation.finding.isTranslated)
        #expect(explanation.remedy?.english.hasPrefix("Check in this order") == true)
    }

    @Test(arguments: [(Denial.unknownKey, Explanation.Outcome.problem), (.wrongMac, .problem), (.expired, .ok)])
    func `another replica may deny a user who is allowed here`(_ denial: Denial, _ outcome: Explanation.Outcome) throws {
        let otherKeys = Problem(
            .replicaKeys, LocalizedText("Other keys are in force in b.", "В b действуют другие ключи."),
            remedy: LocalizedText("Reload b.", "Перечитайте настройки b."))
        let known = AuthorizationExplanationTests.known([.denied(denial, keyID: nil), .authorized(keyID: 1)])
        let explanation = try Self.explanation(closing: [otherKeys], authorizations: known)
        #expect(explanation.outcome == outcome)
        #expect(explanation.finding.english.hasPrefix("Nothing keeps this user out"))
        #expect(explanation.finding.english.hasSuffix("But: Other keys are in force in b.") == (outcome == .problem))
        #expect(explanation.steps.contains { $0.text == otherKeys.text })
    }

    @Test func `an allowed user is not denied like most users`() throws {
        let allowed = AuthorizationExplanationTests.known([.authorized(keyID: 1)])
        let explanation = try Self.explanation(closing: [Self.mostDenied], authorizations: allowed)
        #expect(explanation.outcome == .ok)
        #expect(explanation.steps.first { $0.text == Self.mostDenied.text }?.outcome == .note)
    }

    @Test(arguments: [(Problem.Severity.problem, Explanation.Outcome.problem), (.warning, .ok)])
    func `rejected webhooks keep out a user's comments`(
        _ severity: Problem.Severity, _ outcome: Explanation.Outcome
    ) throws {
        let refused = Problem(
            .webhooksRefused, as: severity, LocalizedText("Webhooks are refused.", "Вебхуки отклоняются."),
            remedy: LocalizedText("Mend it.", "Исправьте."))
        let explanation = try Self.explanation(stopping: [refused])
        #expect(explanation.outcome == outcome)
        #expect(explanation.finding.english.hasSuffix(" But: Webhooks are refused.") == (outcome == .problem))
        #expect(explanation.remedy == (outcome == .problem ? refused.remedy : nil))
        let step = try #require(explanation.steps.first { $0.subject == .webhook })
        #expect(step.text == refused.text)
        #expect(step.remedy == refused.remedy)
    }

    @Test(
        arguments: [
            (.open, .error, .problem), (.halfOpen, .deny, .problem), (.open, .allowIfKeyValid, .ok), (.working, .error, .ok),
        ] as [(BreakerStatus, UndecidedPolicy, Explanation.Outcome)])
    func `a failing backend is a problem for the users that it keeps out`(
        _ breaker: BreakerStatus, rule: UndecidedPolicy, outcome: Explanation.Outcome
    ) throws {
        let explanation = try Self.explanation(backend: BackendStatus(breaker: breaker, limitsNewKeys: true), rule)
        #expect(explanation.outcome == outcome)
        #expect(explanation.finding.english.hasPrefix("The backend of shop has failed so often") == (outcome == .problem))
    }

    @Test(arguments: [BotCall.Outcome.failed, .timedOut, .unknown])
    func `a failed call of a bot keeps no user out`(_ outcome: BotCall.Outcome) throws {
        let store = MemoryStore()
        let call = BotCall(
            id: UUIDv7(milliseconds: 7, random: InlineArray(repeating: 1)), appID: "shop", userID: "ann", bot: "orders", function: "list",
            argumentsSHA256: "digest", arguments: nil, at: Self.now, ending: BotCall.Ending(outcome, reason: "unreachable", at: Self.now))
        store.begin(call, isAwaited: { true }) { _ in }
        let explanation = try Self.explanation(store: store)
        #expect(explanation.outcome == .ok)
        #expect(explanation.remedy == nil)
        let step = try #require(explanation.steps.first { $0.subject == .botCall })
        #expect(step.outcome == .note)
        #expect(step.remedy != nil)
    }

    /// The newest deliveries, newest first, each for one notifier.
    private static func deliveries(_ states: [(notifier: String, state: Delivery.State)]) -> [DeliveryFacts] {
        states.enumerated().map { index, delivery in
            let event = Event(
                id: UUIDv7(milliseconds: now, random: InlineArray(repeating: UInt8(index))).event, kind: .commentCreated,
                identity: Event.Identity(appID: "shop", ticketID: 17, commentID: 4711, deviceID: "phone"), userID: "ann", occurredAt: now,
                receivedAt: now, expiresAt: now + 1000, data: Event.emptyData)
            return DeliveryFacts(
                Delivery(
                    id: event.id.delivery(0), notifier: delivery.notifier, event: event, deviceID: "phone", state: delivery.state,
                    attempts: 1, dueAt: now, endedAt: now, reason: delivery.state == .dead ? "status_500" : "logged"),
                attempts: [], hold: nil, notifier: nil)
        }
    }

    @Test(arguments: [[], [Verdict.authorized(keyID: 1)]])
    func `a user's state is uncertain while a replica does not answer`(_ verdicts: [Verdict]) throws {
        let partial = AuthorizationExplanationTests.known(verdicts, silentReplicas: 1)
        let explanation = try Self.explanation(authorizations: partial)
        #expect(explanation.outcome == .problem)
        #expect(explanation.finding.english.hasPrefix("As far as this replica knows, this user is not denied"))
        #expect(explanation.finding.english.contains(" But: 1 other replica did not answer in time"))
        #expect(explanation.finding.isTranslated)
        #expect(explanation.remedy?.english.hasPrefix("Repeat the request") == true)
        let dead = try Self.explanation(Self.deliveries([("sink", .dead)]), authorizations: partial)
        #expect(dead.finding.english.contains(" But the latest delivery has not arrived"))
        #expect(dead.finding.english.hasPrefix("As far as this replica knows"))
    }

    @Test func `a registration limit hides no failed delivery`() throws {
        let limited = FailureExplanationTests.limited(seconds: 300)
        let explanation = try Self.explanation(Self.deliveries([("sink", .dead)]), authorizations: limited)
        #expect(explanation.finding.english.contains("But the latest delivery has not arrived: sink gave it up"))
        let alone = try Self.explanation(authorizations: limited)
        #expect(alone.outcome == .problem)
        #expect(alone.finding.english.contains("But: The latest registration of this user's device was answered 429"))
    }

    @Test(arguments: [(nil, Explanation.Outcome.ok), ("ios", .ok), ("tv", .problem)] as [(String?, Explanation.Outcome)])
    func `a device without a notifier is a problem`(_ type: String?, _ outcome: Explanation.Outcome) throws {
        let explanation = try Self.explanation(deviceType: type)
        #expect(explanation.outcome == outcome)
        #expect(explanation.finding.english.contains(" But: Device phone of the type tv") == (outcome == .problem))
        #expect(explanation.finding.isTranslated)
    }

    @Test(
        arguments: [
            ([("sink", .delivered)], .ok, nil), ([("sink", .dead)], .problem, "But the latest delivery has not arrived: sink gave it up"),
            ([("sink", .delivered), ("sink", .dead)], .ok, nil), ([("sink", .dead), ("sink", .delivered)], .problem, "But the latest"),
            ([("crm", .delivered), ("sink", .dead)], .problem, "But: Comment 4711, device phone: sink gave it up"),
            ([("crm", .delivered), ("sink", .delivered), ("sink", .dead), ("crm", .dead)], .ok, nil),
        ] as [([(String, Delivery.State)], Explanation.Outcome, String?)])
    func `a failure is a problem until the notifier delivers again`(
        _ states: [(String, Delivery.State)], outcome: Explanation.Outcome, text: String?
    ) throws {
        let explanation = try Self.explanation(Self.deliveries(states.map { (notifier: $0.0, state: $0.1) }))
        #expect(explanation.outcome == outcome)
        #expect(text.map { explanation.finding.english.contains($0) } ?? true, "\(explanation.finding.english)")
        #expect(explanation.steps.contains { $0.outcome == .problem } == (outcome == .problem))
    }
}
