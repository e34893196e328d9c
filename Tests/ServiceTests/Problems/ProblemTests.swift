import Bytes
import Core
import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@testable import AdminAPI

/// Problems in the form of `GET /v1/status` and the overview page.
@Suite struct ProblemTests: ProblemScene {
    @Test func `there are no problems in a healthy service`() throws {
        let healthy = try Self.search(
            statuses: [Self.status(.working, ends: Self.now + 90 * 86_400), Self.status(.failing)],
            pending: [Self.waiting("crm", seconds: 20)],
            replicas: [
                Replica(id: "me", isOwn: true, silentMilliseconds: 0, keysDigest: "own"),
                Replica(id: "same", isOwn: false, silentMilliseconds: 0, keysDigest: "own"),
                Replica(id: "gone", isOwn: false, silentMilliseconds: Replica.deadMilliseconds, keysDigest: "other"),
            ],
            backends: [
                ("shop", BackendStatus(breaker: .working, limitsNewKeys: false)),
                ("bank", BackendStatus(breaker: .failing, limitsNewKeys: false)),
            ],
            disks: [("store", 1_000_000_000, false)])
        #expect(healthy.problems == [])
    }

    @Test func `each kind is found with its remedy`() throws {
        let found = try [
            Self.search(store: StoreError(.unavailable, "away")),
            Self.search(revocations: Self.known(.none, at: 0, copyProblem: "cannot use /copy")),
            Self.search(revocations: Self.known(at: Self.now - 31)),
            Self.search(revocations: Self.known(copyProblem: "cannot write /copy")),
            Self.search(refusal: Self.refused(["$.x: unknown key"])),
            Self.search(statuses: [Self.status(.paused, pause: "status_410")], pending: [Self.waiting("crm", seconds: 3600)]),
            Self.search(statuses: [Self.status(.open)], pending: [Self.waiting("crm", seconds: 3600)]),
            Self.search(statuses: [Self.status(.working, doubt: "status_401")], pending: [Self.waiting("crm", seconds: 3600)]),
            Self.search(statuses: [Self.status(.working, ends: Self.now + 86_400)]),
            Self.search(apps: Self.ending(Self.now + 86_400)),
            Self.search(pending: [Self.waiting("former", seconds: 10)]),
            Self.search(pending: [Self.waiting("crm", seconds: 10, count: 250_000)]),
            Self.search(statuses: [Self.status(.working)], pending: [Self.waiting("crm", seconds: 901, count: 11)]),
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
            Self.search(
                apps: ConfigurationDirectory.apps.replacing(#""shop","#, with: #""shop","notifiers":[],"routes":{"android":"crm"},"#),
                unserved: [UnservedDevices.Finding(app: "shop", type: "ios", count: 5, total: 5)]),
            Self.search(backends: [("shop", BackendStatus(breaker: .open, limitsNewKeys: false))]),
            Self.search(backends: [("shop", BackendStatus(breaker: .working, limitsNewKeys: true))]),
            Self.search(renewed: ["public"]), Self.search(disks: [("store", 999_999_999, false)]),
            Self.search(dead: [Self.dead("expired", 3)]), Self.search(withoutDevices: ["shop"]),
            Self.search(members: #""admin":{"tokens":[{"name":"reader","role":"read","token":{"file":"secrets/read-token"}}]}"#),
        ].map(\.problems)
        for problems in found { #expect(problems.count == 1, "\(problems)") }
        let certificate = ExpiringCredential(.listenerCertificate, of: "public", expiresAt: Self.now + 86_400)
        let none: [Problem] = [.serviceDown("deskgate serve"), .serviceElsewhere("deskgate serve")]
        let all = found.flatMap { $0 } + none + [certificate.problem(now: Self.now)]
        #expect(Set(all.map(\.kind)) == Set(Problem.Kind.allCases))
        for problem in all {
            #expect(problem.text.english.hasSuffix("."), "\(problem)")
            #expect(problem.remedy.english.hasSuffix("."), "\(problem)")
            #expect(problem.text.isTranslated, "\(problem)")
            #expect(problem.remedy.isTranslated, "\(problem)")
        }
        let paused = try #require(all.first { $0.kind == .notifierPaused })
        #expect(
            paused.text.english.hasPrefix(
                "crm is paused and sends nothing: the receiver accepts no more events (status_410). 3 deliveries wait"))
        #expect(paused.remedy.english.ranges(of: "deskgate reload").count == 1)
    }

    @Test func `every kind is counted`() throws {
        let search = try Self.search(
            statuses: [Self.status(.open), Self.status(.open, of: "phones")], answers: [Self.answers(.unknownApp, "unknown_app")])
        let counted = search.counts.filter { $0.count > 0 }.map { "\($0.kind) \($0.severity) \($0.count)" }
        #expect(counted == ["unknown_app problem 1", "notifier_failing problem 2"])
        #expect(search.counts.count == 2 * (Problem.Kind.allCases.count - 1), "the service counts, so it runs")
    }

    @Test func `operators get problems that no other event reports`() throws {
        let search = try Self.search(
            refusal: Self.refused(["$.x: unknown key"]), statuses: [Self.status(.paused, pause: "status_410")],
            backends: [("shop", BackendStatus(breaker: .halfOpen, limitsNewKeys: false))],
            answers: [
                Self.answers(.undecided, app: "shop", "backend_timeout"), Self.answers(.callersRefused, "network"),
                Self.answers(.unknownApp, "unknown_app", isClosed: false),
            ])
        let reported = search.severe.filter(\.hasEvent)
        #expect(
            reported.map(\.key.subject.text) == [
                "authorizations_undecided shop", "callers_refused", "backend_open shop", "reload_refused",
            ])
        let data = try #require(reported.first.flatMap { JSONValue(parsing: $0.data) })
        #expect(data["kind"] == "authorizations_undecided")
        #expect(data["severity"] == "problem")
        #expect(data["subject"] == "shop")
        #expect(data["text"]?.text?.hasPrefix("20 of 21 authorizations of shop") == true)
        #expect(data["remedy"]?.text?.hasPrefix("Have the backend of apps[].verify.url answer faster") == true)
        #expect(search.severe.map(\.key.subject.text).contains("notifier_paused crm"), "for the log")
        #expect(reported.first?.text == data["text"]?.text)
        #expect(reported.first?.remedy == data["remedy"]?.text)
    }

    @Test func `operators get problems of notifiers and the store that need action`() throws {
        let search = try Self.search(
            store: StoreError(.diskFull, "full"), revocations: Self.known(.none, at: 0),
            statuses: [Self.status(.working, of: "phones", doubt: "not_found")],
            pending: [
                Self.waiting("phones", seconds: 10), Self.waiting("former", seconds: 10), Self.waiting("crm", seconds: 10, count: 250_000),
            ],
            others: #","phones":{"type":"rustore","project_id":"p","token":"\#(Self.secret)"}"#)
        let keys = search.severe.filter(\.hasEvent).map(\.key)
        #expect(keys.map(\.subject.text) == ["store", "revocations_unknown", "settings_doubtful phones", "queue_full crm"])
        #expect(keys.map(ProblemSearch.notifier) == [nil, nil, "phones", "crm"])
    }

    @Test(arguments: ["authorizations_undecided crm", "queue_full", "other crm"])
    func `a problem with another subject belongs to no notifier`(_ subject: String) {
        #expect(ProblemSearch.notifier(of: OperatorCondition.Key(.problem, subject)) == nil)
    }

    @Test func `a configuration warning has its cause in the text and a separate remedy`() throws {
        let problems = try Self.search(
            members: #""admin":{"tokens":[{"name":"reader","role":"read","token":{"file":"secrets/read-token"}}]}"#
        ).problems
        let problem = try #require(problems.first { $0.kind == .configurationWarning })
        let cause = #"none has the role "operate", so no command can change anything in a service that runs"#
        #expect(problem.text.english == "The configuration warns of $.admin.tokens: \(cause).")
        #expect(problem.remedy.english == "Add one, or set $.admin.token.")
        let russian = #"ни у одного нет роли "operate", поэтому команды ничего не могут изменить в работающей службе"#
        #expect(problem.text.russian == "Предупреждение о настройке $.admin.tokens: \(russian).")
        #expect(problem.remedy.russian == "Добавьте такой или задайте $.admin.token.")
    }

    @Test func `urgent problems are listed first`() throws {
        let problems = try Self.search(
            members: #""admin":{"tokens":[{"name":"reader","role":"read","token":{"file":"secrets/read-token"}}]}"#,
            store: StoreError(.diskFull, "full"),
            statuses: [Self.status(.paused, pause: "status_410")]
        ).problems
        #expect(problems.map(\.kind) == [.store, .notifierPaused, .configurationWarning])
    }
}
