import Configuration
import Core
import HTTPClient
import HelpDesk
import JSON
import Notifiers
import TestSupport
import Testing
import Threading
import Time

@testable import Pyrus

/// The relay to Pyrus against a scripted server.
@Suite struct PyrusNotifierTests {
    private static let good = ScriptedStep.respond(200, body: #"{"result":"ok"}"#)

    private struct Relay {
        let notifier: PyrusNotifier
        let server: ScriptedServer
        let clocks: ManualClocks

        /// Delivers an event while the registry has the same state.
        func deliver(_ event: Event) -> DeliveryOutcome {
            let device = event.kind == .pushTokenRegistered ? RegistrationSample.device(event) : nil
            let outcomes = Outcomes(1)
            let span = TraceContext(traceID: 5, spanID: 6, isSampled: true)
            notifier.deliver(RegistrationSample.delivery(event, device).attempted(in: span)) { outcomes.add($0, 0) }
            return outcomes.wait()[0]
        }
    }

    private func with(
        _ script: ScriptedServer.Script,
        mintKey: @escaping @Sendable (String, String) -> String? = { app, user in "key-of-\(app)-\(user)" },
        port: UInt16? = nil,
        _ body: (Relay) throws -> Void
    ) throws {
        let server = try ScriptedServer(script)
        defer { server.stop() }
        let client = try Client()
        defer { client.close() }
        let clocks = ManualClocks(unixMilliseconds: Sample.now)
        let url = "http://127.0.0.1:\(port ?? server.port)/servicedeskapi/v1/SetPushToken"
        let notifier = try PyrusNotifier(
            .sample(url), RelayServices(mintKey: mintKey, clocks: clocks.clocks), client: client)
        try body(Relay(notifier: notifier, server: server, clocks: clocks))
    }

    @Test func `sends the requests of the SDK`() throws {
        try with(.everyRequest(Self.good)) { relay in
            #expect(relay.deliver(RegistrationSample.event()) == DeliveryOutcome(.delivered, reason: "status_200"))
            let gone = RegistrationSample.event(user: "other", at: Sample.now + 1, kind: .pushTokenRemoved)
            #expect(relay.deliver(gone).verdict == .delivered)
            let (first, second) = (relay.server.requests[0], relay.server.requests[1])
            #expect(first.method == "POST")
            #expect(first.target == "/servicedeskapi/v1/SetPushToken")
            #expect(first.header("content-type") == "application/json; charset=utf-8")
            #expect(
                first.text
                    == #"{"app_id":"app","user_id":"user","security_key":"key-of-app-user","instance_id":"device","version":2,"token":"push-token","type":"ios"}"#
            )
            #expect(JSONValue(parsing: second.body)?["token"] == .null)
            #expect(JSONValue(parsing: second.body)?["user_id"]?.text == "other")
            #expect(first.header("traceparent") == nil, "it need not know of our traces")
        }
    }

    /// The store enforces the help desk's limits.
    @Test func `the relay keeps within the rate limits of Pyrus`() throws {
        try with(.everyRequest(Self.good)) { relay in
            #expect(
                relay.notifier.rateLimits == [
                    OutboundRateLimit(per: .person, max: 1, windowMilliseconds: 300_000),
                    OutboundRateLimit(per: .device, max: 5, windowMilliseconds: 300_000),
                ])
            #expect(
                RateLimitedCall(RegistrationSample.delivery(RegistrationSample.event(), nil), relay.notifier.rateLimits) == nil,
                "superseded")
        }
    }

    private static let later = DeliveryOutcome.Verdict.retry(retryAfterMilliseconds: nil)

    @Test(
        arguments: [
            (200, #"{"error":"no"}"#, later, "refused"), (200, "", later, "malformed_response"), (200, "[]", later, "malformed_response"),
            (400, "", .dead, "status_400"), (401, "", later, "status_401"), (403, "{}", later, "status_403"),
            (404, "", .misconfigured, "status_404"), (410, "", .misconfigured, "status_410"),
            (429, "", .retry(retryAfterMilliseconds: 300_000), "status_429"), (500, "", later, "status_500"),
            (502, "", later, "status_502"),
            (301, "", later, "status_301"),
        ] as [(Int, String, DeliveryOutcome.Verdict, String)])
    func answers(status: Int, body: String, verdict: DeliveryOutcome.Verdict, reason: String) throws {
        try with(.everyRequest(.respond(status, body: body))) { relay in
            let outcome = relay.deliver(RegistrationSample.event())
            #expect(outcome.verdict == verdict)
            #expect(outcome.reason == reason)
        }
    }

    @Test(arguments: [502, 504]) func `a 502 or 504 from a help desk's proxy does not request backoff`(_ status: Int) throws {
        try with(.everyRequest(.respond(status))) { relay in
            let outcome = relay.deliver(RegistrationSample.event())
            #expect(outcome.requestsBackoff)
            #expect(!outcome.isThrottled)
        }
    }

    @Test func `Retry-After is honoured`() throws {
        try with(.everyRequest(.respond(503, headers: ["Retry-After: 9"]))) { relay in
            #expect(relay.deliver(RegistrationSample.event()).verdict == .retry(retryAfterMilliseconds: 9000))
        }
    }

    @Test func `a call that never arrived is not counted`() throws {
        let keys = Monitor<String?>(nil)
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        try with(.everyRequest(Self.good), mintKey: { _, _ in keys.withLock { $0 } }, port: closed.port) { relay in
            let event = RegistrationSample.event()
            let outcome = relay.deliver(event)
            #expect(outcome == DeliveryOutcome(Self.later, reason: "no_key", isAboutDevice: true, calledReceiver: false))
            #expect(!outcome.mayHaveArrived)
            keys.update { $0 = "key" }
            #expect(!relay.deliver(event).mayHaveArrived, "nobody listens")
        }
    }

    @Test(arguments: [.respond(200, body: "{}"), .respond(503), .close] as [ScriptedStep])
    func `a call that may have arrived is counted`(step: ScriptedStep) throws {
        try with(.everyRequest(step)) { relay in #expect(relay.deliver(RegistrationSample.event()).mayHaveArrived) }
    }

    @Test func `an event that cannot be relayed is given up`() throws {
        try with(.everyRequest(Self.good)) { relay in
            #expect(
                relay.deliver(RegistrationSample.event(kind: .commentCreated))
                    == DeliveryOutcome(.delivered, reason: "not_for_relay", calledReceiver: false))
            for data in ["", "{}", #"{"device_id":"","type":"ios","token":"t"}"#, #"{"device_id":"d","type":"ios"}"#] {
                #expect(
                    relay.deliver(RegistrationSample.event(data: data))
                        == DeliveryOutcome(.dead, reason: "unreadable_payload", calledReceiver: false))
            }
            #expect(relay.server.requests.isEmpty)
            #expect(!relay.notifier.preservesTicketOrder)
            #expect(relay.notifier.concurrency == 8)
            #expect(relay.notifier.longestAttemptMilliseconds == 20_000)
        }
    }
}
