import Core
import Crypto
import HTTPClient
import HelpDesk
import JSON
import Notifiers
import TestSupport
import Testing
import Threading
import Time

@testable import Configuration
@testable import Sendbird

/// The relay to Sendbird against a scripted server.
@Suite struct SendbirdNotifierTests {
    private static let good = ScriptedStep.respond(200, body: "{}")
    private static let unknownUser = ScriptedStep.respond(400, body: #"{"error":true,"code":400201,"message":"User not found."}"#)

    private struct Relay {
        let notifier: SendbirdNotifier
        let server: ScriptedServer
        let ended: Monitor<[String]>

        /// Delivers an event while the registry has the same token, or the given one.
        func deliver(_ event: Event, token: String = "push-token") -> DeliveryOutcome {
            let device = event.kind == .pushTokenRegistered ? RegistrationSample.device(event, token: token) : nil
            let outcomes = Outcomes(1)
            notifier.deliver(RegistrationSample.delivery(event, device)) { outcomes.add($0, 0) }
            return outcomes.wait()[0]
        }

        var requests: [String] { server.requests.map { "\($0.method) \($0.target)" } }
    }

    private func with(
        _ script: ScriptedServer.Script, relays: Bool = true, apps: [String] = ["app"], _ body: (Relay) throws -> Void
    ) throws {
        let server = try ScriptedServer(script)
        defer { server.stop() }
        let client = try Client()
        defer { client.close() }
        let ended = Monitor<[String]>([])
        let invalidation = CacheInvalidation()
        invalidation.listen { item in
            if case .sessionsEnded(let person) = item { ended.withLock { $0.append("\(person.appID) \(person.userID)") } }
        }
        let relayed = apps.map { app in
            Configuration.RelayedApp(
                id: app, url: "http://127.0.0.1:\(server.port)", tokens: [SecretBytes(copying: "chat-token".utf8.span)],
                relaysRegistrations: relays)
        }
        let relay = Configuration.Relay(helpDesk: .sendbird, apps: relayed, transport: NotifierTransport(concurrency: 8))
        let services = RelayServices(mintKey: { _, _ in nil }, clocks: ManualClocks().clocks, invalidation: invalidation)
        try body(Relay(notifier: SendbirdNotifier(relay, services, client: client), server: server, ended: ended))
    }

    private static func event(_ kind: Event.Kind, user: String = "user", type: String = "ios") -> Event {
        let isRegistry = kind == .pushTokenRegistered || kind == .pushTokenRemoved
        return RegistrationSample.event(
            user: user, device: isRegistry ? "device" : "", type: type, kind: kind, data: isRegistry ? nil : "{}")
    }

    @Test(arguments: [
        ("ios", "apns", "apns_device_token"), ("Android", "gcm", "gcm_reg_token"), ("huawei", "huawei", "huawei_device_token"),
    ])
    func `sends the requests that Sendbird expects`(_ type: String, service: String, member: String) throws {
        try with(.everyRequest(Self.good)) { relay in
            let event = RegistrationSample.event(user: "a/b", type: type)
            let outcomes = Outcomes(1)
            relay.notifier.deliver(RegistrationSample.delivery(event, RegistrationSample.device(event, type: type))) { outcomes.add($0, 0) }
            #expect(outcomes.wait()[0] == DeliveryOutcome(.delivered, reason: "status_200"))
            #expect(relay.deliver(Self.event(.pushTokenRemoved, user: "a/b", type: type)).verdict == .delivered)
            #expect(relay.requests == ["POST /v3/users/a%2Fb/push/\(service)", "DELETE /v3/users/a%2Fb/push/\(service)/push-token"])
            let sent = relay.server.requests[0]
            #expect(sent.text == #"{"\#(member)":"push-token"}"#)
            #expect(sent.header("Api-Token") == "chat-token")
        }
    }

    /// A customer's phone must not get pushes for support. Sessions of such an id are still ended.
    @Test(arguments: ["sendbird_desk_agent_id_1", "SENDBIRD_DESK_AGENT_ID_1"]) func `relays no token of support`(_ user: String) throws {
        try with(.everyRequest(Self.good)) { relay in
            for kind in [Event.Kind.pushTokenRegistered, .pushTokenRemoved] {
                #expect(relay.deliver(Self.event(kind, user: user)) == DeliveryOutcome(.dead, unasked: .requestCannotBeMade))
            }
            #expect(relay.requests == [])
            #expect(relay.deliver(Self.event(.userSignedOut, user: user)).verdict == .delivered)
            #expect(relay.requests == ["DELETE /v3/users/\(user)/token"])
        }
    }

    @Test func `relays only the registry's state`() throws {
        try with(.everyRequest(Self.good)) { relay in
            #expect(relay.deliver(Self.event(.pushTokenRegistered), token: "a-later-token").reason == "superseded")
            #expect(relay.deliver(Self.event(.commentCreated)).reason == "not_for_relay")
            let car = RegistrationSample.event(type: "car")
            let outcomes = Outcomes(1)
            relay.notifier.deliver(RegistrationSample.delivery(car, RegistrationSample.device(car, type: "car"))) { outcomes.add($0, 0) }
            #expect(outcomes.wait()[0].reason == "not_for_relay")
            #expect(relay.requests == [])
        }
        try with(.everyRequest(Self.good), relays: false) { relay in
            #expect(relay.deliver(Self.event(.pushTokenRegistered)).reason == "not_for_relay")
            #expect(relay.requests == [])
        }
        try with(.everyRequest(Self.good), apps: ["another"]) { relay in
            #expect(relay.deliver(Self.event(.userSignedOut)) == DeliveryOutcome(.dead, reason: "unknown_app", calledReceiver: false))
        }
    }

    /// A registration of `new` in place of another token, while the registry has `present`; nil for none.
    private static func replacement(_ former: String, present: String?, type: String = "ios") -> Delivery {
        let data = #"{"device_id":"device","type":"ios","token":"new","replaces":{"type":"\#(type)","token":"\#(former)"}}"#
        let event = RegistrationSample.event(data: data)
        return RegistrationSample.delivery(event, present.map { RegistrationSample.device(event, token: $0) })
    }

    @Test(arguments: [
        (Self.replacement("old", present: "new"), ["DELETE apns/old", "POST apns"]),
        (Self.replacement("old", present: "new", type: "android"), ["DELETE gcm/old", "POST apns"]),
        (Self.replacement("old", present: "new", type: "car"), ["POST apns"]),
        (Self.replacement("new", present: "new", type: "iphone"), ["POST apns"]),
        // The later token is relayed by its own event, but the former one must be removed.
        (Self.replacement("old", present: "newer"), ["DELETE apns/old"]), (Self.replacement("old", present: nil), ["DELETE apns/old"]),
        (Self.replacement("old", present: "old"), []), (Self.replacement(".", present: "new"), ["POST apns"]),
    ])
    func `removes a token that was replaced`(_ delivery: Delivery, _ expected: [String]) throws {
        try with(.everyRequest(Self.good)) { relay in
            let outcomes = Outcomes(1)
            relay.notifier.deliver(delivery) { outcomes.add($0, 0) }
            #expect(outcomes.wait()[0].verdict == .delivered && outcomes.wait()[0].calledReceiver == !expected.isEmpty)
            #expect(relay.requests.map { $0.replacing("/v3/users/user/push/", with: "") } == expected)
        }
    }

    @Test(arguments: [
        (Self.unknownUser, DeliveryOutcome.Verdict.delivered, 2),
        (.respond(400, body: #"{"error":true,"code":400111}"#), .delivered, 2), (.respond(500), .retry(retryAfterMilliseconds: nil), 1),
    ])
    func `registers once the former token is removed`(_ answer: ScriptedStep, verdict: DeliveryOutcome.Verdict, count: Int) throws {
        try with(.requests([[answer], [Self.good]])) { relay in
            let outcomes = Outcomes(1)
            relay.notifier.deliver(Self.replacement("old", present: "new")) { outcomes.add($0, 0) }
            #expect(outcomes.wait()[0].verdict == verdict)
            #expect(relay.requests.count == count)
        }
    }

    /// The device has another token before Sendbird has removed the first one.
    @Test func `removes a token whose device has another one`() throws {
        try with(.everyRequest(Self.good)) { relay in
            for (present, expected) in [("another", 1), ("push-token", 1)] {
                let event = Self.event(.pushTokenRemoved)
                let outcomes = Outcomes(1)
                relay.notifier.deliver(RegistrationSample.delivery(event, RegistrationSample.device(event, token: present))) {
                    outcomes.add($0, 0)
                }
                #expect(outcomes.wait()[0].verdict == .delivered && relay.requests.count == expected, "\(present)")
            }
        }
    }

    @Test(arguments: [Event.Kind.userSignedOut, .userForgotten])
    func `ends sessions`(_ kind: Event.Kind) throws {
        try with(.requests([[.respond(503)], [.respond(200)], [Self.unknownUser]])) { relay in
            #expect(relay.deliver(Self.event(kind)).verdict == .retry(retryAfterMilliseconds: nil))
            #expect(relay.ended.withLock { $0 } == [])
            #expect(relay.deliver(Self.event(kind)).verdict == .delivered, "the answer is empty")
            #expect(relay.deliver(Self.event(kind)).verdict == .delivered, "who does not exist has no session")
            #expect(relay.requests == Array(repeating: "DELETE /v3/users/user/token", count: 3))
            #expect(relay.ended.withLock { $0 } == ["app user", "app user"])
        }
    }

    @Test func `creates an unknown user`() throws {
        try with(.requests([[Self.unknownUser], [Self.good], [Self.good]])) { relay in
            #expect(relay.deliver(Self.event(.pushTokenRegistered)).verdict == .delivered)
            #expect(relay.requests == ["POST /v3/users/user/push/apns", "POST /v3/users", "POST /v3/users/user/push/apns"])
            #expect(relay.server.requests[1].text == #"{"user_id":"user","nickname":"","profile_url":""}"#)
        }
        try with(.requests([[Self.unknownUser], [Self.good], [Self.unknownUser]])) { relay in
            #expect(relay.deliver(Self.event(.pushTokenRegistered)) == DeliveryOutcome(.dead, reason: "status_400"))
            #expect(relay.deliver(Self.event(.pushTokenRemoved)).verdict == .delivered)
        }
    }

    @Test(
        arguments: [
            (.respond(429, headers: ["X-RateLimit-RetryAfter: 3"]), .retry(retryAfterMilliseconds: 3000), "status_429"),
            (.respond(500), .retry(retryAfterMilliseconds: nil), "status_500"), (.respond(401), .misconfigured, "status_401"),
            (.respond(400, body: #"{"error":true,"code":400111}"#), .dead, "status_400"),
            (.respondWrongly(200, contentLength: 1, body: "?"), .retry(retryAfterMilliseconds: nil), "malformed_response"),
        ] as [(ScriptedStep, DeliveryOutcome.Verdict, String)])
    func `reports distinct failures`(_ answer: ScriptedStep, verdict: DeliveryOutcome.Verdict, reason: String) throws {
        try with(.everyRequest(answer)) { relay in
            let outcome = relay.deliver(Self.event(.userSignedOut))
            #expect(outcome.verdict == verdict)
            #expect(outcome.reason == reason)
        }
    }

    @Test func `one app's rejected token pauses no other app`() throws {
        try with(.everyRequest(.respond(401)), apps: ["app", "another"]) { relay in
            let outcome = relay.deliver(Self.event(.userSignedOut))
            #expect(outcome.verdict == .retry(retryAfterMilliseconds: nil))
            #expect(outcome.settingsFault == .ofApp)
        }
    }
}
