import HTTPServer
import JSON
import Simulators
import TestSupport
import Testing

/// `deskgate explain` about a running service, and about its store.
@Suite struct ExplainTests {
    /// The output names this user; no other output of the program does.
    private static let user = "user-1"

    /// Runs the command, and expects this exit code and this text in the finding.
    @discardableResult
    private func explain(
        _ workspace: Workspace, words: [String], code: Int32, finding: String, input: String = "/dev/null"
    ) throws -> JSONObject {
        let result = try Deskgate.run(["explain", "--json", "--config", workspace.configuration] + words, input: input)
        #expect(result.code == code, "\(result)")
        #expect(result.errors.isEmpty, "\(result)")
        let answer = try jsonObject(result.output)
        #expect(answer.string("finding")?.contains(finding) == true, "\(answer.string("finding") ?? "")")
        #expect((answer.string("outcome") == "ok") == (code == 0))
        #expect(!result.output.contains("dgk1."))
        return answer
    }

    private func waitForFinding(_ workspace: Workspace, words: [String], finding: String) -> Bool {
        eventually {
            let result = try? Deskgate.run(["explain", "--json", "--config", workspace.configuration] + words)
            return (try? result?.json.string("finding"))??.contains(finding) == true
        }
    }

    @Test func `keys and users are explained`() throws {
        let workspace = try Workspace([
            "store": ["type": "sqlite", "path": "deskgate.db", "minimum_free_megabytes": 0], "security_keys": ["clock_skew_seconds": 0],
        ])
        let server = try RunningServer(workspace)
        if case .tcp(_, let port) = server.adminAddress {
            try workspace.configure([
                "admin": Workspace.admin(port: port), "security_keys": ["clock_skew_seconds": 0],
                "store": ["type": "sqlite", "path": "deskgate.db", "minimum_free_megabytes": 0],
            ])
        }
        let key = try workspace.key(user: Self.user)
        try workspace.write("key", key, mode: 0o600)
        let stdin = workspace.directory.path("key")
        let person = ["--app", Workspace.app, "--user", Self.user]
        try explain(workspace, words: person + ["--key", "-"], code: 0, finding: "answers 200", input: stdin)
        try explain(workspace, words: ["--user", "user-9", "--key", "-"], code: 1, finding: "403 (wrong_mac)", input: stdin)
        try explain(workspace, words: ["--key", "-"], code: 1, finding: "well formed and in force", input: stdin)
        try explain(workspace, words: person, code: 0, finding: "Nothing keeps this user out")
        let short = try Deskgate.run(["key", "mint", "--ttl", "1", "--config", workspace.configuration] + person).output.dropLast()
        #expect(waitForFinding(workspace, words: person + ["--key", String(short)], finding: "403 (expired)"))
        #expect(eventually { (try? server.authorize(String(short), user: Self.user).status) == 403 })
        let block = try Deskgate.run(["users", "block", "--reason", "rude", "--config", workspace.configuration] + person)
        #expect(block.code == 0)
        let blocked = try explain(
            workspace, words: person + ["--key", "-"], code: 1, finding: "403 (revoked): This user is blocked", input: stdin)
        #expect(blocked.string("remedy")?.hasPrefix("To let the user in again: deskgate users unblock") == true)
        let text = try Deskgate.run(["explain", "--config", workspace.configuration] + person)
        #expect(text.code == 1)
        #expect(text.output.hasPrefix("This user is denied with any key: blocked at "))
        #expect(text.output.contains("\nTo do: To let the user in again: deskgate users unblock"))
        #expect(try server.stop() == .exit(0))
        let log = try server.process.errors.text()
        #expect(!log.contains("dgk1."))
        #expect(!log.contains(Self.user))
        // The store contains the same data without the service.
        try explain(workspace, words: person + ["--key", "-"], code: 1, finding: "403 (revoked): This user is blocked", input: stdin)
        try workspace.write("key", try workspace.key(user: "user-9"), mode: 0o600)
        let stopped = "answers 200: this key is allowed now. But: The service does not run."
        let answer = try explain(workspace, words: ["--user", "user-9", "--key", "-"], code: 1, finding: stopped, input: stdin)
        #expect(answer.string("remedy")?.hasPrefix("Start it: ") == true)
    }

