import Core
import JSON
import Storage
import TestSupport
import Testing
import Threading
import Time

/// `deskgate deliveries list|show|retry|purge` on the store of a stopped service.
///
/// Deliveries 1 to 4: delivered; dead after two attempts; pending with an interrupted attempt; and expired without an attempt.
@Suite struct DeliveriesTests {
    private static let time: UnixMilliseconds = 1_773_130_512_000
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace(["store": ["minimum_free_megabytes": 0]])
        let store = try SQLiteStore(
            path: workspace.directory.path("deskgate.db"))
        defer { store.close() }
        for number in 1...4 { try Self.accept(store, number) }
        try Self.tryOnce(store, number: 1, attempt: 1, at: Self.time, next: .delivered, reason: "status_204")
        try Self.tryOnce(store, number: 2, attempt: 1, at: Self.time, next: .retry(at: Self.time + 100), reason: "status_503")
        try Self.tryOnce(store, number: 2, attempt: 2, at: Self.time + 100, next: .dead, reason: "status_404")
        #expect(try store.work([], [Self.claim(3, at: Self.time)])[0].get().deliveries.count == 1)
        #expect(try store.work([], [Self.claim(4, at: Self.time + 50_000)])[0].get().expired == 1)
    }

    @Test func `lists a table`() throws {
        let result = try run("list", "--state", "dead")
        #expect(result.code == 0)
        #expect(result.errors.isEmpty)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(
            words(lines[0]) == ["ID", "STATE", "REASON", "TRIES", "NOTIFIER", "APP", "USER", "DEVICE", "TICKET", "COMMENT", "RECEIVED"])
        #expect(
            words(lines[1]) == ["\(Self.id(4))", "dead", "expired", "0", "sink-4", "app-1", "u?[31m", "7", "4", "2026-03-10T08:15:11.994Z"])
        #expect(words(lines[2]).prefix(5) == ["\(Self.id(2))", "dead", "status_404", "2", "sink-2"])
    }

    @Test(arguments: [
        (["--limit", "1"], [4]), (["--app=app-1"], [4, 3, 2, 1]), (["--user", "user-1", "--state=delivered"], [1]),
        (["--ticket=7", "--comment=3"], [3]), (["--notifier=sink-2"], [2]), (["--reason=expired"], [4]),
        (["--from=2026-03-10T08:15:11.992Z", "--before=2026-03-10T08:15:11.994Z"], [3, 2]), (["--ticket=8"], []), (["--ticket=x"], []),
    ])
    func `lists matching deliveries`(_ filters: [String], _ expected: [Int]) throws {
        let result = try run(["list", "--json"] + filters)
        #expect(result.code == 0)
        guard case .array(let deliveries) = try result.json["deliveries"] else { throw ChildProcess.Failure.missingOutput }
        let comments = deliveries.compactMap { delivery in
            if case .object(let delivery) = delivery { delivery.integer("comment_id") } else { nil }
        }
        #expect(comments == expected.map { Int64($0) })
    }

    @Test func `reports that nothing matches`() throws {
        #expect(try run("list", "--user=nobody").output == "No delivery matches.\n")
    }

    /// `sink-1` is not configured but has a delivery, so it is a valid filter.
    @Test(arguments: [
        (["list", "--app=app-l"], #"--app: nothing of this name is configured, and no delivery or device has it; did you mean "app-1"?"#),
        (
            ["list", "--notifier=lgo"],
            #"--notifier: nothing of this name is configured, and no delivery or device has it; did you mean "log"?"#
        ),
        (
            ["retry", "--notifier=backend"],
            "--notifier: nothing of this name is configured, and no delivery or device has it; known are: log."
        ),
        (
            ["purge", "--state=pending", "--notifier=backend"],
            "--notifier: nothing of this name is configured, and no delivery or device has it; known are: log."
        ),
    ])
    func `reports an unknown name`(_ arguments: [String], _ message: String) throws {
        let result = try run(arguments)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors == "deskgate: \(message)\n")
        #expect(try run(arguments + ["--json"]).json.string("error") == "unknown_name")
    }

    @Test func `lists in pages`() throws {
        let first = try run("list", "--limit=3")
        let lines = first.output.split(separator: "\n")
        let last = try #require(lines.last)
        #expect(lines.count == 6, "the heading, three deliveries, what one waits for, and where it goes on")
        #expect(lines[4] == "Deliveries to sink-3 wait: notifier not configured.")
        #expect(last.hasPrefix("There are more: --after "))
        #expect(last.hasSuffix(", or --all"))
        let cursor = words(last)[4].dropLast()
        let second = try run("list", "--limit=3", "--after", String(cursor)).output.split(separator: "\n")
        #expect(second.count == 2)
        #expect(words(second[1])[0] == "\(Self.id(1))")
        let all = try run("list", "--limit=3", "--all", "--json").output.split(separator: "\n")
        let counts = try all.map { page in
            guard case .array(let deliveries) = try jsonObject(String(page))["deliveries"] else { return 0 }
            return deliveries.count
        }
        #expect(counts == [3, 1])
    }

    @Test(arguments: [
        (
            1,
            [
                "Its data is deleted, because no delivery needs it any more.",
                "Attempt 1 began at 2026-03-10T08:15:12.000Z and ended at 2026-03-10T08:15:12.010Z: it arrived (status_204).",
                "It arrived at 2026-03-10T08:15:12.010Z, after 1 attempt.",
            ]
        ),
        (
            2,
            [
                "Attempt 1 began at 2026-03-10T08:15:12.000Z and ended at 2026-03-10T08:15:12.010Z: it did not arrive, and may later (status_503).",
                "Attempt 2 began at 2026-03-10T08:15:12.100Z and ended at 2026-03-10T08:15:12.110Z: it did not arrive, and never can (status_404).",
                "It was given up at 2026-03-10T08:15:12.110Z, after 2 attempts: status_404.",
            ]
        ),
        (
            3,
            [
                "Attempt 1 began at 2026-03-10T08:15:12.000Z and was interrupted, because Deskgate ended; it may have arrived.",
                "It waits: notifier not configured.",
            ]
        ),
        (4, ["It was given up at 2026-03-10T08:16:02.000Z, without an attempt: expired."]),
    ])
    func `show explains the result`(_ number: Int, _ end: [String]) throws {
        let result = try run("show", Self.id(number).description)
        #expect(result.code == 0)
        let state = ["delivered", "dead", "pending", "dead"][number - 1]
        let user = number == 4 ? "u?[31m" : "user-1"
        let beginning = [
            "Delivery \(Self.id(number)) to the notifier sink-\(number) is \(state).",
            "Event \(Self.eventID(number)) (comment.created): comment \(number) in ticket 7 of app app-1, for user \(user), naming device phone.",
            "It happened at 2026-03-10T08:15:11.000Z, as the help desk says.",
            "It was received at 2026-03-10T08:15:11.99\(number)Z, and stored before that was confirmed.",
            "Nothing is sent after \(number == 4 ? "2026-03-10T08:15:52.000Z" : "2026-03-10T08:16:12.000Z").",
        ]
        #expect(result.output == (beginning + end).map { "\($0)\n" }.joined())
    }

    @Test func `retries and purges`() throws {
        #expect(try run("retry", Self.id(2).description).output == "1 delivery is pending again.\n")
        let again = try run("retry", Self.id(2).description)
        #expect(again.code == 1)
        #expect(again.output.isEmpty)
        #expect(again.errors == "deskgate: Only a dead delivery can be tried again.\n")
        let kept = #"{"notifier_queue_full":0,"queue_full":0,"forgotten":0,"no_device":0}"#
        let answer = #"{"retried":1,"kept":\#(kept),"total":1,"left":0,"next":null}"#
        #expect(try run("retry", "--reason", "expired", "--json").output == "\(answer)\n")
        let none = try run("retry", "--all")
        #expect(none.code == 0)
        #expect(none.output.hasPrefix("0 deliveries are pending again: none of those that match is dead."))
        #expect(try run("purge", "--state=delivered", "--before=2026-03-10T08:15:12Z").output == "0 deliveries are deleted.\n")
        #expect(try run("purge", "--state=delivered").output == "1 delivery is deleted.\n")
        #expect(try run("purge", "--state=pending", "--notifier=sink-3").output == "1 delivery is marked as dead.\n")
        #expect(try run("show", Self.id(3).description).output.hasSuffix(": purged.\n"))
        #expect(try run("show", Self.id(1).description).code == 1)
        #expect(try run("show", "--json", Self.id(1).description).json.string("error") == "not_found")
    }

    /// More than one request retries, and more than the queue has room for.
    @Test func `retries as many as the queue has room for`() throws {
        let store = try SQLiteStore(path: workspace.directory.path("deskgate.db"))
        for number in 0..<1200 {
            let random = InlineArray<10, UInt8> { [4, 5].contains($0) ? UInt8(truncatingIfNeeded: number >> (8 * ($0 - 4))) : 0 }
            let event = Event(
                id: UUIDv7(milliseconds: 2, random: random), kind: .operatorTest,
                identity: Event.Identity(appID: "app-1", ticketID: nil, commentID: nil, deviceID: "phone"), userID: "user-1",
                occurredAt: Self.time, receivedAt: Self.time, expiresAt: Self.time + 1, data: Array("{}".utf8))
            store.accept(IncomingEvent(event, to: [Subscription(notifier: "many")])) { _ in }
        }
        while try !store.giveUpExpired(now: Self.time + 2, limit: 1000).isEmpty {}
        store.close()
        try workspace.configure(["store": ["minimum_free_megabytes": 0, "max_pending_per_notifier": 1100]])
        let result = try run("retry", "--notifier=many")
        #expect(result.code == 1)
        #expect(
            result.output == """
                1100 of 1200 deliveries are pending again.
                100 stay dead: the queue of the notifier is full (notifier_queue_full); repeat the command when those that wait \
                have arrived, or see why they do not (deskgate status).

                """)
        let again = try run("retry", "--notifier=many", "--json")
        #expect(again.code == 1)
        #expect(try again.json["retried"] == 0)
        #expect(try again.json["total"] == 100)
        #expect(try again.json["kept"]?["notifier_queue_full"] == 100)
    }

    @Test func `reports deliveries without room`() throws {
        let workspace = try Workspace(["store": ["minimum_free_megabytes": 0, "max_pending_per_notifier": 1]])
        let store = try SQLiteStore(path: workspace.directory.path("deskgate.db"))
        for number in 5...6 { try Self.accept(store, number, to: "sink") }
        let claim = Claim(notifier: "sink", now: Self.time + 70_000, leaseMilliseconds: 1000, limit: 10)
        #expect(try store.work([], [claim])[0].get().expired == 2)
        store.close()
        let result = try Deskgate.run("deliveries", "retry", "--all", "--config", workspace.configuration)
        #expect(result.code == 1)
        #expect(
            result.output == """
                1 of 2 deliveries is pending again.
                1 stays dead: the queue of the notifier is full (notifier_queue_full); repeat the command when those that wait \
                have arrived, or see why they do not (deskgate status).

                """)
    }

    @Test func `purges only deliveries without a target`() throws {
        let store = try SQLiteStore(
            path: workspace.directory.path("deskgate.db"))
        try Self.accept(store, 5, requiresDevice: true)
        store.close()
        #expect(try run("purge", "--state=no_target").output == "1 delivery is deleted.\n")
        #expect(
            try run("list").output.split(separator: "\n").dropFirst().prefix(4).map { words($0)[1] } == [
                "dead", "pending", "dead", "delivered",
            ])
        #expect(try run("purge", "--help").output.contains("delivered, no_target or dead"))
        #expect(try run("purge", "--state=pending").errors.contains("expected delivered, no_target or dead"))
    }

    @Test(arguments: [
        ["list", "--state=gone"], ["list", "--limit=0"], ["list", "--limit=1001"], ["list", "--from=now"], ["list", "x"],
        ["list", "--after=x"], ["show"],
        ["show", "1"], ["retry"], ["retry", "--all", "--app=a"], ["retry", "1"], ["retry", "--state=dead"],
        ["retry", "00000000-0000-7000-8000-000000000000", "--all"], ["purge"], ["purge", "--state=pending"],
        ["purge", "--state=dead", "--before=x"], ["purge", "--state=dead", "--notifier=sink-1"],
    ])
    func `rejects invalid usage`(_ arguments: [String]) throws {
        let result = try run(arguments)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.wholeMatch(of: /deskgate: .+\n(usage: deskgate deliveries|  --)[\s\S]+\n/) != nil)
    }

    @Test func `all needs no filters`() throws {
        let result = try run("retry", "--all", "--notifier=sink-1")
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: --all: goes without filters and without an ID: leave out either it or the others\n"))
    }

    @Test func `reports a missing store`() throws {
        let empty = try Workspace()
        let result = try Deskgate.run("deliveries", "list", "--config", empty.configuration)
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: the service does not run; start it: "))
        #expect(result.errors.contains(". Its store cannot be used: there is no store at "))
        #expect(!empty.directory.contents().contains("deskgate.db"))
    }

    @Test func `reports a store in use`() throws {
        let store = try SQLiteStore(
            path: workspace.directory.path("deskgate.db"))
        defer { store.close() }
        let result = try run("list")
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("deskgate: "))
    }

    private func run(_ arguments: String...) throws -> Deskgate.Result { try run(arguments) }

    private func run(_ arguments: [String]) throws -> Deskgate.Result {
        try Deskgate.run(["deliveries", arguments[0], "--config", workspace.configuration] + arguments.dropFirst())
    }

    private func words(_ line: Substring) -> [String] { line.split(separator: " ").map(String.init) }

    private static func id(_ number: Int) -> UUIDv7 { eventID(number).delivery(0) }

    private static func eventID(_ number: Int) -> UUIDv7 { UUIDv7(milliseconds: 1, random: InlineArray(repeating: UInt8(number))).event }

    private static func claim(_ number: Int, at time: UnixMilliseconds) -> Claim {
        Claim(notifier: "sink-\(number)", now: time, leaseMilliseconds: 1000, limit: 10)
    }

    private static func tryOnce(
        _ store: any Store, number: Int, attempt: Int, at time: UnixMilliseconds, next: FinishedAttempt.Next, reason: String
    ) throws {
        #expect(try store.work([], [claim(number, at: time)])[0].get().deliveries.count == 1)
        _ = try store.work([FinishedAttempt(id: id(number), attempt: attempt, next: next, reason: reason, now: time + 10)], [])
    }

    private static func accept(_ store: any Store, _ number: Int, to notifier: String? = nil, requiresDevice: Bool = false) throws {
        let event = Event(
            id: eventID(number), kind: .commentCreated,
            identity: Event.Identity(appID: "app-1", ticketID: 7, commentID: HelpDeskID(Int64(number)), deviceID: "phone"),
            userID: number == 4 ? "u\u{1B}[31m" : "user-1", occurredAt: time - 1000, receivedAt: time - 10 + UInt64(number),
            expiresAt: time + (number == 4 ? 40_000 : 60_000), data: Array("{}".utf8))
        let done = Monitor(false)
        store.accept(IncomingEvent(event, to: [Subscription(notifier: notifier ?? "sink-\(number)", requiresDevice: requiresDevice)])) {
            result in
            if (try? result.get()) == .accepted { done.update { $0 = true } }
        }
        try #require(done.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil } == true)
    }
}
