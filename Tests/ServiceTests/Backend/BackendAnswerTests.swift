import Core
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct BackendAnswerTests {
    @Test(arguments: [
        (200, 200, "valid"), (204, 200, "valid"), (401, 403, "backend_denied"), (403, 403, "backend_denied"),
        (404, 403, "backend_denied"), (302, 503, "backend_status"), (400, 503, "backend_status"), (429, 503, "backend_status"),
        (500, 503, "backend_status"),
    ])
    func decides(backendStatus: Int, status: Int, reason: String) throws {
        for path in BackendCaller.routes {
            let fixture = try BackendFixture()
            try fixture.withService(.everyRequest(.respond(backendStatus, headers: ["Location: /signin"]))) { (service, backend) throws in
                // The second request gets the same cached response, or causes another call.
                for _ in 1...2 { try check(service.ask(path), status) }
                #expect(backend.requests.count == (status == 503 ? 2 : 1))
            }
            guard path == BackendCaller.authorize, status != 200 else { continue }
            let line = try #require(fixture.log.lines().first { $0.contains(" authorize ") })
            let result = status == 403 ? "INFO  authorize result=denied" : "WARN  authorize result=undecided"
            #expect(line.hasPrefix("\(result) reason=\(reason) app=shop key_id=1 user_ref="))
            #expect(line.hasSuffix(" request_id=r1"))
        }
    }

    private func check(_ response: ReceivedResponse, _ status: Int) {
        #expect(response.status == status)
        switch status {
        case 403: #expect(response.text == AuthorizeCases.denied)
        case 503:
            #expect(response.headers["retry-after"] == "1")
            #expect(response.text == ExchangeCase.error("undecided", "The request could not be decided; try again."))
        default: #expect(response.text.contains(#""status":"#))
        }
    }

    @Test func `a surplus response allows no user`() throws {
        let yes = ScriptedStep.respond(200)
        let script = [[.readRequest, yes, .awaitRelease, yes, .hang], [.readRequest, .respond(403)]]
        try BackendFixture().withService(.connections(script)) { (service, backend) throws in
            #expect(try service.ask().status == 200)
            backend.release()
            #expect(try service.ask(user: "user-2").status == 403)
            #expect(backend.requests.map(\.connection) == [0, 1])
        }
    }

    @Test func `a checked key is not sent to the backend`() throws {
        try BackendFixture().withService(.everyRequest(.respond(200))) { (service, backend) throws in
            #expect(try service.ask(user: "user-\u{e9}").status == 200)
            let request = try #require(backend.requests.first)
            #expect(request.method == "POST")
            #expect(request.target == BackendFixture.path)
            #expect(request.header("content-type") == "application/json")
            #expect(request.text == "{\"app_id\":\"shop\",\"user_id\":\"user-\u{e9}\"}")
            #expect(try isGenuine(request))
        }
    }

    @Test func `a key of the backend's own is sent to it`() throws {
        try BackendFixture().withService(.everyRequest(.respond(200)), mode: "backend", hasKeys: false) { (service, backend) throws in
            #expect(try service.ask(key: "their own key").status == 200)
            let request = try #require(backend.requests.first)
            #expect(request.text == #"{"app_id":"shop","user_id":"user-1","security_key":"their own key"}"#)
            #expect(try isGenuine(request))
        }
    }

    private func isGenuine(_ request: RecordedRequest) throws -> Bool {
        try StandardWebhookSignature.isGenuine(
            signature: request.header("webhook-signature") ?? "", id: request.header("webhook-id") ?? "",
            timestamp: request.header("webhook-timestamp") ?? "", body: request.body.span,
            secrets: [StandardWebhookSecret(TestSecret.signing(5))], now: TestTime.now.milliseconds)
    }

    @Test func `invalid keys are not sent to the backend`() throws {
        try BackendFixture().withService(.everyRequest(.respond(200))) { (service, backend) throws in
            for path in BackendCaller.routes {
                for key in [TestKey(secret: 9), TestKey(keyID: 7), TestKey(issuedAt: TestTime.now - 100, expiresAt: TestTime.now - 61)] {
                    #expect(try service.ask(path, key: key.text()).status == 403)
                }
                #expect(try service.ask(path, key: "their own key").status == 400)
                #expect(try service.ask(path, app: "bank").status == 200)
            }
            #expect(backend.connectionCount == 0)
        }
    }

    @Test func `a device is registered only if the backend allows it`() throws {
        try BackendFixture().withService(.requests([[.respond(403)], [.respond(200)]]), verify: #","cache":{"negative_seconds":0}"#) {
            (service, _) throws in
            let bad = try PushTokenCases.kit(["instance_id": "7"])
            // A denied caller learns of no other mistakes.
            #expect(try BackendCaller.begin(service.publicAddress, path: BackendCaller.pushToken, body: bad).readResponse().status == 403)
            #expect(try BackendCaller.begin(service.publicAddress, path: BackendCaller.pushToken, body: bad).readResponse().status == 400)
            #expect(try service.ask(BackendCaller.pushToken).text == PushTokenCases.registered)
        }
    }

    @Test(arguments: [("error", 503), ("deny", 403), ("allow_if_key_valid", 200)])
    func `the policy decides when the backend fails`(rule: String, status: Int) throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(500)), verify: #","when_undecided":"\#(rule)""#) { (service, _) throws in
            for path in BackendCaller.routes { #expect(try service.ask(path).status == status) }
            // Never for a user whose key is invalid.
            #expect(try service.ask(key: TestKey(secret: 9).text()).status == 403)
            let counts = try fixture.counts(service, "deskgate_authorize_requests_total")
            let expected = [
                "error": #"{app="shop",result="undecided",reason="backend_status",key_id=""} 1"#,
                "deny": #"{app="shop",result="denied",reason="backend_undecided",key_id="1"} 1"#,
                "allow_if_key_valid": #"{app="shop",result="authorized",reason="backend_undecided",key_id="1"} 1"#,
            ]
            #expect(counts.contains(try #require(expected[rule])))
        }
        let level = status == 403 ? "INFO " : "WARN "
        #expect(try fixture.log.lines().contains { $0.hasPrefix("\(level) authorize result=") && $0.contains("reason=backend_") })
    }

    @Test(arguments: [("error", 503, 0), ("deny", 403, 1), ("allow_if_key_valid", 200, 1)])
    func `the log has the backend's failure if the policy decides`(
        _ rule: String, status: Int, count: Int
    ) throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(500)), verify: #","when_undecided":"\#(rule)""#) { (service, _) throws in
            #expect(try service.ask("/pyrus/authorize").status == status)
        }
        let lines = try fixture.log.lines().filter { $0.contains(" authorize result=") }
        #expect(lines.count == 1)
        #expect(lines.count { $0.contains("reason=backend_undecided") && $0.contains("cause=backend_status") } == count, "\(lines)")
    }

    @Test func `the log has the backend's failure for a denied registration`() throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(500)), verify: #","when_undecided":"deny""#) { (service, _) throws in
            #expect(try service.ask(BackendCaller.pushToken).status == 403)
        }
        let line = try #require(try fixture.log.lines().first { $0.contains("push token result=denied") })
        #expect(line.contains(" cause=backend_status"), "\(line)")
    }

    @Test func `everything is counted`() throws {
        let fixture = try BackendFixture()
        try fixture.withService(.requests([[.respond(200)], [.respond(403)], [.respond(500)]])) { (service, _) throws in
            for user in ["user-1", "user-2", "user-3", "user-1", "user-2"] { _ = try service.ask(user: user) }
            #expect(
                try fixture.counts(service, "deskgate_backend_checks_total") == [
                    #"{app="shop",result="allowed"} 1"#, #"{app="shop",result="denied"} 1"#, #"{app="shop",result="status"} 1"#,
                ])
            #expect(
                try fixture.counts(service, "deskgate_backend_cache_hits_total") == [
                    #"{app="shop",result="allowed"} 1"#, #"{app="shop",result="denied"} 1"#,
                ])
            #expect(try fixture.counts(service, "deskgate_backend_check_duration_seconds_count") == [#"{app="shop"} 3"#])
            #expect(
                try fixture.counts(service, "deskgate_authorize_requests_total") == [
                    #"{app="shop",result="authorized",reason="valid",key_id="1"} 2"#,
                    #"{app="shop",result="denied",reason="backend_denied",key_id="1"} 2"#,
                    #"{app="shop",result="undecided",reason="backend_status",key_id=""} 1"#,
                ])
            #expect(try fixture.counts(service, "deskgate_authorize_duration_seconds_count") == [" 5"])
        }
    }
}
