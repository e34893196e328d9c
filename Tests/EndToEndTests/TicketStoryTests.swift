import HTTPServer
import JSON
import Simulators
import TestSupport
import Testing

/// `deskgate simulate`, `deskgate serve` and `deskgate tickets …` as a company uses them, and a customer's requests.
@Suite struct TicketStoryTests {
    private static let user = "ticket-user"

    /// A workspace whose one app belongs to the simulated Sendbird Desk.
    private func workspace(_ simulator: ChildProcess, _ directory: TemporaryDirectory) throws -> Workspace {
        _ = try simulator.output.line(containing: "ready")
        var sendbird: JSONObject = try jsonObject(directory.read("sim/sendbird.json"))
        let workspace = try Workspace()
        sendbird.append(true, forKey: "tickets")
        try workspace.configure([
            "admin": Workspace.admin(port: try freePort()),
            "apps": [
                [
                    "app_id": .string(Workspace.app), "help_desk": "sendbird", "keys": [["id": 1, "secret": ["file": "app-1.key"]]],
                    "sendbird": .object(sendbird),
                ]
            ],
        ])
        return workspace
    }

    private func tickets(_ workspace: Workspace, _ words: String...) throws -> Deskgate.Result {
        try Deskgate.run(["tickets", words[0], "--config", workspace.configuration, "--app", Workspace.app] + words.dropFirst())
    }

