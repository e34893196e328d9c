import HTTPServer
import JSON
import Simulators
import TestSupport
import Testing

/// The features of the vendor's SDK, with the whole program on both stores, for customers and for attackers.
@Suite struct SendbirdPromiseTests {
    enum StoreKind: CaseIterable {
        case sqlite, postgres

        func database() throws -> PostgresServer? { self == .postgres ? try PostgresServer() : nil }
    }

    private static let lists: JSONObject = ["ticket_fields": ["order"], "customer_fields": ["plan"]]
    private static let other = "customer-2"

    /// Starts the program. A database's revocations are loaded a moment after the listener starts.
    private func start(_ site: SendbirdSite) throws -> RunningServer {
        let server = try RunningServer(site.workspace)
        #expect(eventually { (try? PushSite.get(server.publicAddress, "/readyz")) == #"200 {"status":"ready"}"# })
        return server
    }

    @Test(arguments: StoreKind.allCases)
    func `a customer sets listed fields of the customer's own ticket only`(_ store: StoreKind) throws {
        let database = try store.database()
        defer { withExtendedLifetime(database) {} }
        let site = try SendbirdSite(Self.lists, database: database)
        let server = try start(site)
        let (id, channel) = try site.ticket(server)
        func ask(_ path: String, _ members: JSONObject, user: String = SendbirdSite.user) throws -> String {
            let body: JSONObject = JSONObject([("ticket_id", .integer(id))] + members.members.map { ($0.key, $0.value) })
            let answer = try site.call(server, path: "tickets/\(path)", members: body, user: user)
            return "\(answer.status) \(answer.text)"
        }
        #expect(try ask("fields", ["custom_fields": ["order": "7"]]) == #"200 {"custom_fields":{"order":"7"},"dropped":[]}"#)
        #expect(try ask("fields", ["custom_fields": ["language": "ru"]]).hasPrefix(#"400 {"error":"field_not_allowed""#))
        #expect(try ask("fields", ["custom_fields": ["order": "8"]], user: Self.other).hasPrefix("404 "))
        let related = #""related_channels":[{"channel":"\#(channel)","name":"Order 7"}]"#
        #expect(try ask("related-channels", ["related_channels": [.string(channel)]]).contains(related))
        #expect(try ask("related-channels", ["related_channels": ["sendbird_desk_999"]]).hasPrefix(#"400 {"error":"foreign_channel""#))
        #expect(try ask("related-channels", ["related_channels": []], user: Self.other).hasPrefix("404 "))
        #expect(try ask("show", [:]).contains(related))
        let own = try site.call(server, path: "tickets/customer-fields", members: ["custom_fields": ["plan": "gold"]])
        #expect(own.text == #"{"custom_fields":{"plan":"gold"},"dropped":[]}"#)
        let shown = try #require(site.sendbird.desk.ticket(id))
        #expect(shown["customFields"]?.elements.map { $0["value"] } == ["7"])
        #expect(try site.event("ticket.created")["channel_type"] == "SENDBIRD")
        try site.end(server, hiding: ["gold"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a message read on another device causes no push`(_ store: StoreKind) throws {
        let database = try store.database()
        defer { withExtendedLifetime(database) {} }
        let site = try SendbirdSite(database: database)
        let server = try start(site)
        _ = try site.register(server)
        let channel = try site.ticket(server).channel
        // APNs is unavailable, so that the push waits.
        site.phones.simulators.faults.add(Fault(.answer(.init(503, "ServiceUnavailable")), at: .apns, times: nil))
        site.chat.post(.agent(text: "How can I help?"), in: channel)
        #expect(try site.event("comment.created")["channel"] == .string(channel))
        func seen(_ user: String, _ ticket: String, token: String = Markers.adminToken) throws -> String {
            let members: JSONObject = ["app_id": .string(SendbirdSite.app), "user_id": .string(user), "ticket_id": .string(ticket)]
            let answer = try site.administer(server, path: "/v1/users/seen", members: members, token: token)
            return "\(answer.status) \(answer.text)"
        }
        #expect(try seen(SendbirdSite.user, channel, token: "wrong").hasPrefix("401 "))
        #expect(try seen(Self.other, channel) == #"200 {"superseded":0}"#)
        #expect(try seen(SendbirdSite.user, "102").contains("ticket_id: expected the channel of the ticket, such as sendbird_desk_102."))
        // PostgreSQL skips a push that is being claimed.
        #expect(eventually { (try? seen(SendbirdSite.user, channel)) == #"200 {"superseded":1}"# })
        func reported() throws -> [JSONObject] { try site.events("conversation.seen").filter { $0.string("user_id") == SendbirdSite.user } }
        #expect(eventually { (try? reported().isEmpty) == false })
        #expect(try reported().first?["data"]?["channel"] == .string(channel))
        // A read receipt without Sendbird's signature is rejected.
        let forged = try SocketClient(server.publicAddress)
        let body = #"{"category":"group_channel:message_read","channel":{"channel_url":"\#(channel)"}}"#
        try forged.send(
            "POST /sendbird/chat-webhook/\(SendbirdSite.app) HTTP/1.1\r\nHost: localhost\r\nx-sendbird-signature: 00\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(try forged.readResponse().status == 403)
        site.phones.simulators.faults.removeAll()
        site.chat.post(.agent(text: "Are you there?"), in: channel)
        #expect(site.phones.simulators.recorder.wait(for: 1, milliseconds: WaitLimit.milliseconds))
        #expect(site.phones.simulators.recorder.pushes.map(\.body) == ["Are you there?"])
        try site.end(server, hiding: ["How can I help", "Are you there"])
    }
}
