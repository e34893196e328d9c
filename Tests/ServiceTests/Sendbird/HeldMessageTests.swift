import Core
import HTTPServer
import Storage
import TestSupport
import Testing

@testable import Sendbird

@Suite struct HeldMessageTests {
    private static let held = ["message.held  owner:lookup pending"]
    private static let done = ["message.held  owner:lookup delivered"]
    private static let reported = SendbirdFixture.reported("comment.created", pushed: true)

    /// A fault of Desk, the outcome of an attempt during it, and the reason in the log.
    private static let faults: [(name: String, steps: [ScriptedStep], attempt: String, reason: String)] = [
        ("an error", [.respond(500)], "retry status_500", "status_500"),
        ("a bad gateway", [.respond(502)], "retry status_502", "status_502"),
        ("too many requests", [.respond(429, headers: ["Retry-After: 7"])], "retry after 7000 status_429", "status_429"),
        ("too many requests without a time", [.respond(429)], "retry after 1000 status_429", "status_429"),
        ("a refused token", [.respond(401)], "retry status_401 ofApp", "status_401"),
        ("a refused request", [.respond(400)], "retry status_400", "status_400"),
        ("a path that is not there", [.respond(404)], "retry status_404", "status_404"),
        ("no answer", [.close], "retry closed_early", "closed_early"),
        ("something else than JSON", [.respond(200, body: "<html>")], "retry malformed_response", "malformed_response"),
        ("no list", [.respond(200, body: "{}")], "retry malformed_response", "malformed_response"),
    ]