    @Test func `a user whose requests are denied is explained`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        if case .tcp(_, let port) = server.adminAddress { try workspace.configure(["admin": Workspace.admin(port: port)]) }
        let person = ["--app", Workspace.app, "--user", Self.user]
        let (right, wrong) = (try workspace.key(user: Self.user), try workspace.key(user: "user-9"))
        for _ in 0..<3 { #expect(try server.authorize(wrong, user: Self.user).status == 403) }
        let denied = try explain(workspace, words: person, code: 1, finding: "This user was denied 3 times in ten minutes, last at ")
        #expect(denied.string("finding")?.contains(": wrong signature (wrong_mac) with the key id ") == true)
        #expect(denied.string("remedy")?.hasPrefix("Check in this order: the file's keys are in force") == true)
        try explain(workspace, words: ["--user", "user-9"], code: 0, finding: "Nothing keeps this user out")
        #expect(try server.authorize(right, user: Self.user).status == 200)
        try explain(workspace, words: person, code: 0, finding: "The latest request was allowed, at ")
        #expect(try server.stop() == .exit(0))
        let log = try server.process.errors.text()
        #expect(!log.contains("dgk1."))
        #expect(!log.contains(Self.user))
    }

    @Test func `comments, devices and deliveries are explained`() throws {
        let site = try PushSite()
        site.simulators.faults.add(Fault(.answer(.init(410, "Unregistered")), at: .apns))
        let (server, workspace) = try started(site)
        try explain(workspace, words: ["--comment", "404"], code: 1, finding: "No delivery of comment 404 is stored")
        try explain(workspace, words: ["--device", "device-1"], code: 1, finding: "No such device is registered")
        try site.register(server, user: Self.user)
        try site.register(server, user: "user-2", device: "tv", type: "tv", token: "abc")
        let device = try explain(
            workspace, words: ["--device", "tv", "--user", "user-2"], code: 1, finding: "No notifier serves devices of this type")
        #expect(device.string("remedy")?.contains("apps[].routes") == true)
        try explain(workspace, words: ["--device", "device-1"], code: 0, finding: "a notifier serves it")
        #expect(try WebhookSite.post(1, user: Self.user, SocketClient(server.publicAddress)) == "accepted")
        #expect(waitForFinding(workspace, words: ["--comment", "1"], finding: "Comment 1 has not arrived: apns gave it up"))
        let refused = try explain(
            workspace, words: ["--comment", "1"], code: 1, finding: "the provider does not know the device's token any more")
        #expect(refused.string("remedy")?.hasPrefix("Have the person open the app") == true)
        #expect(refused.string("finding")?.contains(PushSite.token) == false)
        guard case .array(let steps)? = refused["steps"], case .object(let step)? = steps.last(where: { $0["step"] == "delivery" }),
            case .object(let references)? = step["references"], let id = references.string("delivery_id")
        else { throw ChildProcess.Failure.missingOutput }
        let shown = try Deskgate.run("explain", "--delivery", id, "--config", workspace.configuration)
        #expect([0, 1].contains(shown.code))
        #expect(shown.output.contains("delivery_id \(id)"))
        try explain(workspace, words: ["--device", "device-1"], code: 1, finding: "No such device is registered")
        #expect(try server.stop() == .exit(0))
        let log = try server.process.errors.text()
        #expect(!log.contains(PushSite.token))
        #expect(!log.contains("dgk1."))
    }

    @Test func `a paused notifier is reported with its remedy`() throws {
        let site = try PushSite()
        try site.configure(["apns": ["key_id": "WRONGKEYID"]])
        let (server, workspace) = try started(site, ["apns": ["key_id": "WRONGKEYID"]])
        try site.register(server, user: Self.user)
        #expect(try WebhookSite.post(1, user: Self.user, SocketClient(server.publicAddress)) == "accepted")
        _ = try server.process.errors.line(containing: "a notifier is paused")
        #expect(waitForFinding(workspace, words: ["--comment", "1"], finding: "notifier paused (invalid_provider_token)"))
        let answer = try explain(
            workspace, words: ["--comment", "1"], code: 1, finding: "It waits for apns: notifier paused (invalid_provider_token).")
        #expect(answer.string("remedy")?.contains("\"key_id\"") == true)
        #expect(answer.string("remedy")?.contains("run deskgate reload") == true)
        try explain(workspace, words: ["--user", Self.user], code: 1, finding: "But the latest delivery has not arrived")
        #expect(try server.stop() == .exit(0))
    }

    /// Starts a site's service. From then on the configuration contains the operators' port, so that commands find the service.
    private func started(_ site: PushSite, _ changes: [String: JSONObject] = [:]) throws -> (RunningServer, Workspace) {
        let server = try RunningServer(site.workspace)
        guard case .tcp(_, let port) = server.adminAddress else { throw ChildProcess.Failure.missingOutput }
        try site.configure(changes, adminPort: port)
        return (server, site.workspace)
    }
}
