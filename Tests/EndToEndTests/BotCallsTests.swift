import Core
import JSON
import Storage
import TestSupport
import Testing
import Threading
import Time

/// `deskgate bots calls list|show` on the store of a stopped service, and the calls in `explain` and `users forget`.
@Suite struct BotCallsTests {
    private static let time: UnixMilliseconds = 1_773_130_512_000
    private let workspace: Workspace

    /// Stores calls 1 to 5, each a second after the previous one; the third is for another user.
    init() throws {
        workspace = try Workspace(["store": ["minimum_free_megabytes": 0]])
        let store = try SQLiteStore(path: workspace.directory.path("deskgate.db"))
        defer { store.close() }
        for (index, outcome) in [BotCall.Outcome.succeeded, .refused, .timedOut, .limited, .unknown].enumerated() {
            let at = Self.time + UInt64(1000 * index)
            let done = Monitor(false)
            store.begin(
                BotCall(
                    id: Self.id(index + 1), appID: Workspace.app, userID: index == 2 ? "o\u{1B}[31mther" : "ann", bot: "orders",
                    function: index % 2 == 0 ? "cancel" : "list", argumentsSHA256: "12ab", arguments: index == 0 ? #"{"order_id":7}"# : nil,
                    at: at, ending: BotCall.Ending(outcome, statusCode: outcome == .refused ? 409 : nil, at: at + 500)),
                isAwaited: { true }
            ) { result in
                if (try? result.get()) == .new { done.update { $0 = true } }
            }
            try #require(done.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil } == true)
        }
    }

    private static func id(_ number: Int) -> UUIDv7 { UUIDv7(milliseconds: 7, random: InlineArray(repeating: UInt8(number))) }

    private func run(_ words: String...) throws -> Deskgate.Result {
        try Deskgate.run(["bots", "calls"] + words + ["--config", workspace.configuration])
    }

    @Test func `lists a table`() throws {
        let result = try run("list")
        #expect(result.code == 0)
        #expect(result.errors.isEmpty)
        let lines = result.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines.count == 6)
        #expect(lines[0] == ["ID", "BEGAN", "OUTCOME", "STATUS", "REASON", "BOT", "FUNCTION", "APP", "USER"])
        #expect(lines[1] == ["\(Self.id(5))", "2026-03-10T08:15:16.000Z", "unknown", "orders", "cancel", Workspace.app, "ann"])
        #expect(lines[3].last == "o?[31mther")
        #expect(lines[4] == ["\(Self.id(2))", "2026-03-10T08:15:13.000Z", "refused", "409", "orders", "list", Workspace.app, "ann"])
    }

    @Test func `lists matching calls`() throws {
        #expect(try ids("--app", Workspace.app, "--user", "ann") == [5, 4, 2, 1])
        #expect(try ids("--function", "list", "--bot=orders") == [4, 2])
        #expect(try ids("--outcome", "timed_out") == [3])
        #expect(try ids("--since", "2026-03-10T08:15:15Z") == [5, 4])
        #expect(try run("list", "--bot", "none").output == "No call matches.\n")
        #expect(try run("list", "--limit=2", "--all", "--json").output.split(separator: "\n").count == 3, "a page each")
        let first = try run("list", "--limit=2").output.split(separator: "\n")
        let place = try #require(first.last?.split(separator: " ").dropLast(2).last.map { String($0.dropLast()) })
        #expect(try ids("--after", place) == [3, 2, 1])
        #expect(try run("list", "--outcome", "done").code == 2)
    }

    private func ids(_ words: String...) throws -> [Int] {
        let result = try Deskgate.run(["bots", "calls", "list"] + words + ["--json", "--config", workspace.configuration])
        guard case .array(let calls) = try result.json["calls"] else { throw ChildProcess.Failure.missingOutput }
        return calls.compactMap { call in
            guard case .object(let call) = call else { return nil }
            return (1...9).first { call.string("id") == Self.id($0).description }
        }
    }

    @Test func `reports a call`() throws {
        let known = try run("show", "\(Self.id(1))")
        #expect(known.code == 0)
        #expect(
            known.output == """
                The bot orders called cancel at 2026-03-10T08:15:12.000Z, for user ann of app \(Workspace.app).
                It is succeeded: The company's backend has performed the call (?).
                It ended at 2026-03-10T08:15:12.500Z.
                Its arguments have the SHA-256 12ab: {"order_id":7}

                """)
        let lost = try run("show", "\(Self.id(5))")
        #expect(lost.output.contains("To do: Look for the call's id in the log of the company's backend"))
        let unknown = try run("show", "\(Self.id(9))")
        #expect(unknown.code == 1)
        #expect(unknown.output.isEmpty)
        #expect(unknown.errors.hasSuffix("No call has this id.\n"))
        #expect(try run("show", "7").code == 2)
        #expect(try run("show").code == 2)
    }

    @Test func `calls are erased with the person`() throws {
        let explained = try Deskgate.run("explain", "--user", "ann", "--config", workspace.configuration)
        #expect(explained.output.contains("bot_call: 2026-03-10T08:15:16.000Z  The bot orders called cancel: unknown."), "\(explained)")
        let words = ["users", "forget", "--app", Workspace.app, "--user", "ann", "--config", workspace.configuration]
        let forgotten = try Deskgate.run(words)
        #expect(forgotten.code == 0 && forgotten.output.contains("4 calls of bots"), "\(forgotten)")
        #expect(!forgotten.output.contains("bot_calls"), "\(forgotten)")
        #expect(try ids() == [3])
    }
}