    @Test(arguments: faults.indices) func `a message is held while Desk fails, and delivered afterwards`(_ index: Int) throws {
        let fault = Self.faults[index]
        // Two requests fail: that of the webhook, and that of the first attempt.
        let fixture = try SendbirdFixture(desk: .requests([fault.steps, fault.steps, [SendbirdFixture.named]]))
        try fixture.registerDevice()
        #expect(shown(try fixture.chat(SendbirdBody.message())) == SendbirdFixture.accepted, "\(fault.name)")
        #expect(try fixture.events() == Self.held)
        #expect(fixture.counts() == [#"{app="APP",result="held"} 1"#])
        #expect(try fixture.log.lines().contains { $0.contains(" result=held app=APP api=desk reason=\(fault.reason) ") })
        // After a 429 nothing is sent before the time that Desk has set.
        let isThrottled = fault.reason == "status_429"
        #expect(try fixture.lookUpOwners() == [fault.attempt], "\(fault.name)")
        #expect(try fixture.events() == Self.held)
        #expect(fixture.questions.count == (isThrottled ? 1 : 2))
        fixture.pass(milliseconds: 7000)
        if isThrottled { #expect(try fixture.lookUpOwners() == [fault.attempt]) }
        fixture.pass(milliseconds: 7000)
        #expect(try fixture.lookUpOwners() == ["delivered owner_found"])
        #expect(try fixture.events().sorted() == (Self.done + Self.reported).sorted())
        #expect(try fixture.lookUpOwners() == [])
        #expect(!(try fixture.log.text()).contains("Hello"))
    }

    /// The webhook's request has the same timeout as an attempt.
    @Test func `a message is held while Desk hangs, and delivered afterwards`() throws {
        let store = MemoryStore()
        defer { store.close() }
        let hanging = try SendbirdFixture(shared: store, deskTimeout: 200, desk: .everyRequest(.hang))
        try hanging.registerDevice()
        #expect(shown(try hanging.chat(SendbirdBody.message())) == SendbirdFixture.accepted)
        #expect(try hanging.lookUpOwners() == ["retry timeout"])
        #expect(try hanging.events() == Self.held)
        #expect(try hanging.log.lines().contains { $0.contains(" result=held app=APP api=desk reason=timeout ") })
        let well = try SendbirdFixture(shared: store, desk: .everyRequest(SendbirdFixture.named))
        #expect(try well.lookUpOwners() == ["delivered owner_found"])
        #expect(try well.events().sorted() == (Self.done + Self.reported).sorted())
    }

    /// Formerly Chat got a 503, and the log blamed the disk.
    @Test func `the log names Desk's failure and not the store`() throws {
        let fixture = try SendbirdFixture(deskTimeout: 200, desk: .everyRequest(.hang))
        #expect(shown(try fixture.chat(SendbirdBody.message())) == SendbirdFixture.accepted)
        let lines = try fixture.log.lines().filter { $0.contains(" webhook ") }
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.hasPrefix("INFO  webhook result=held app=APP api=desk reason=timeout ") == true, "\(lines)")
        #expect(
            fixture.metricsText().contains(#"deskgate_help_desk_requests_total{app="APP",request="list_tickets",outcome="unavailable"} 1"#))
    }

    /// Sendbird repeats the webhook, before and after the owner is known.
    @Test(arguments: SharedStoreFixture.Kind.allCases) func `a repeated webhook is delivered once`(
        _ kind: SharedStoreFixture.Kind
    )
        throws
    {
        let place = try SharedStoreFixture(kind)
        defer { place.close() }
        let away = try SendbirdFixture(shared: place.store(), desk: .everyRequest(SendbirdFixture.away))
        let well = try SendbirdFixture(shared: place.store(), desk: .everyRequest(SendbirdFixture.named))
        try away.registerDevice()
        let body = SendbirdBody.message()
        #expect(shown(try away.chat(body)) == SendbirdFixture.accepted)
        #expect(shown(try away.chat(body)) == SendbirdFixture.duplicate)
        // Another replica reaches Desk. The message is delivered at once, and the attempt detects that.
        #expect(shown(try well.chat(body)) == SendbirdFixture.accepted)
        #expect(shown(try away.chat(body)) == SendbirdFixture.duplicate)
        #expect(try away.lookUpOwners() == ["delivered duplicate"])
        #expect(try well.events().sorted() == (Self.done + Self.reported).sorted())
    }

    /// A process ends in the middle of an attempt, before or after the message was delivered; then all processes end.
    @Test(arguments: SharedStoreFixture.Kind.allCases) func `held messages survive the end of processes`(_ kind: SharedStoreFixture.Kind)
        throws
    {
        let place = try SharedStoreFixture(kind)
        defer { place.close() }
        do {
            let fixture = try SendbirdFixture(shared: place.store(), desk: .everyRequest(SendbirdFixture.away))
            try fixture.registerDevice()
            for id in ["1", "2"] { #expect(shown(try fixture.chat(SendbirdBody.message(id))) == SendbirdFixture.accepted) }
            #expect(try fixture.lookUpOwners(ends: true) == ["retry status_500"], "the second waits for the first")
        }
        place.restart()
        do {
            let fixture = try SendbirdFixture(shared: place.store(), desk: .everyRequest(SendbirdFixture.named))
            fixture.pass(milliseconds: 1)
            #expect(try fixture.lookUpOwners(ends: true) == ["delivered owner_found"])
            #expect(try fixture.events().filter { $0.hasPrefix("comment.created") } == Self.reported)
        }
        place.restart()
        let fixture = try SendbirdFixture(shared: place.store(), desk: .everyRequest(SendbirdFixture.away))
        fixture.pass(milliseconds: 2)
        #expect(try fixture.lookUpOwners() == ["delivered duplicate"])
        // The owner is known by now, so Desk is not called for the second one.
        #expect(try fixture.lookUpOwners() == ["delivered owner_found"])
        #expect(try fixture.events().sorted() == (Self.done + Self.done + Self.reported + Self.reported).sorted())
        #expect(fixture.questions.isEmpty)
    }

    /// Two processes make an attempt each, because the first one's lease has expired.
    @Test(arguments: SharedStoreFixture.Kind.allCases) func `two replicas deliver a held message once`(_ kind: SharedStoreFixture.Kind)
        throws
    {
        let place = try SharedStoreFixture(kind)
        defer { place.close() }
        let first = try SendbirdFixture(shared: place.store(), desk: .requests([[SendbirdFixture.away], [SendbirdFixture.named]]))
        let second = try SendbirdFixture(shared: place.store(), desk: .everyRequest(SendbirdFixture.named))
        try first.registerDevice()
        #expect(shown(try first.chat(SendbirdBody.message())) == SendbirdFixture.accepted)
        #expect(try first.lookUpOwners(ends: true) == ["delivered owner_found"])
        second.pass(milliseconds: 1)
        #expect(try second.lookUpOwners() == ["delivered duplicate"])
        #expect(try second.events().sorted() == (Self.done + Self.reported).sorted())
    }

    @Test func `the ticket's webhook also reports the owner`() throws {
        let fixture = try SendbirdFixture(desk: .everyRequest(SendbirdFixture.away))
        try fixture.registerDevice()
        #expect(shown(try fixture.chat(SendbirdBody.message())) == SendbirdFixture.accepted)
        #expect(shown(try fixture.desk(SendbirdBody.ticket())) == SendbirdFixture.accepted)
        #expect(try fixture.lookUpOwners() == ["delivered owner_found"])
        #expect(try fixture.events().filter { $0.hasPrefix("comment.created") } == Self.reported)
        #expect(fixture.questions.count == 1, "only the webhook has asked")
    }

    @Test func `a held message without a customer is delivered without a user`() throws {
        let fixture = try SendbirdFixture(desk: .requests([[SendbirdFixture.away], [SendbirdFixture.nobody]]))
        try fixture.registerDevice()
        #expect(shown(try fixture.chat(SendbirdBody.message())) == SendbirdFixture.accepted)
        #expect(try fixture.lookUpOwners() == ["delivered no_customer"])
        #expect(
            try fixture.events().sorted() == (Self.done + ["comment.created  log pending", "comment.created  backend pending"]).sorted())
        #expect(fixture.counts().sorted() == [#"{app="APP",result="held"} 1"#, #"{app="APP",result="no_customer"} 1"#])
    }

    /// No sender is taken for support before the owner is known.
    @Test func `a held message of the customer is not delivered`() throws {
        let fixture = try SendbirdFixture(desk: .requests([[SendbirdFixture.away], [SendbirdFixture.named]]))
        try fixture.registerDevice()
        let body = SendbirdBody.message(sender: "user-1", customType: "SENDBIRD_DESK_BOT_MESSAGE")
        #expect(shown(try fixture.chat(body)) == SendbirdFixture.accepted)
        #expect(try fixture.lookUpOwners() == ["delivered ignored"])
        #expect(try fixture.events() == Self.done)
    }

    @Test func `a message that needs no owner is not held`() throws {
        let fixture = try SendbirdFixture(desk: .everyRequest(SendbirdFixture.away))
        #expect(shown(try fixture.chat(SendbirdBody.message(sender: "user-1"))) == SendbirdFixture.ignored)
        #expect(
            shown(try fixture.chat(SendbirdBody.message(customType: "SENDBIRD_DESK_ADMIN_MESSAGE_CUSTOM_TYPE"))) == SendbirdFixture.ignored)
        #expect(try fixture.events() == [])
    }

