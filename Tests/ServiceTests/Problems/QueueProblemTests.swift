import Core
import TestSupport
import Testing
import Time

@testable import AdminAPI

@Suite struct QueueProblemTests: ProblemScene {
    @Test func `waiting held messages are a problem of the help desk`() throws {
        let held = Self.waiting(HeldMessage.notifier, seconds: 901, count: 2)
        let status = Self.status(.working, of: HeldMessage.notifier)
        let problems = try Self.search(apps: Self.sendbird, statuses: [status], pending: [held]).problems
        #expect(problems.count == 1)
        let problem = try #require(problems.first { $0.kind == .queueLate })
        #expect(
            problem.text.english
                == "The help desk has not named the users of 2 messages came, the oldest for 15 minutes: they are not delivered yet.")
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.english.contains("deskgate check --live"))
        #expect(problem.remedy.isTranslated)
    }

    /// Further webhooks of Chat get 503 while Desk does not respond.
    @Test func `a full queue of held messages is a problem`() throws {
        let held = Self.waiting(HeldMessage.notifier, seconds: 10, count: 250_000)
        let status = Self.status(.working, of: HeldMessage.notifier)
        let problems = try Self.search(apps: Self.sendbird, statuses: [status], pending: [held]).problems
        #expect(problems.map(\.kind) == [.queueFull])
        #expect(problems.first?.subject == HeldMessage.notifier)
    }

    /// From the first rejection on, before the queue is late.
    @Test func `a possible settings problem is reported at once`() throws {
        let search = try Self.search(
            statuses: [Self.status(.working, of: "phones", doubt: "not_found")], pending: [Self.waiting("phones", seconds: 1)],
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

    @Test func `a possible settings problem is not reported without waiting deliveries`() throws {
        #expect(try Self.search(statuses: [Self.status(.working, doubt: "status_401")]).problems.isEmpty)
    }

    /// It makes webhooks fail with 503, whatever the notifier's state.
    @Test func `a queue is a problem from its limit on`() throws {
        func kinds(_ count: Int, _ status: NotifierStatus) throws -> [Problem.Kind] {
            try Self.search(statuses: [status], pending: [Self.waiting("crm", seconds: 10, count: count)]).problems.map(\.kind)
        }
        #expect(try kinds(249_999, Self.status(.working)) == [])
        #expect(try kinds(250_000, Self.status(.working)) == [.queueFull])
        #expect(try kinds(500_000, Self.status(.open)) == [.notifierFailing, .queueFull])
        #expect(try kinds(250_000, Self.status(.paused, pause: "status_410")) == [.notifierPaused, .queueFull])
        let problem = try #require(try Self.search(pending: [Self.waiting("crm", seconds: 10, count: 250_001)]).problems.first)
        #expect(problem.severity == .problem)
        #expect(problem.subject == "crm")
        #expect(problem.text.english.hasPrefix("The queue of crm is full: 250001 deliveries wait, and the bound is 250000."))
    }

    @Test func `a full queue keeps out comments of its apps`() throws {
        func app(_ id: String, _ number: Int) -> String {
            #"{"app_id":"\#(id)","keys":[{"id":1,"secret":{"file":"secrets/app-\#(number).key"}}],"notifiers":["log"],"#
                + #""webhook":{"secret":"\#(TestSecret.text(60 + number))"}}"#
        }
        let search = try Self.search(
            apps: #""apps":[\#(app("shop", 1)),\#(app("bank", 2))]"#, pending: [Self.waiting("crm", seconds: 10, count: 250_000)],
            others: #","log":{"type":"log"}"#)
        #expect(search.stoppingComments(of: "shop").map(\.kind) == [.queueFull])
        #expect(search.stoppingComments(of: "shop").map(\.severity) == [.warning], "the queue of log has room")
        #expect(search.stoppingComments(of: "bank").isEmpty, "crm gets comments only of shop")
        let held = try Self.search(apps: Self.sendbird, pending: [Self.waiting(HeldMessage.notifier, seconds: 10, count: 250_000)])
        #expect(held.stoppingComments(of: "APP").map(\.subject) == [HeldMessage.notifier])
        #expect(held.stoppingComments(of: "APP").map(\.severity) == [.problem], "no other queue holds messages")
        let alone = try Self.search(apps: Self.sendbird, pending: [Self.waiting("crm", seconds: 10, count: 250_000)])
        #expect(alone.stoppingComments(of: "APP").map(\.severity) == [.problem])
        let room = try Self.search(apps: Self.sendbird, pending: [Self.waiting("crm", seconds: 10, count: 249_999)])
        #expect(room.stoppingComments(of: "APP").isEmpty)
    }

    @Test func `thresholds determine when a queue is late`() throws {
        func kinds(_ seconds: UInt64, count: Int, _ thresholds: String = "") throws -> [Problem.Kind] {
            let members = #""log":{},"operators":{"thresholds":{\#(thresholds)}}"#
            return try Self.search(
                members: members, statuses: [Self.status(.working)], pending: [Self.waiting("crm", seconds: seconds, count: count)]
            ).problems.map(\.kind)
        }
        let late = try Self.search(statuses: [Self.status(.working)], pending: [Self.waiting("crm", seconds: 901, count: 11)])
        #expect(late.queue(of: "crm").count == 11)
        #expect(late.queue(of: "crm").late?.kind == .queueLate)
        #expect(late.queue(of: "log").late == nil)
        #expect(try kinds(900, count: 11) == [])
        #expect(try kinds(901, count: 11) == [.queueLate])
        #expect(try kinds(901, count: 10) == [], "a few may wait for their own devices")
        #expect(try kinds(43_201, count: 1) == [.queueLate])
        #expect(try kinds(61, count: 11, #""queue_late_seconds":60"#) == [.queueLate])
        #expect(try kinds(901, count: 11, #""queue_late_seconds":3600"#) == [])
    }

    @Test func `the remedy of a late queue names commands and the key for more throughput`() throws {
        let late = Self.waiting("crm", seconds: 901, count: 11)
        let problem = try #require(Self.search(statuses: [Self.status(.working)], pending: [late]).problems.first)
        #expect(problem.remedy.english.contains("deskgate deliveries list --state pending --notifier crm. "))
        #expect(problem.remedy.english.hasSuffix("raise notifiers.crm.concurrency and run deskgate reload."))
        #expect(problem.remedy.isTranslated)
    }

    /// Retrying is useless while the queue has no room.
    @Test func `events rejected by a full queue are retried when it has room`() throws {
        let members = #""log":{},"store":{"max_pending_per_notifier":1}"#
        let problem = try #require(Self.search(members: members, pending: [Self.waiting("crm", seconds: 10, count: 1)]).problems.first)
        #expect(problem.text.english.hasPrefix("The queue of crm is full: 1 delivery waits, and the bound is 1."))
        #expect(problem.remedy.english.contains("When those that wait have arrived, try the dead ones again: "))
        #expect(problem.remedy.isTranslated)
    }

    /// A running probe does not show the receiver's state.
    @Test(
        arguments: [
            (.open, [.notifierFailing]), (.halfOpen, [.notifierFailing]), (.working, [.queueLate]), (.failing, [.notifierFailing]),
        ] as [(BreakerStatus, [Problem.Kind])])
    func `a notifier has failed until a probe succeeds`(_ state: BreakerStatus, _ kinds: [Problem.Kind]) throws {
        let search = try Self.search(
            statuses: [Self.status(state)], pending: [Self.waiting("crm", seconds: 901, count: 11)])
        #expect(search.problems.map(\.kind) == kinds)
    }

    /// One problem for each notifier, with all reasons that its retry would include.
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

    /// The person has removed the app, which is normal.
    @Test func `deliveries that ended with their device are no problem`() throws {
        let phones = #","phones":{"type":"rustore","project_id":"p","token":"\#(Self.secret)"}"#
        let gone = Self.dead("not_found", 3, of: "phones")
        #expect(try Self.search(others: phones, dead: [gone]).problems.map(\.kind) == [])
        let mixed = try Self.search(others: phones, dead: [gone, Self.dead("expired", 1, of: "phones")])
        let problem = try #require(mixed.problems.first)
        #expect(problem.text.english.hasPrefix("1 delivery to phones was given up, 1 of them as expired. "))
        #expect(problem.remedy.english.contains("deskgate deliveries retry --notifier phones --reason expired."))
    }

    /// The events expire after a day, so the last of them ended at most two days ago.
    @Test(
        arguments: [
            (Self.dead("expired", 1), [.deliveriesDead]), (Self.dead("expired", 1, secondsAgo: 86_400), [.deliveriesDead]),
            (Self.dead("expired", 1, secondsAgo: 172_799), [.deliveriesDead]), (Self.dead("expired", 1, secondsAgo: 172_800), []),
            (Self.dead("purged", 1), []), (Self.dead("forgotten", 1), []), (Self.dead("expired", 1, of: "former"), []),
        ] as [(DeadDeliveries, [Problem.Kind])])
    func `dead deliveries are reported for a day`(_ dead: DeadDeliveries, _ kinds: [Problem.Kind]) throws {
        #expect(try Self.search(dead: [dead]).problems.map(\.kind) == kinds)
    }

    /// A single failure ends with the next attempt.
    @Test(arguments: [(59, []), (60, [.notifierFailing])] as [(UInt64, [Problem.Kind])])
    func `a failing notifier is reported when a delivery has waited for a minute`(_ seconds: UInt64, _ kinds: [Problem.Kind]) throws {
        let problems = try Self.search(
            statuses: [Self.status(.failing, failure: "status_401")], pending: [Self.waiting("crm", seconds: seconds, count: 1)]
        ).problems
        #expect(problems.map(\.kind) == kinds)
        #expect(problems.allSatisfy { $0.severity == .warning })
        #expect(problems.allSatisfy { $0.text.english.contains("The last attempt of crm failed: ") })
        #expect(problems.allSatisfy { $0.text.english.contains("(status_401). 1 delivery waits for it, the oldest for 60 seconds.") })
        #expect(problems.allSatisfy { $0.text.isTranslated })
    }

    @Test func `thresholds determine when failing attempts are reported`() throws {
        let problems = try Self.search(
            members: #""log":{},"operators":{"thresholds":{"paused_seconds":120}}"#, statuses: [Self.status(.failing)],
            pending: [Self.waiting("crm", seconds: 119, count: 1)]
        ).problems
        #expect(problems.isEmpty)
    }

    /// After so many attempts, waiting is no remedy.
    @Test(arguments: [
        (
            "status_503", "(status_503).",
            "Check its latest attempts (deskgate deliveries list --notifier crm), and repair its receiver. It continues by itself"
        ),
        (
            "status_401", "(status_401).",
            "Keep the body and the headers that it verifies: deskgate webhook verify --notifier crm --body FILE "
        ),
        ("", "only at intervals.", ""),
    ])
    func `a failing notifier is reported with its last reason and the remedy`(_ reason: String, text: String, remedy: String) throws {
        let problem = try #require(try Self.search(statuses: [Self.status(.open, failure: reason)]).problems.first)
        #expect(problem.text.english.hasPrefix("crm has failed several times in a row and is tried only at intervals"))
        #expect(problem.text.english.hasSuffix(text))
        #expect(problem.remedy.english.hasPrefix(remedy))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    /// An operator cannot repair it.
    @Test(arguments: [
        ("status_503", "See the provider's status page. It continues by itself"),
        ("token_status_503", "See the provider's status page. It continues by itself"),
        ("status_429", "Have the provider raise your quota of pushes. It continues by itself"),
        ("too_many_token_updates", "Reload less often: "),
    ])
    func `the remedy for a failing push provider is not to repair a receiver`(_ reason: String, _ remedy: String) throws {
        let search = try Self.search(
            statuses: [Self.status(.open, of: "phones", failure: reason)],
            others: #","phones":{"type":"rustore","project_id":"p","token":"\#(Self.secret)"}"#)
        let problem = try #require(search.problems.first)
        #expect(problem.kind == .notifierFailing)
        #expect(problem.remedy.english.hasPrefix(remedy))
        #expect(problem.remedy.isTranslated)
    }

    /// It gets no further events.
    @Test func `the queue of a removed notifier is not reported as full`() throws {
        let search = try Self.search(pending: [Self.waiting("former", seconds: 10, count: 250_000)])
        #expect(search.problems.map(\.kind) == [.notifierUnknown])
    }

    @Test func `a pause is reported instead of a possible settings problem`() throws {
        let search = try Self.search(statuses: [Self.status(.paused, pause: "status_401", doubt: "status_401")])
        #expect(search.problems.map(\.kind) == [.notifierPaused])
    }

    /// One device's rejection concerns that device; a pause concerns all of them.
    @Test func `the remedy for a pause after many rejections does not point to one phone`() throws {
        let phones = #","phones":{"type":"rustore","project_id":"p","token":"a-token-of-the-provider"}"#
        let search = try Self.search(statuses: [Self.status(.paused, of: "phones", pause: "not_found")], others: phones)
        let problem = try #require(search.problems.first { $0.kind == .notifierPaused })
        let text = "phones is paused and sends nothing: the provider refuses many devices, as if they belonged to another app or project"
        #expect(problem.text.english == "\(text) (not_found).")
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.english.hasPrefix("Check \"project_id\", and that \"routes\" lead"), "\(problem.remedy.english)")
        #expect(problem.remedy.english.hasSuffix("Then run deskgate reload, which tries again."))
        #expect(problem.remedy.isTranslated)
    }
}
