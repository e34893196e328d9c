import Bytes
import Core
import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@testable import Configuration
@testable import Operators

/// What is wrong now, as the first view and `GET /v1/status` tell it.
@Suite struct ProblemTests {
    private static let now = TestTime.now

    private static func search(
        apps: String = ConfigurationDirectory.apps, members: String = #""log":{}"#, store: StoreError? = nil,
        revocations: RevocationStatus = known(),
        refusal: RefusedReload? = nil, standings: [NotifierStanding] = [],
        pending: [PendingDeliveries] = [], replicas: [Replica] = [], others: String = "", crowded: [CrowdedListener] = [],
        backends: [(app: String, status: BackendStatus)] = [], answers: [AnswerWindow.Finding] = [], nearestApp: String? = nil,
        disks: [(name: String, freeBytes: UInt64)] = [], dead: [DeadDeliveries] = []
    ) throws -> ProblemSearch {
        let crm = #""crm":{"type":"http","url":"https://crm.test/","secret":"\#(secret)"}"#
        let notifier = #""allow_insecure_secrets":true,"notifiers":{\#(crm)\#(others)}"#
        let configuration = try ConfigurationDirectory().configuration("{\(apps),\(notifier),\(members)}")
        var facts = StoreFacts()
        (facts.disks, facts.dead) = (disks, dead)
        return ProblemSearch(
            configuration, now: now.milliseconds, store: store, revocations: revocations, refusal: refusal, standings: standings,
            pending: pending,
            replicas: replicas, keysDigest: "own", crowded: crowded, backends: backends, answers: answers, nearestApp: nearestApp,
            facts: facts)
    }

    private static func known(
        _ source: RevocationStatus.Source = .store, at time: UnixSeconds = now, copyProblem: String? = nil
    ) -> RevocationStatus {
        var status = RevocationStatus()
        (status.source, status.knownAt, status.copyProblem) = (source, time, copyProblem)
        return status
    }

    @Test(arguments: [RevocationStatus.Source.store, .none])
    func `the remedy of a copy that cannot be used names its file`(_ source: RevocationStatus.Source) throws {
        var status = Self.known(source, copyProblem: "cannot write the copy /copy: it belongs to root, not to deskgate")
        status.copyCommand = "chown deskgate: /copy"
        let problem = try #require(Self.search(revocations: status).problems.first)
        #expect(problem.remedy.english.hasSuffix("Run as root: chown deskgate: /copy. The copy is tried again by itself."))
        #expect(problem.remedy.russian.contains("chown deskgate: /copy"))
    }

    private static func answers(
        _ kind: AnswerWindow.Finding.Kind, app: String = "", _ reason: String, isClosed: Bool = true
    ) -> AnswerWindow.Finding {
        AnswerWindow.Finding(kind, app: app, reason: reason, count: 20, reasonCount: 15, total: 21, isClosed: isClosed)
    }

    private static let secret = "whsec_" + String(repeating: "QUJD", count: 8)

    private static func standing(
        _ state: BreakerStanding, of name: String = "crm", pause: String? = nil, failure: String = "status_503", doubt: String? = nil,
        ends: UnixSeconds? = nil
    ) -> NotifierStanding {
        NotifierStanding(
            name: name, state: state, pause: pause.map { ($0, "as the log says") }, lastFailure: failure, settingsDoubt: doubt,
            credentialExpiresAt: ends)
    }

    private static func waiting(_ notifier: String, seconds: UInt64, count: Int = 3) -> PendingDeliveries {
        PendingDeliveries(notifier: notifier, count: count, oldestReceivedAt: (now - seconds).milliseconds)
    }

    private static func dead(_ reason: String, _ count: Int, of notifier: String = "crm", app: String = "shop", secondsAgo: UInt64 = 60)
        -> DeadDeliveries
    {
        DeadDeliveries(
            notifier: notifier, appID: app, reason: reason, count: count, oldestReceivedAt: 0,
            newestReceivedAt: (now - secondsAgo).milliseconds)
    }

    private static func refused(_ reasons: [String], keys: [String] = []) -> RefusedReload {
        RefusedReload(at: now.milliseconds, reasons: reasons, keys: keys)
    }