    @Test func `serves the company and its customers`() throws {
        let directory = try TemporaryDirectory()
        let arguments = ["simulate", "--directory", directory.path("sim"), "--json"]
        let simulator = try ChildProcess(Deskgate.path, arguments.map { Array($0.utf8) })
        let workspace = try workspace(simulator, directory)
        let server = try RunningServer(workspace)

        let unknown = try tickets(workspace, "create", "--user", Self.user, "--title", "Order 7")
        #expect(unknown.code == 1, "Chat does not know the user yet")
        try ask(directory, api: "chat", path: "v3/users", body: #"{"user_id":"\#(Self.user)","nickname":"","profile_url":""}"#)
        let nameless = try tickets(workspace, "create", "--user", Self.user, "--user-name", "", "--title", "Order 7")
        #expect(nameless.code == 2)
        #expect(nameless.errors.contains("--user-name: expected 1 to 80 UTF-16 code units without control characters."))
        let made = try tickets(
            workspace, "create", "--user", Self.user, "--user-name", "Mary", "--title", "Order 7", "--group", "cs-team", "--field",
            "order=7", "--field", "no=1",
            "--json")
        #expect(made.code == 0)
        guard case .object(let ticket)? = try made.json["ticket"], case .integer(let id)? = ticket["ticket_id"] else {
            throw ChildProcess.Failure.missingOutput
        }
        #expect(try made.json["dropped"] == ["no"])
        #expect(try tickets(workspace, "show", "--ticket", "\(id)").output.contains("state: INITIALIZED\n"))
        #expect(try tickets(workspace, "priority", "--ticket", "\(id)", "--to", "HIGH").output.contains("priority: HIGH\n"))
        #expect(try tickets(workspace, "fields", "--ticket", "\(id)", "--field", "language=ru").output == "Set.\n")
        let channel = "sendbird_desk_\(id)"
        let related = try tickets(workspace, "relate", "--ticket", "\(id)", "--related", channel)
        #expect(related.output.contains("related_channels: \(channel) (Order 7)\n"))
        let foreign = try tickets(workspace, "relate", "--ticket", "\(id)", "--related", "sendbird_desk_999")
        #expect(foreign.errors.contains("the person is no member of one of these channels."))
        let none = try tickets(workspace, "relate", "--ticket", "\(id)", "--none")
        #expect(none.code == 0)
        #expect(!none.output.contains("related_channels"))
        let partly = try tickets(workspace, "fields", "--ticket", "\(id)", "--field", "no=1", "--field", "language=en")
        #expect(partly.code == 0)
        #expect(partly.output.hasPrefix("Set. The help desk has dropped no: "))
        let vain = try tickets(workspace, "fields", "--ticket", "\(id)", "--field", "no=1", "--field", "other=1")
        #expect(vain.code == 1)
        #expect(vain.output.hasPrefix("No field was set. The help desk has dropped no, other: "))
        let vainJSON = try tickets(workspace, "fields", "--ticket", "\(id)", "--field", "no=1", "--json")
        #expect(vainJSON.code == 1)
        #expect(try vainJSON.json["dropped"] == ["no"])
        let early = try tickets(workspace, "close", "--ticket", "\(id)")
        #expect(early.code == 1)
        #expect(early.errors.contains("Only a ticket that is ACTIVE or IDLE can be closed; this one is INITIALIZED."))
        #expect(try tickets(workspace, "list").output == "No ticket matches.\n")
        #expect(try tickets(workspace, "count").output.hasPrefix("open: 0\nPENDING: 0\n"))
        let missing = try tickets(workspace, "reopen", "--ticket", "999")
        #expect(missing.code == 1)
        #expect(missing.errors.contains("There is no such ticket."))

        try ask(directory, api: "chat", path: "simulated/channels/sendbird_desk_\(id)/customer")
        #expect(try tickets(workspace, "list").output.contains("PENDING"))
        try ask(directory, api: "desk", path: "simulated/tickets/\(id)/assign")
        #expect(try tickets(workspace, "count").output.hasPrefix("open: 1\nPENDING: 0\nACTIVE: 1\n"))
        #expect(try tickets(workspace, "close", "--ticket", "\(id)", "--comment", "done").output.contains("state: CLOSED\n"))
        #expect(try tickets(workspace, "list", "--closed", "--field", "order=7", "--user", Self.user).output.contains("Order 7"))
        #expect(try tickets(workspace, "reopen", "--ticket", "\(id)").output.contains("state: ACTIVE\n"))

        let own = try call(server, workspace: workspace, name: "show", members: ["ticket_id": .integer(id)])
        #expect(own.status == 200)
        #expect(own.text.contains(#""title":"Order 7""#))
        #expect(!own.text.contains("cs-team"))
        let found = try call(server, workspace: workspace, name: "list", members: ["custom_fields": ["order": "7"]])
        #expect(found.text.contains(#""title":"Order 7""#))
        let others: [(user: String, order: String)] = [(Self.user, "8"), ("ticket-user-2", "7")]
        for (user, order) in others {
            let list = try call(
                server, workspace: workspace, name: "list", members: ["custom_fields": ["order": .string(order)]], user: user)
            #expect(list.text == #"{"tickets":[],"next":null}"#)
        }
        let hidden = try call(server, workspace: workspace, name: "show", members: ["ticket_id": .integer(id)], user: "ticket-user-2")
        #expect(hidden.status == 404)
        let counted = try call(server, workspace: workspace, name: "count", members: [:])
        #expect(counted.status == 200)
        #expect(counted.text == #"{"open":1,"closed":0}"#)
        #expect(try call(server, workspace: workspace, name: "close", members: ["ticket_id": .integer(id)]).status == 200)

        #expect(try server.stop() == .exit(0))
        let alone = try tickets(workspace, "count")
        #expect(alone.code == 2)
        #expect(alone.errors.contains("no service answers"))
        simulator.send(15)
        #expect(try simulator.waitForEnd() == .exit(0))
    }

    /// Sends a request to the simulated Desk or Chat, and expects success.
    private func ask(_ directory: TemporaryDirectory, api: String, path: String, body: String = "") throws {
        let settings = try jsonObject(directory.read("sim/sendbird.json"))
        let token = try directory.read("sim/sendbird-\(api)-token").split(separator: "\n")[0]
        try directory.write("header", "\(api == "desk" ? "SENDBIRDDESKAPITOKEN" : "Api-Token"): \(token)\n")
        let url = "\(settings.string("\(api)_url") ?? "")/\(path)"
        let answer = try Command(
            "curl", "-sS", "-X", "POST", "-H", "@\(directory.path("header"))", "-w", "%{http_code}", "-o", "/dev/null", "--data", body, url)
        #expect(answer.output == "200")
    }

    private func call(
        _ server: RunningServer, workspace: Workspace, name: String, members: JSONObject, user: String = user
    ) throws -> ReceivedResponse {
        var body: JSONObject = [
            "app_id": .string(Workspace.app), "user_id": .string(user), "security_key": .string(try workspace.key(user: user)),
        ]
        for member in members.members { body.append(member.value, forKey: member.key) }
        let bytes = JSONValue.object(body).serialized()
        let client = try SocketClient(server.publicAddress)
        try client.send("POST /sendbird/tickets/\(name) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bytes.count)\r\n\r\n")
        try client.send(bytes)
        return try client.readResponse()
    }
}