    /// A question and its answer have the same number, and are delivered in order.
    @Test func `a question and its answer are held separately`() throws {
        let fixture = try SendbirdFixture(desk: .requests(Array(repeating: [SendbirdFixture.away], count: 4) + [[SendbirdFixture.named]]))
        try fixture.registerDevice()
        let rated = #""state":"CONFIRMED","customerSatisfactionScore":4"#
        for body in [
            SendbirdBody.satisfaction(#""state":"WAITING""#), SendbirdBody.satisfaction(rated, category: "message_update"),
        ] {
            #expect(shown(try fixture.chat(body)) == SendbirdFixture.accepted)
            #expect(shown(try fixture.chat(body)) == SendbirdFixture.duplicate)
        }
        #expect(try fixture.lookUpOwners() == ["delivered owner_found"])
        #expect(try fixture.lookUpOwners() == ["delivered owner_found"])
        let reported = try fixture.events().filter { !$0.hasPrefix("message.held") }
        #expect(reported == SendbirdFixture.reported("ticket.rating_requested", pushed: true) + SendbirdFixture.reported("ticket.rated"))
        #expect(fixture.metricsText().contains(#"deskgate_ticket_ratings_total{app="APP",score="4"} 1"#))
    }

    /// The person was forgotten while the message was held.
    @Test func `a held message for a forgotten user is not delivered`() throws {
        let fixture = try SendbirdFixture(desk: .requests([[SendbirdFixture.away], [SendbirdFixture.named]]))
        #expect(shown(try fixture.chat(SendbirdBody.message())) == SendbirdFixture.accepted)
        let former = try FormerUser(AppUser(appID: "APP", userID: "user-1"), salt: [UInt8](0..<32))
        try fixture.store.revoke(.sample(1, appID: "APP", .formerUser(former)))
        #expect(try fixture.lookUpOwners() == ["delivered ignored"])
        #expect(try fixture.events() == Self.done)
    }
}