    @Test func whereNothingIsWrongNothingIsSaid() throws {
        let healthy = try Self.search(
            standings: [Self.standing(.working, ends: Self.now + 90 * 86_400), Self.standing(.failing)],
            pending: [Self.waiting("crm", seconds: 20)],
            replicas: [
                Replica(id: "me", isOwn: true, silentMilliseconds: 0, keysDigest: "own"),
                Replica(id: "same", isOwn: false, silentMilliseconds: 0, keysDigest: "own"),
                Replica(id: "gone", isOwn: false, silentMilliseconds: Replica.deadMilliseconds, keysDigest: "other"),
            ],
            backends: [
                ("shop", BackendStatus(breaker: .working, pacesNewKeys: false)),
                ("bank", BackendStatus(breaker: .failing, pacesNewKeys: false)),
            ],
            disks: [("store", 1_000_000_000)])
        #expect(healthy.problems == [])
    }

    /// An app whose messages may be held.
    private static let sendbird =
        #""apps":[{"app_id":"APP","help_desk":"sendbird","notifiers":["crm"],"keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],"#
        + #""sendbird":{"chat_token":"\#(TestSecret.text(51))","desk_token":"\#(TestSecret.text(53))"}}]"#

    @Test func `held messages that wait are a problem of the help desk`() throws {
        let held = Self.waiting(HeldMessage.notifier, seconds: 901, count: 2)
        let standing = Self.standing(.working, of: HeldMessage.notifier)
        let problems = try Self.search(apps: Self.sendbird, standings: [standing], pending: [held]).problems
        #expect(problems.count == 1)
        let problem = try #require(problems.first { $0.kind == .queueLate })
        #expect(
            problem.text.english
                == "The help desk has not said for whom 2 messages came, the oldest for 15 minutes: nobody is told of them yet.")
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.english.contains("deskgate check --live"))
        #expect(problem.remedy.isTranslated)
    }

    /// Further webhooks of Chat are then answered 503 while Desk does not answer.
    @Test func `a full queue of held messages is a problem`() throws {
        let held = Self.waiting(HeldMessage.notifier, seconds: 10, count: 250_000)
        let standing = Self.standing(.working, of: HeldMessage.notifier)
        let problems = try Self.search(apps: Self.sendbird, standings: [standing], pending: [held]).problems
        #expect(problems.map(\.kind) == [.queueFull])
        #expect(problems.first?.subject == HeldMessage.notifier)
    }

    @Test func eachKindIsFoundWithItsRemedy() throws {
        let found = try [
            Self.search(store: StoreError(.unavailable, "away")),
            Self.search(revocations: Self.known(.none, at: 0, copyProblem: "cannot use /copy")),
            Self.search(revocations: Self.known(at: Self.now - 31)),
            Self.search(revocations: Self.known(copyProblem: "cannot write /copy")),
            Self.search(refusal: Self.refused(["$.x: unknown key"])),
            Self.search(standings: [Self.standing(.paused, pause: "status_410")], pending: [Self.waiting("crm", seconds: 3600)]),
            Self.search(standings: [Self.standing(.open)], pending: [Self.waiting("crm", seconds: 3600)]),
            Self.search(standings: [Self.standing(.working, doubt: "status_401")], pending: [Self.waiting("crm", seconds: 3600)]),
            Self.search(standings: [Self.standing(.working, ends: Self.now + 86_400)]),
            Self.search(apps: Self.ending(Self.now + 86_400)),
            Self.search(pending: [Self.waiting("former", seconds: 10)]),
            Self.search(pending: [Self.waiting("crm", seconds: 10, count: 250_000)]),
            Self.search(standings: [Self.standing(.working)], pending: [Self.waiting("crm", seconds: 901, count: 11)]),
            Self.search(replicas: [Replica(id: "other", isOwn: false, silentMilliseconds: 0, keysDigest: "other")]),
            Self.search(crowded: [CrowdedListener(.public, ReachedBound(of: nil, isRefused: true))]),
            Self.search(crowded: [CrowdedListener(.public, ReachedBound(of: IPAddress("192.0.2.7"), isRefused: false))]),
            Self.search(crowded: [CrowdedListener(.public, nil)]),
            Self.search(crowded: [CrowdedListener(.admin, nil)]),
            Self.search(answers: [Self.answers(.undecided, app: "shop", "backend_timeout")]),
            Self.search(answers: [Self.answers(.mostDenied, app: "shop", "wrong_mac")]),
            Self.search(answers: [Self.answers(.unknownApp, "unknown_app")], nearestApp: "shop"),
            Self.search(answers: [Self.answers(.malformed, "not_a_security_key")]),
            Self.search(answers: [Self.answers(.callersRefused, "network")]),
            Self.search(apps: Self.sendbird, answers: [Self.answers(.webhooksRefused, "unknown_app")]),
            Self.search(backends: [("shop", BackendStatus(breaker: .open, pacesNewKeys: false))]),
            Self.search(backends: [("shop", BackendStatus(breaker: .working, pacesNewKeys: true))]),
            Self.search(disks: [("store", 999_999_999)]), Self.search(dead: [Self.dead("expired", 3)]),
            Self.search(members: #""admin":{"tokens":[{"name":"reader","role":"read","token":{"file":"secrets/read-token"}}]}"#),
        ].map(\.problems)
        for problems in found { #expect(problems.count == 1, "\(problems)") }
        let certificate = ExpiringCredential(.listenerCertificate, of: "public", expiresAt: Self.now + 86_400)
        let all = found.flatMap { $0 } + [.serviceDown, certificate.problem(now: Self.now)]
        #expect(Set(all.map(\.kind)) == Set(Problem.Kind.allCases))
        for problem in all {
            #expect(problem.text.english.hasSuffix(".") && problem.remedy.english.hasSuffix("."), "\(problem)")
            #expect(problem.text.isTranslated && problem.remedy.isTranslated, "\(problem)")
        }
        let paused = try #require(all.first { $0.kind == .notifierPaused })
        #expect(
            paused.text.english.hasPrefix(
                "crm is paused and sends nothing: the receiver wants nothing more (status_410). 3 deliveries wait"))
        #expect(paused.remedy.english.ranges(of: "deskgate reload").count == 1)
    }

    @Test(arguments: [
        ("192.0.2.7", CrowdedListener.Name.public, "192.0.2.7 has", "listen.trusted_proxies"),
        ("2001:db8::", .admin, "2001:db8::/48 has", "admin.max_connections"),
    ])
    func `a caller with too many connections is named with what to do`(
        _ caller: String, _ listener: CrowdedListener.Name, _ text: String, _ remedy: String
    ) throws {
        let crowded = CrowdedListener(listener, ReachedBound(of: IPAddress(caller), isRefused: true))
        let problem = try #require(try Self.search(crowded: [crowded]).problems.first)
        #expect(problem.subject == listener.rawValue)
        #expect(problem.text.english.hasPrefix(text))
        #expect(problem.remedy.english.contains(remedy))
    }

    /// Operators who are told of it by an event see nothing else.
    @Test(
        arguments: [
            (Self.refused(["$.log.levle: unknown key"]), "stays in force: $.log.levle: unknown key.", "Mend that"),
            (Self.refused(["$.host: empty.", "$.port: zero."]), "stays in force: $.host: empty.; $.port: zero.", "Mend that"),
            (Self.refused(["1", "2", "3", "4", "5"]), "stays in force: 1; 2; 3, and 2 more.", "Mend that"),
            (Self.refused(["1"], keys: ["$.listen.port"]), "only a restart takes over $.listen.port.", "Restart the service"),
            (
                Self.refused(["1", "2", "3", "4"], keys: ["$.u", "$.v", "$.w", "$.x"]),
                "only a restart takes over $.u, $.v, $.w, and 1 more.", "Restart the service"
            ),
        ])
    func `a refused reload tells its first reasons and what to do`(_ refusal: RefusedReload, _ text: String, _ remedy: String) throws {
        let problem = try #require(try Self.search(refusal: refusal).problems.first)
        #expect(problem.text.english.hasSuffix(text))
        #expect(problem.remedy.english.hasPrefix(remedy))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    /// From the first refusal on, without waiting until the queue is late.
    @Test func `settings that may be wrong are a problem at once`() throws {
        let search = try Self.search(
            standings: [Self.standing(.working, of: "phones", doubt: "not_found")], pending: [Self.waiting("phones", seconds: 1)],
            others: #","phones":{"type":"rustore","project_id":"p","token":"\#(Self.secret)"}"#)
        let problem = try #require(search.problems.first)
        #expect(search.problems.map(\.kind) == [.settingsDoubtful])
        #expect(problem.severity == .problem)
        #expect(problem.subject == "phones")
        #expect(problem.text.english.hasPrefix("The settings of phones may be wrong: the provider does not know the device's token"))
        #expect(problem.text.english.contains("(not_found), and nothing has arrived since. 3 deliveries wait for it"))
        #expect(problem.remedy.english.hasPrefix(#"Check "project_id", and that "routes" lead"#))
        #expect(problem.remedy.russian.hasPrefix(#"Проверьте "project_id""#))
    }

    @Test(arguments: Denial.allCases.map(\.rawValue)) func `each reason of denials has its remedy`(_ reason: String) throws {
        let problem = try #require(try Self.search(answers: [Self.answers(.mostDenied, app: "shop", reason)]).problems.first)
        #expect(problem.kind == .nearlyAllDenied)
        #expect(problem.text.english.hasSuffix("20 of 21 authorizations within 10 minutes were denied, 75 % of them as \(reason)."))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    @Test(arguments: Indecision.allCases.map(\.rawValue)) func `each reason of undecided ones has its remedy`(_ reason: String) throws {
        let search = try Self.search(answers: [Self.answers(.undecided, app: "shop", reason)])
        let problem = try #require(search.problems.first)
        #expect(problem.text.english.hasSuffix("15 of them as \(reason)."))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    /// The breaker is what follows.
    @Test func `an open breaker is told with what has opened it`() throws {
        let slow = BackendStatus(breaker: .open, pacesNewKeys: false, lastFailure: .backendTimeout)
        let answers = [Self.answers(.undecided, app: "shop", "backend_breaker_open")]
        let problems = try Self.search(backends: [("shop", slow)], answers: answers).problems
        #expect(problems.map(\.kind) == [.authorizationsUndecided, .backendOpen])
        for problem in problems {
            #expect(problem.text.english.contains(" The last call failed: backend_timeout."))
            #expect(problem.remedy.english.hasPrefix("Have the backend of apps[].verify.url answer faster"))
            #expect(problem.text.isTranslated)
        }
    }

    @Test(arguments: [(UndecidedRule.error, 503), (.deny, 403), (.allowIfKeyValid, 200)])
    func `an open breaker is told with the rule in force`(_ rule: UndecidedRule, _ status: Int) throws {
        let open = BackendStatus(breaker: .open, pacesNewKeys: false, lastFailure: .backendStatus)
        let problem = try #require(open.problems(of: "shop", at: "https://backend.test", rule).first)
        #expect(problem.text.english.contains(" The last call to https://backend.test failed: backend_status."))
        #expect(problem.text.english.hasSuffix(" users are answered \(status) (when_undecided \(rule.rawValue))."))
        #expect(problem.text.isTranslated)
    }

    @Test(arguments: Malformation.Problem.allCases.map(\.rawValue) + ["invalid_json", "not_an_object", "invalid_form"])
    func `each reason of malformed ones has its remedy`(_ reason: String) throws {
        let problem = try #require(try Self.search(answers: [Self.answers(.malformed, reason)]).problems.first)
        #expect(problem.kind == .authorizationsMalformed)
        let text = "20 authorizations within 10 minutes were malformed and were answered 400, 15 of them as \(reason)."
        #expect(problem.text.english == text)
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    @Test(arguments: [
        (CallerRefusal.network, "listen.allow does not name their network", "listen.allow"),
        (.forwarded, "the proxy of listen.trusted_proxies did not tell one client address", "remove the one of the two"),
        (.certificate, "they showed no certificate of listen.tls.client_authorities", "listen.tls.client_authorities"),
        (.header, "they did not send listen.shared_header with one of its secrets", "listen.shared_header"),
    ])
    func `each reason of refused callers names its cause and its key`(_ refusal: CallerRefusal, _ cause: String, _ key: String) throws {
        let search = try Self.search(answers: [Self.answers(.callersRefused, refusal.rawValue)])
        let problem = try #require(search.problems.first)
        #expect(problem.remedy.english.contains(key))
        let effect = refusal == .forwarded ? "They were answered 503." : "The help desk takes that for a denial of every user."
        let text = "20 calls within 10 minutes were refused, 15 of them because \(cause) (\(refusal.rawValue)). \(effect)"
        #expect(problem.text.english == text)
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    @Test(arguments: WebhookRefusal.allCases) func `each reason of refused webhooks has its remedy`(_ refusal: WebhookRefusal) throws {
        let search = try Self.search(apps: Self.sendbird, answers: [Self.answers(.webhooksRefused, app: "APP", refusal.rawValue)])
        let problem = try #require(search.problems.first)
        #expect(
            problem.text.english.hasPrefix("20 of 21 webhooks of APP within 10 minutes were refused, 15 of them as \(refusal.rawValue):"))
        #expect(problem.remedy.english.lowercased().hasPrefix(refusal.remedy.english.lowercased()))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    @Test(arguments: [(true, Problem.Severity.problem), (false, .warning)])
    func `what strangers may cause is a warning while others are let in`(_ isClosed: Bool, _ severity: Problem.Severity) throws {
        let search = try Self.search(answers: [
            Self.answers(.unknownApp, "unknown_app", isClosed: isClosed), Self.answers(.callersRefused, "header", isClosed: isClosed),
            Self.answers(.malformed, "missing", isClosed: isClosed),
        ])
        #expect(search.problems.map(\.severity) == [severity, severity, severity])
    }

    @Test func `an app that has left the configuration keeps nobody out`() throws {
        let search = try Self.search(
            answers: [Self.answers(.mostDenied, app: "former", "expired"), Self.answers(.unknownApp, "unknown_app")], nearestApp: "former")
        #expect(search.problems.map(\.kind) == [.unknownApp])
        #expect(search.problems.first?.text.english.contains("former") == false)
    }

    @Test func `doubtful settings are no problem when nothing waits`() throws {
        #expect(try Self.search(standings: [Self.standing(.working, doubt: "status_401")]).problems.isEmpty)
    }

    /// Webhooks are answered 503 because of it, whatever else is known of the notifier.
    @Test func `a queue is a problem from its bound on`() throws {
        func kinds(_ count: Int, _ standing: NotifierStanding) throws -> [Problem.Kind] {
            try Self.search(standings: [standing], pending: [Self.waiting("crm", seconds: 10, count: count)]).problems.map(\.kind)
        }
        #expect(try kinds(249_999, Self.standing(.working)) == [])
        #expect(try kinds(250_000, Self.standing(.working)) == [.queueFull])
        #expect(try kinds(500_000, Self.standing(.open)) == [.notifierFailing, .queueFull])
        #expect(try kinds(250_000, Self.standing(.paused, pause: "status_410")) == [.notifierPaused, .queueFull])
        let problem = try #require(try Self.search(pending: [Self.waiting("crm", seconds: 10, count: 250_001)]).problems.first)
        #expect(problem.severity == .problem)
        #expect(problem.subject == "crm")
        #expect(problem.text.english.hasPrefix("The queue of crm is full: 250001 deliveries wait, and the bound is 250000."))
    }

    /// Operators are told of it by the same rule.
    @Test func `a queue is late as the thresholds say`() throws {
        func kinds(_ seconds: UInt64, count: Int, _ thresholds: String = "") throws -> [Problem.Kind] {
            let members = #""log":{},"operators":{"thresholds":{\#(thresholds)}}"#
            return try Self.search(
                members: members, standings: [Self.standing(.working)], pending: [Self.waiting("crm", seconds: seconds, count: count)]
            ).problems.map(\.kind)
        }
        #expect(try kinds(900, count: 11) == [])
        #expect(try kinds(901, count: 11) == [.queueLate])
        #expect(try kinds(901, count: 10) == [], "a few may wait for their own devices")
        #expect(try kinds(43_201, count: 1) == [.queueLate])
        #expect(try kinds(61, count: 11, #""queue_late_seconds":60"#) == [.queueLate])
        #expect(try kinds(901, count: 11, #""queue_late_seconds":3600"#) == [])
    }

    /// A probe that is under way proves nothing yet.
    @Test(
        arguments: [
            (.open, [.notifierFailing]), (.halfOpen, [.notifierFailing]), (.working, [.queueLate]), (.failing, [.notifierFailing]),
        ] as [(BreakerStanding, [Problem.Kind])])
    func `a notifier fails until a probe succeeds`(_ state: BreakerStanding, _ kinds: [Problem.Kind]) throws {
        let search = try Self.search(
            standings: [Self.standing(state)], pending: [Self.waiting("crm", seconds: 901, count: 11)])
        #expect(search.problems.map(\.kind) == kinds)
    }

    /// One problem for each notifier, with all that its retry would take.
    @Test func `dead deliveries are counted with the most frequent reason and the command`() throws {
        let problems = try Self.search(dead: [
            Self.dead("status_503", 40), Self.dead("expired", 30), Self.dead("expired", 20, app: "bank"),
            Self.dead("status_400", 9, secondsAgo: 40 * 86_400),
        ]).problems
        #expect(problems.map(\.kind) == [.deliveriesDead])
        let problem = try #require(problems.first)
        #expect(problem.severity == .warning)
        #expect(problem.subject == "crm")
        #expect(
            problem.text.english
                == "99 deliveries to crm were given up, 50 of them as expired. There was no time left for another attempt before the event expired."
        )
        #expect(problem.remedy.english.contains("deskgate deliveries retry --notifier crm."))
    }

    @Test func `deliveries that an operator gave up are neither counted nor retried`() throws {
        let problem = try #require(try Self.search(dead: [Self.dead("expired", 1), Self.dead("purged", 9)]).problems.first)
        #expect(problem.text.english.hasPrefix("1 delivery to crm was given up, 1 of them as expired. "))
        #expect(problem.remedy.english.contains("deskgate deliveries retry --notifier crm --reason expired."))
        #expect(problem.remedy.isTranslated)
    }

    /// The events expire after a day, so the last of them ended within the last day at most for two.
    @Test(
        arguments: [
            (Self.dead("expired", 1), [.deliveriesDead]), (Self.dead("expired", 1, secondsAgo: 86_400), [.deliveriesDead]),
            (Self.dead("expired", 1, secondsAgo: 172_799), [.deliveriesDead]), (Self.dead("expired", 1, secondsAgo: 172_800), []),
            (Self.dead("purged", 1), []), (Self.dead("forgotten", 1), []), (Self.dead("expired", 1, of: "former"), []),
        ] as [(DeadDeliveries, [Problem.Kind])])
    func `dead deliveries are told of for a day`(_ dead: DeadDeliveries, _ kinds: [Problem.Kind]) throws {
        #expect(try Self.search(dead: [dead]).problems.map(\.kind) == kinds)
    }

    /// Operators are told of it by the same rule.
    @Test(
        arguments: [
            (999_999_999, "", [.diskLow]), (1_000_000_000, "", []), (1_000_000_000, #""disk_free_megabytes":1001"#, [.diskLow]),
            (0, #""disk_free_megabytes":0"#, []),
        ] as [(UInt64, String, [Problem.Kind])])
    func `a disk is low as the thresholds say`(_ free: UInt64, _ thresholds: String, _ kinds: [Problem.Kind]) throws {
        let members = #""log":{},"operators":{"thresholds":{\#(thresholds)}}"#
        let problems = try Self.search(members: members, disks: [("store", free)]).problems
        #expect(problems.map(\.kind) == kinds)
        #expect(problems.allSatisfy { $0.severity == .warning })
    }

    /// A single failure passes with the next attempt.
    @Test(arguments: [(59, []), (60, [.notifierFailing])] as [(UInt64, [Problem.Kind])])
    func `a notifier that fails is told of when something waits for a minute`(_ seconds: UInt64, _ kinds: [Problem.Kind]) throws {
        let problems = try Self.search(
            standings: [Self.standing(.failing, failure: "status_401")], pending: [Self.waiting("crm", seconds: seconds, count: 1)]
        ).problems
        #expect(problems.map(\.kind) == kinds)
        #expect(problems.allSatisfy { $0.severity == .warning })
        #expect(problems.allSatisfy { $0.text.english.contains("The last attempt of crm failed: ") })
        #expect(problems.allSatisfy { $0.text.english.contains("(status_401). 1 delivery waits for it, the oldest for 60 seconds.") })
        #expect(problems.allSatisfy { $0.text.isTranslated })
    }

    @Test func `attempts that fail are told of as the thresholds say`() throws {
        let problems = try Self.search(
            members: #""log":{},"operators":{"thresholds":{"paused_seconds":120}}"#, standings: [Self.standing(.failing)],
            pending: [Self.waiting("crm", seconds: 119, count: 1)]
        ).problems
        #expect(problems.isEmpty)
    }

    /// To wait is no remedy after so many attempts.
    @Test(arguments: [
        (
            "status_503", "(status_503).",
            "See its latest attempts (deskgate deliveries list --notifier crm), and mend its receiver. It goes on"
        ),
        ("status_401", "(status_401).", "Give it the secret that \"secret\" names; Deskgate tries again. It goes on"),
        ("", "now and then only.", ""),
    ])
    func `a failing notifier tells its last reason and what to do`(_ reason: String, _ text: String, _ remedy: String) throws {
        let problem = try #require(try Self.search(standings: [Self.standing(.open, failure: reason)]).problems.first)
        #expect(problem.text.english.hasPrefix("crm has failed several times in a row and is tried now and then only"))
        #expect(problem.text.english.hasSuffix(text))
        #expect(problem.remedy.english.hasPrefix(remedy))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    /// Nothing more comes for it.
    @Test func `the queue of a former notifier is not full`() throws {
        let search = try Self.search(pending: [Self.waiting("former", seconds: 10, count: 250_000)])
        #expect(search.problems.map(\.kind) == [.notifierUnknown])
    }

    @Test func `a pause is told in place of doubtful settings`() throws {
        let search = try Self.search(standings: [Self.standing(.paused, pause: "status_401", doubt: "status_401")])
        #expect(search.problems.map(\.kind) == [.notifierPaused])
    }

    @Test func aCredentialThatHasEndedIsWorseThanOneThatEnds() throws {
        func severity(_ end: UnixSeconds) throws -> Problem.Severity? {
            try Self.search(standings: [Self.standing(.working, ends: end)]).problems.first?.severity
        }
        #expect(try severity(Self.now) == .problem && severity(Self.now - 86_400) == .problem)
        #expect(try severity(Self.now + 29 * 86_400) == .warning && severity(Self.now + 31 * 86_400) == nil)
    }

    /// The app `shop`, whose only key ends.
    private static func ending(_ end: UnixSeconds) -> String {
        #""apps":[{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"},"not_after":\#(end)}]}]"#
    }

    /// It is no warning of the configuration besides.
    @Test(
        arguments: [
            (-86_400, Problem.Severity.problem, "The last active key of shop ended at "),
            (0, .problem, "The last active key of shop ended at "),
            (29 * 86_400, .warning, "The last active key of shop ends in 29 days, at "), (31 * 86_400, nil, ""),
        ] as [(Int64, Problem.Severity?, String)])
    func `the last key of an app ends`(_ seconds: Int64, _ severity: Problem.Severity?, _ text: String) throws {
        let problems = try Self.search(apps: Self.ending(Self.now.advanced(by: seconds))).problems
        #expect(problems.map(\.kind) == (severity == nil ? [] : [.appKeyEnds]))
        #expect(problems.first?.severity == severity)
        #expect(problems.first?.text.english.hasPrefix(text) != false)
    }

    @Test(arguments: [
        (
            ExpiringCredential.Kind.listenerCertificate, "public", "The certificate of the public listener expired at ",
            "listen.tls.certificate"
        ),
        (.listenerCertificate, "admin", "The certificate of the admin listener expired at ", "admin.tls.certificate"),
        (.notifierCertificate, "apns", "The certificate of apns expired at ", "notifiers.apns.certificate"),
        (.appKey, "shop", "The last active key of shop ended at ", "deskgate secret rotate"),
    ])
    func `a credential that has ended is a problem with a remedy`(
        _ kind: ExpiringCredential.Kind, _ name: String, _ text: String, _ remedy: String
    ) {
        let problem = ExpiringCredential(kind, of: name, expiresAt: Self.now).problem(now: Self.now)
        #expect(problem.severity == .problem)
        #expect(problem.subject == name)
        #expect(problem.text.english.hasPrefix(text))
        #expect(problem.remedy.english.contains(remedy))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
        #expect(ExpiringCredential(kind, of: name, expiresAt: Self.now + 1).problem(now: Self.now).severity == .warning)
    }

    @Test func `a credential is shown no later than operators are told`() throws {
        let members = #""log":{},"operators":{"thresholds":{"expires_days":45}}"#
        let search = try Self.search(members: members, standings: [Self.standing(.working, ends: Self.now + 44 * 86_400)])
        #expect(search.problems.map(\.kind) == [.credentialEnds])
    }

    @Test(arguments: [StoreError.Kind.queueFull, .diskFull, .corrupt, .unavailable, .notOpen, .inDoubt, .closed])
    func everyFaultOfTheStoreHasARemedy(_ kind: StoreError.Kind) throws {
        let problem = try #require(try Self.search(store: StoreError(kind, "away")).problems.first)
        #expect(problem.kind == .store && problem.text.english.contains("(\(kind.rawValue)): away."))
        #expect(problem.text.isTranslated && problem.remedy.isTranslated)
    }

    @Test(arguments: [
        (
            StoreError.Kind.notOpen, "/srv/desk.db: database disk image is malformed; stop the service and restore a backup",
            "/srv/desk.db: database disk image is malformed.", "Stop the service and restore a backup. The service tries again by itself."
        ),
        (
            .corrupt, "desk.db was written by a newer version; run that version", "desk.db was written by a newer version.",
            "Run that version. The service tries again by itself."
        ),
        (
            .unavailable, "the database was moved; put it back, or restart", "the database was moved.",
            "Put it back, or restart. The service tries again by itself."
        ),
        (
            .inDoubt, "it hangs; look at the server; it is unknown whether", "it hangs.",
            "Look at the server; it is unknown whether. The service tries again by itself."
        ),
        (.notOpen, "connection lost", "connection lost.", "Make it reachable again. The service tries again by itself."),
    ])
    func `the remedy of a store follows its cause`(_ kind: StoreError.Kind, description: String, cause: String, remedy: String) throws {
        let problem = try #require(try Self.search(store: StoreError(kind, description)).problems.first)
        #expect(problem.text.english == "The store cannot be used (\(kind.rawValue)): \(cause)")
        #expect(problem.remedy.english.hasPrefix(remedy))
    }

    @Test func `a store that is away says what goes on, and with which revocations`() throws {
        func remedy(_ revocations: RevocationStatus) throws -> String? {
            let search = try Self.search(store: StoreError(.notOpen, "away"), revocations: revocations)
            return search.problems.first?.remedy.english
        }
        let goesOn = "Chats are authorized with the revocations of \(RFC3339.text((Self.now - 7200).milliseconds)), 2 hours ago;"
        #expect(try remedy(Self.known(.copy, at: Self.now - 7200))?.contains(goesOn) == true)
        #expect(try remedy(Self.known(at: Self.now - 7200))?.contains(goesOn) == true)
        #expect(try remedy(Self.known())?.contains("webhooks may not be repeated") == true)
        let stops = "Genuine keys, webhooks and registrations are answered 503."
        #expect(try remedy(Self.known(.none, at: 0))?.contains(stops) == true)
    }

    @Test func `revocations of the copy are late at any age`() throws {
        #expect(try Self.search(revocations: Self.known(.copy)).problems.map(\.kind) == [.revocationsLate])
        #expect(try Self.search(revocations: Self.known(at: Self.now - 30)).problems == [])
    }

    @Test func `every kind is counted`() throws {
        let search = try Self.search(
            standings: [Self.standing(.open), Self.standing(.open, of: "phones")], answers: [Self.answers(.unknownApp, "unknown_app")])
        let counted = search.counts.filter { $0.count > 0 }.map { "\($0.kind) \($0.severity) \($0.count)" }
        #expect(counted == ["unknown_app problem 1", "notifier_failing problem 2"])
        #expect(search.counts.count == 2 * (Problem.Kind.allCases.count - 1), "the service counts, so it runs")
    }

    @Test func `operators are told of what no other event tells`() throws {
        let search = try Self.search(
            refusal: Self.refused(["$.x: unknown key"]), standings: [Self.standing(.paused, pause: "status_410")],
            backends: [("shop", BackendStatus(breaker: .halfOpen, pacesNewKeys: false))],
            answers: [
                Self.answers(.undecided, app: "shop", "backend_timeout"), Self.answers(.callersRefused, "network"),
                Self.answers(.unknownApp, "unknown_app", isClosed: false),
            ])
        let told = search.severe.filter(\.hasEvent)
        #expect(
            told.map(\.key.subject.text) == [
                "authorizations_undecided shop", "callers_refused", "backend_open shop", "reload_refused",
            ])
        let data = try #require(told.first.flatMap { JSONValue(parsing: $0.data) })
        #expect(data["kind"] == "authorizations_undecided")
        #expect(data["severity"] == "problem")
        #expect(data["subject"] == "shop")
        #expect(data["text"]?.text?.hasPrefix("20 of 21 authorizations of shop") == true)
        #expect(data["remedy"]?.text?.hasPrefix("Have the backend of apps[].verify.url answer faster") == true)
        #expect(search.severe.map(\.key.subject.text).contains("notifier_paused crm"), "for the log")
        #expect(told.first?.text == data["text"]?.text)
        #expect(told.first?.remedy == data["remedy"]?.text)
    }

    @Test func `operators are told of notifiers and the store that need them`() throws {
        let search = try Self.search(
            store: StoreError(.diskFull, "full"), revocations: Self.known(.none, at: 0),
            standings: [Self.standing(.working, of: "phones", doubt: "not_found")],
            pending: [
                Self.waiting("phones", seconds: 10), Self.waiting("former", seconds: 10), Self.waiting("crm", seconds: 10, count: 250_000),
            ],
            others: #","phones":{"type":"rustore","project_id":"p","token":"\#(Self.secret)"}"#)
        let keys = search.severe.filter(\.hasEvent).map(\.key)
        #expect(keys.map(\.subject.text) == ["store", "revocations_unknown", "settings_doubtful phones", "queue_full crm"])
        #expect(keys.map(ProblemSearch.notifier) == [nil, nil, "phones", "crm"])
    }

    @Test(arguments: ["authorizations_undecided crm", "queue_full", "other crm"])
    func `a problem of something else is of no notifier`(_ subject: String) {
        #expect(ProblemSearch.notifier(of: OperatorCondition.Key(.problem, subject)) == nil)
    }

    /// The urgent stands first, whatever was found first.
    @Test func theUrgentStandsFirst() throws {
        let problems = try Self.search(
            members: #""admin":{"tokens":[{"name":"reader","role":"read","token":{"file":"secrets/read-token"}}]}"#,
            store: StoreError(.diskFull, "full"),
            standings: [Self.standing(.paused, pause: "status_410")]
        ).problems
        #expect(problems.map(\.kind) == [.store, .notifierPaused, .configurationWarning])
    }
}
