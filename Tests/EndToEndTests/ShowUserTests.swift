import JSON
import TestSupport
import Testing
import Time

/// `deskgate users show` with a running service and with its store.
@Suite final class ShowUserTests {
    private static let user = "somebody"
    private let sink: ScriptedServer

    init() throws {
        sink = try ScriptedServer(.everyRequest(.respond(200)))
    }

    deinit {
        sink.stop()
    }

    private func run(_ site: WebhookSite, _ words: String...) throws -> String {
        let person = ["--app", Workspace.app, "--user", Self.user, "--config", site.workspace.configuration]
        let result = try Deskgate.run(["users"] + words + person)
        #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
        return result.output
    }

    private func lines(_ site: WebhookSite) throws -> [String] {
        try run(site, "show").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private func register(_ site: WebhookSite, _ server: RunningServer) throws {
        let client = try SocketClient(server.publicAddress)
        let body =
            #"{"app_id":"app-1","user_id":"\#(Self.user)","security_key":"\#(try site.workspace.key(user: Self.user))","#
            + #""instance_id":"phone","version":2,"type":"ios","token":"a-token-that-nobody-sees"}"#
        try client.send(
            "POST /pyrus/push-token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(try client.readResponse().text == #"{"status":"registered"}"#)
    }

    @Test func `reports all records of a user`() throws {
        let site = try WebhookSite(sink)
        let server = try site.start()
        let nobody = try lines(site)
        #expect(nobody[0].hasPrefix("User somebody of app-1, in the log "))
        #expect(
            nobody[1...] == [
                "May chat with a key of the app.", "", "Push tokens: none", "", "Registrations",
                "LIMIT                DEVICE  USED    NEXT",
                "1 per user in 300 s  -       0 of 1  now", "", "Revocations: none", "", "Latest deliveries: none", "",
            ])

        try register(site, server)
        #expect(try WebhookSite.post(1, user: Self.user, SocketClient(server.publicAddress)) == "accepted")
        #expect(sink.waitForRequests(2))
        let active = try lines(site)
        #expect(active.contains { $0.hasPrefix("1 per user in 300 s    -       1 of 1  20") })
        #expect(active.contains("5 per device in 300 s  phone   1 of 5  now"))
        #expect(active.contains("Push tokens"))
        #expect(active.first { $0.hasPrefix("phone ") }?.contains(" ios ") == true)
        #expect(!active.joined().contains("a-token-that-nobody-sees"))
        #expect(try run(site, "block") == "Blocked. 1 push token is removed.\n")
        #expect(eventually { (try? self.run(site, "show", "--json").contains(#""state":"pending""#)) == false })
        let blocked = try lines(site)
        #expect(blocked[1] == "May not chat: the user is blocked.")
        #expect(blocked.contains("Push tokens: none"))
        #expect(blocked.contains { $0.contains(" block ") })
        #expect(blocked.count { $0.contains(" comment.created ") } == 2)
        let object = try jsonObject(run(site, "show", "--json"))
        #expect(object["may_chat"] == false)
        #expect(object.string("reason") == "blocked")
        #expect(object["deliveries_complete"] == true)

        _ = try run(site, "unblock")
        _ = try run(site, "sign-out")
        #expect(try lines(site)[1].hasPrefix("May chat with a key of the app. Keys issued before 20"))
        #expect(try server.stop() == .exit(0))
        _ = try run(site, "forget")
        let former = try lines(site)
        #expect(former[1] == "May not chat, ever: the user was forgotten.")
        #expect(former.contains("Push tokens: none"))
        #expect(former.contains { $0.contains(" former ") })
        #expect(!former.joined().contains("comment.created"))
    }

    @Test func `limits of the app and the service are reported`() throws {
        let workspace = try Workspace([
            "admin": Workspace.admin(port: try freePort()),
            "push_tokens": [
                "limits": [["per": "app", "max": 2, "window_seconds": 60], ["per": "service", "max": 3, "window_seconds": 60]]
            ],
        ])
        let server = try RunningServer(workspace)
        let shown = try Deskgate.run(
            "users", "show", "--app", Workspace.app, "--user", Self.user, "--config", workspace.configuration)
        #expect(shown.output.contains("\n2 per app in 60 s      -       not counted here  -\n"))
        #expect(shown.output.contains("\n3 per service in 60 s  -       not counted here  -\n"))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a user whose current keys are revoked may not chat`() throws {
        let workspace = try Workspace([
            "admin": Workspace.admin(port: try freePort()), "security_keys": ["clock_skew_seconds": 3600],
        ])
        let server = try RunningServer(workspace)
        let person = ["--app", Workspace.app, "--user", Self.user, "--config", workspace.configuration]
        let soon = SystemClock.unixMilliseconds().seconds + 3000
        #expect(try Deskgate.run(["revoke", "--issued-before", "\(soon)"] + person).code == 0)
        let shown = try Deskgate.run(["users", "show"] + person)
        #expect(shown.output.contains("\nMay not chat: keys issued before 20"))
        let refused = try Deskgate.run(["revoke", "--issued-before", "9796072458"] + person)
        #expect(refused.code == 2)
        #expect(refused.errors.contains("--issued-before: expected a time that has come"), "\(refused.errors)")
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a bound of the app applies to its users`() throws {
        let site = try WebhookSite(sink)
        let server = try site.start()
        let result = try Deskgate.run(
            "revoke", "--app", Workspace.app, "--all", "--issued-before", "1000", "--config", site.workspace.configuration)
        #expect(result.code == 0)
        let object = try jsonObject(run(site, "show", "--json"))
        #expect(object["may_chat"] == true)
        #expect(object.integer("keys_since") == 1000)
        #expect(object.string("verify") == "key")
        #expect(try lines(site)[1] == "May chat with a key of the app. Keys issued before 1970-01-01T00:16:40.000Z are revoked.")
        #expect(try server.stop() == .exit(0))
        let unknown = try Deskgate.run("users", "show", "--app", "app-2", "--user", "u", "--config", site.workspace.configuration)
        #expect(unknown.code == 2)
        #expect(unknown.errors.contains("no app of this name is configured"))
    }
}
