import Core
import JSON
import Storage
import TestSupport
import Testing
import Threading
import Time

/// `deskgate tokens list|remove` on the store of a stopped service; `PushTokenStoryTests` tests a running one.
@Suite struct TokensTests {
    private static let time: UnixMilliseconds = 1_773_130_512_000
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace(["store": ["minimum_free_megabytes": 0]])
        let store = try SQLiteStore(path: workspace.directory.path("deskgate.db"))
        defer { store.close() }
        for (user, device) in [("user-1", "phone"), ("user-1", "tablet"), ("u\u{1B}[31m", "phone")] {
            let key = Device.Key(appID: Workspace.app, userID: user, deviceID: device)
            // It begins with the marker prefix, which no output may contain.
            let token = try PushToken("\(Markers.prefix)-\(user)-\(device)-push-token")
            let done = Monitor(false)
            store.register(Registration(key: key, type: "ios", token: token, now: Self.time, rules: []), telling: .nobody) { result in
                if (try? result.get()) == .registered { done.update { $0 = true } }
            }
            try #require(done.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil } == true)
        }
    }

    @Test func `lists a table`() throws {
        let result = try run("list", "--app", Workspace.app)
        #expect(result.code == 0)
        #expect(result.errors.isEmpty)
        let lines = result.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines.count == 4)
        #expect(lines[0] == ["USER", "DEVICE", "TYPE", "TOKEN", "REGISTERED", "SEEN", "USER_REF"])
        #expect(lines[1].prefix(3) == ["u?[31m", "phone", "ios"])
        #expect(lines[2].count == 7 && lines[2][6] == lines[3][6] && lines[2][6] != lines[1].last)
        #expect(lines[2].dropLast() == ["user-1", "phone", "ios", "mkZ9…oken(32)", "2026-03-10T08:15:12.000Z", "2026-03-10T08:15:12.000Z"])
        #expect(lines[3].prefix(2) == ["user-1", "tablet"])
    }

    @Test func `lists in pages`() throws {
        let first = try run("list", "--app", Workspace.app, "--limit=2")
        let lines = first.output.split(separator: "\n")
        #expect(lines.count == 4)
        let place = try #require(lines.last?.split(separator: " ").dropLast(2).last.map { String($0.dropLast()) })
        #expect(lines.last == "There are more: --after \(place), or --all")
        let second = try run("list", "--app", Workspace.app, "--json", "--after", place)
        guard case .array(let rest) = try second.json["push_tokens"], case .object(let device)? = rest.first else {
            throw ChildProcess.Failure.missingOutput
        }
        #expect(rest.count == 1)
        #expect(device.string("user_id") == "user-1")
        #expect(device.string("device_id") == "tablet")
        #expect(try second.json["next"] == .null)
        let all = try run("list", "--app", Workspace.app, "--limit=2", "--all", "--json").output.split(separator: "\n")
        #expect(all.count == 2, "a page each")
    }

    @Test(arguments: ["list", "remove"]) func `reports an unknown app`(_ command: String) throws {
        let result = try run([command, "--app=ap-1"] + (command == "remove" ? ["--user=u"] : []))
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasSuffix("did you mean \"app-1\"?\n"))
    }

    @Test func `removes only the tokens of the given person`() throws {
        #expect(try run("remove", "--app", Workspace.app, "--user=user-1", "--device=tablet").output == "1 push token is removed.\n")
        #expect(try run("remove", "--app", Workspace.app, "--user=user-1", "--json").output == "{\"removed\":1}\n")
        #expect(try run("remove", "--app", Workspace.app, "--user=user-1").output == "0 push tokens are removed.\n")
        #expect(try run("list", "--app", Workspace.app, "--user=user-1").output == "No push token matches.\n")
        #expect(try run("list", "--app", Workspace.app).output.split(separator: "\n").count == 2)
        let reported = try Deskgate.run("deliveries", "list", "--json", "--config", workspace.configuration)
        guard case .array(let deliveries) = try reported.json["deliveries"] else { throw ChildProcess.Failure.missingOutput }
        #expect(deliveries.count == 2, "the service tells of them when it runs")
    }

    @Test(arguments: [
        ["list"], ["list", "--app="], ["list", "--app=app-1", "--limit=0"], ["list", "--app=app-1", "--after=x"],
        ["list", "--app=app-1", "x"],
        ["remove"], ["remove", "--app=app-1"], ["remove", "--app=app-1", "--device=phone"], ["remove", "--app=app-1", "--user="],
        ["remove", "--user=user-1"],
    ])
    func `rejects invalid usage`(_ arguments: [String]) throws {
        let result = try run(arguments)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.wholeMatch(of: /deskgate: .+\n(usage: deskgate tokens|  --)[\s\S]+\n/) != nil)
        #expect(try run("list", "--app", Workspace.app).output.split(separator: "\n").count == 4, "nothing has changed")
    }

    private func run(_ arguments: String...) throws -> Deskgate.Result { try run(arguments) }

    private func run(_ arguments: [String]) throws -> Deskgate.Result {
        try Deskgate.run(["tokens", arguments[0], "--config", workspace.configuration] + arguments.dropFirst())
    }
}
