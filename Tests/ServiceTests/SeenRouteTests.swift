import Core
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Service

/// `POST /v1/users/seen`: a backend reports that a person has read messages.
@Suite struct SeenRouteTests {
    private static let ticket = "9007199254740993"
    private let fixture: AdminDeliverFixture

    init() throws {
        fixture = try AdminDeliverFixture(
            others: #""log":{},"# + AdminDeliverFixture.pushNotifiers, appMembers: #""notifiers":["log","phones"],"#)
        // Comment 5 has a pending push, comment 6 a pending log delivery.
        try AdminDeliverFixture.accept(fixture.store, 5, notifier: "phones")
        try AdminDeliverFixture.accept(fixture.store, 6, notifier: "log")
    }

    private func see(_ body: String, role: AdminToken.Role = .mint) -> String {
        let response = InProcessClient(fixture.router).send(
            .post, "/v1/users/seen", headers: ["Authorization": "Bearer \(ServiceFixture.token(role))"], body: Array(body.utf8))
        return "\(response.status) \(response.text)"
    }

    private func states() throws -> [String] {
        try [5, 6].map { number in
            let delivery = try #require(try fixture.store.story(of: AdminDeliverFixture.id(number))?.delivery)
            return "\(delivery.state.rawValue) \(delivery.reason)"
        }
    }

    private func reported() throws -> [String] {
        var filter = DeliveryFilter()
        filter.kind = .conversationSeen
        return try fixture.store.deliveries(filter, limit: 10).map { "\($0.notifier) \($0.event.userID)" }
    }

    @Test(arguments: ["", #","ticket_id":\#(ticket)"#, #","ticket_id":"\#(ticket)""#])
    func `a pending push is not sent, and notifiers that post or log events get the receipt`(_ ticket: String) throws {
        #expect(see(#"{"app_id":"shop","user_id":"user-1"\#(ticket)}"#) == #"200 {"superseded":1}"#)
        #expect(try states() == ["delivered superseded_by_read", "pending "])
        #expect(try reported() == ["log user-1"])
        #expect(fixture.wakeUpCount == 1)
    }

    @Test(arguments: [#""user_id":"user-1","ticket_id":7"#, #""user_id":"user-1","ticket_id":"0\#(ticket)""#, #""user_id":"user-2""#])
    func `pending pushes of other tickets and persons stay`(_ fields: String) throws {
        #expect(see(#"{"app_id":"shop",\#(fields)}"#) == #"200 {"superseded":0}"#)
        #expect(try states() == ["pending ", "pending "])
        #expect(try reported().count == 1)
    }

    @Test func `a repeated request ends nothing more`() throws {
        let body = #"{"app_id":"shop","user_id":"user-1"}"#
        #expect(see(body) == #"200 {"superseded":1}"#)
        #expect(see(body) == #"200 {"superseded":0}"#)
        #expect(try reported() == ["log user-1"])
    }

    @Test(
        arguments: [
            ("", "The body"), ("[]", "The body"), ("{}", "app_id: "), (#"{"app_id":"shop"}"#, "user_id: "),
            (#"{"app_id":"shop","user_id":""}"#, "user_id: "), (#"{"app_id":"shop","user_id":7}"#, "user_id: "),
            (#"{"app_id":"shop","user_id":"user-1","ticket_id":null}"#, "ticket_id: "),
            (#"{"app_id":"shop","user_id":"user-1","ticket_id":""}"#, "ticket_id: "),
            (#"{"app_id":"shop","user_id":"user-1","ticket_id":1.5}"#, "ticket_id: "),
            (#"{"app_id":"shop","user_id":"user-1","ticket_id":"a\u0000"}"#, "ticket_id: "),
            (#"{"app_id":"shop","user_id":"user-1","ticket_id":["7"]}"#, "ticket_id: "),
            (#"{"app_id":"shop","user_id":"user-1","ticket":7}"#, "Unknown field ticket"),
        ])
    func `an invalid body changes nothing`(_ body: String, _ message: String) throws {
        #expect(see(body).hasPrefix(#"400 {"error":"malformed","message":"\#(message)"#), "\(see(body))")
        #expect(try states() == ["pending ", "pending "])
        #expect(try reported().isEmpty)
    }

    @Test(arguments: ["bank", "Shop", "nobody"]) func `an app that is not configured is rejected`(_ app: String) throws {
        let answer = see(#"{"app_id":"\#(app)","user_id":"user-1"}"#)
        #expect(answer.hasPrefix(#"400 {"error":"unknown_name","message":"app_id: "#), "\(answer)")
        #expect(try reported().isEmpty)
    }

    @Test(arguments: [AdminToken.Role.read, .operate]) func `a token without the backend role is rejected`(_ role: AdminToken.Role) throws {
        #expect(see(#"{"app_id":"shop","user_id":"user-1"}"#, role: role).hasPrefix("403 "))
        #expect(try states() == ["pending ", "pending "])
    }

    @Test func `a body that is too long is rejected before it is read`() throws {
        let body = #"{"app_id":"shop","user_id":"user-1"\#(String(repeating: " ", count: AdminRoute.bodyLimit))}"#
        #expect(see(body).hasPrefix("413 "))
        #expect(try states() == ["pending ", "pending "])
    }

    @Test func `the audit line identifies the person by a digest`() throws {
        _ = see(#"{"app_id":"shop","user_id":"user-1"}"#)
        let reference = AdminDeliverFixture.userReference(app: "shop", user: "user-1", fixture.configuration)
        let lines = try fixture.log.lines().filter { $0.contains(" audit ") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("action=users.seen outcome=done app=shop user_ref=\(reference) superseded=1 role=mint") == true)
        #expect(lines.first?.contains("user-1") == false)
    }

    @Test func `the delivery has the reason why it was not sent`() throws {
        _ = see(#"{"app_id":"shop","user_id":"user-1"}"#)
        let delivery = try fixture.send(.get, "/v1/deliveries/\(AdminDeliverFixture.id(5))").object()
        #expect(delivery["meaning"] == "phones need not send it any more: the user had read it before.")
    }
}
