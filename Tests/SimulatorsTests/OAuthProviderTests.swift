import Crypto
import HTTPClient
import JSON
import Simulators
import TestSupport
import Testing
import Threading
import Time

@Suite struct OAuthProviderTests {
    private static let message = #"{"message":{"token":"device-1","android":{"ttl":"60s","notification":{"title":"Anna","body":"Hello"}}}}"#
    private static let fcmPath = "/v1/projects/simulated-project/messages:send"
    private static let huaweiMessage = #"{"message":{"android":{"notification":{"title":"Anna","body":"Hello"}},"token":["device-1"]}}"#
    private static let huaweiPath = "/v1/100000001/messages:send"

    private func assertion(_ fixture: SimulatorFixture, _ change: (inout JSONObject) -> Void = { _ in }) throws -> String {
        let now = Int64(fixture.seconds)
        var claims: JSONObject = [
            "iss": .string(fixture.simulators.credentials.fcmClientEmail),
            "scope": "https://www.googleapis.com/auth/firebase.messaging", "aud": .string("\(fixture.simulators[.fcm].url)/token"),
            "iat": .integer(now), "exp": .integer(now + 3600),
        ]
        change(&claims)
        let key = try RS256PrivateKey(pem: fixture.simulators.credentials.fcmKey.utf8.span)
        return try SimulatorFixture.token(["alg": "RS256", "typ": "JWT"], claims: claims, key: key)
    }

    private func authorize(_ fixture: SimulatorFixture, _ assertion: String) throws -> SimulatorReply {
        let body = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
        return try SimulatorReply(
            fixture.post(.fcm, "/token", headers: [("content-type", "application/x-www-form-urlencoded")], body: body))
    }

    private func send(
        _ fixture: SimulatorFixture, provider: SimulatedProvider, token: JSONValue?, path: String = fcmPath, body: String = message
    ) throws -> SimulatorReply {
        guard case .string(let token)? = token else { return try SimulatorReply(fixture.post(provider, path, body: body)) }
        return try SimulatorReply(fixture.post(provider, path, headers: [("authorization", "Bearer \(token)")], body: body))
    }

    private func code(_ reported: SimulatorReply) -> JSONValue? {
        guard case .array(let details)? = reported["error", "details"], case .object(let detail)? = details.first else { return nil }
        return detail["errorCode"]
    }

    @Test func `FCM accepts a push of a service account`() throws {
        try SimulatorFixture.run { fixture in
            let granted = try authorize(fixture, assertion(fixture))
            #expect(granted.status == 200)
            #expect(granted["expires_in"] == 3600)
            #expect(try send(fixture, provider: .fcm, token: granted["access_token"]).status == 200)
            let push = try #require(fixture.simulators.recorder.pushes.first)
            #expect(push.title == "Anna")
            #expect(push.body == "Hello")
            #expect(push.token == "device-1")
            #expect(!push.isDryRun)
            let dry = #"{"validate_only":true,"message":{"token":"device-1","data":{"k":"v"}}}"#
            #expect(try send(fixture, provider: .fcm, token: granted["access_token"], body: dry).status == 200)
            #expect(fixture.simulators.recorder.pushes.map(\.isDryRun) == [false, true])
        }
    }

    /// Clients detect a wrong clock with it; the expected value is RFC 9110's example.
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (1_800_000_000, "Fri, 15 Jan 2027 08:00:00 GMT"), (1_704_067_199, "Sun, 31 Dec 2023 23:59:59 GMT"),
    ])
    func `Google's responses have the time`(seconds: UnixSeconds, text: String) throws {
        try SimulatorFixture.run { fixture in
            fixture.now.update { $0 = seconds.milliseconds }
            let date = try fixture.post(.fcm, "/token", body: "").get().header("date")
            #expect(date == text)
        }
    }

    @Test func `FCM rejects invalid assertions`() throws {
        try SimulatorFixture.run { fixture in
            let now = Int64(fixture.seconds)
            let spoiled = [
                try assertion(fixture) { $0 = $0.replacing("iss", "someone@example.com") },
                try assertion(fixture) { $0 = $0.replacing("aud", "https://oauth2.example.com/token") },
                try assertion(fixture) { $0 = $0.replacing("exp", .integer(now + 3601)) },
                try assertion(fixture) { $0 = $0.replacing("iat", .integer(now - 7200)).replacing("exp", .integer(now - 3600)) },
                String(try assertion(fixture).dropLast(8)) + "AAAAAAAA", "nonsense",
            ]
            for assertion in spoiled {
                let reported = try authorize(fixture, assertion)
                #expect(reported.status == 400)
                #expect(reported["error"] == "invalid_grant")
            }
            let scope = try authorize(fixture, assertion(fixture) { $0 = $0.replacing("scope", "email") })
            #expect(scope["error"] == "invalid_scope")
        }
    }

    @Test func `access tokens expire`() throws {
        try SimulatorFixture.run({ $0.accessTokenSeconds = 60 }) { fixture in
            let token = try authorize(fixture, assertion(fixture))["access_token"]
            #expect(try send(fixture, provider: .fcm, token: token).status == 200)
            fixture.now.withLock { $0 += 60_000 }
            let late = try send(fixture, provider: .fcm, token: token)
            #expect(late.status == 401)
            #expect(late["error", "status"] == "UNAUTHENTICATED")
            #expect(try send(fixture, provider: .fcm, token: nil).status == 401)
        }
    }

    @Test func `FCM names the invalid field`() throws {
        try SimulatorFixture.run { fixture in
            let devices = fixture.simulators.devices
            let token = try authorize(fixture, assertion(fixture))["access_token"]
            devices["device-1"] = SimulatedDevice(refusal: .unregistered)
            let gone = try send(fixture, provider: .fcm, token: token)
            #expect(gone.status == 404)
            #expect(code(gone) == "UNREGISTERED")
            devices["device-1"] = SimulatedDevice(refusal: .mismatch)
            let mismatch = try send(fixture, provider: .fcm, token: token)
            #expect(mismatch.status == 403)
            #expect(code(mismatch) == "SENDER_ID_MISMATCH")
            devices["device-1"] = SimulatedDevice(refusal: .invalid)
            let invalid = try send(fixture, provider: .fcm, token: token)
            #expect(invalid.status == 400)
            #expect(code(invalid) == "INVALID_ARGUMENT")
            #expect(invalid["error", "message"] == "The registration token is not a valid FCM registration token")
            #expect(invalid.json?["error"]?["details"]?.elements.count == 1)
            let number = try send(fixture, provider: .fcm, token: token, body: #"{"message":{"token":"device-2","data":{"k":1}}}"#)
            #expect(number.status == 400)
            #expect(code(number) == nil)
            let long = #"{"message":{"token":"device-2","data":{"k":"\#(String(repeating: "x", count: 4096))"}}}"#
            #expect(try send(fixture, provider: .fcm, token: token, body: long).status == 400)
            let project = try send(fixture, provider: .fcm, token: token, path: "/v1/projects/other/messages:send")
            #expect(project.status == 404)
            #expect(code(project) == nil)
            #expect(fixture.simulators.recorder.count == 0)
        }
    }

    @Test func `RuStore accepts its token`() throws {
        try SimulatorFixture.run { fixture in
            let token = JSONValue.string(fixture.simulators.credentials.rustoreToken)
            let (right, wrong) = (
                try send(fixture, provider: .rustore, token: token).status, try send(fixture, provider: .rustore, token: "other").status
            )
            #expect(right == 200)
            #expect(wrong == 403)
            #expect(fixture.simulators.recorder.pushes.map(\.provider) == [.rustore])
            for refusal in SimulatedDevice.Refusal.allCases {
                fixture.simulators.devices["device-1"] = SimulatedDevice(refusal: refusal)
                let reported = try send(fixture, provider: .rustore, token: token)
                #expect(reported.status == 404)
                #expect(reported["error", "status"] == "NOT_FOUND")
                #expect(code(reported) == nil)
            }
        }
    }

    @Test(
        arguments: [
            (#"{"apns-push-type":"background","apns-priority":"5"}"#, #"{"content-available":1}"#, 200),
            (#"{"apns-push-type":"background","apns-priority":"10"}"#, #"{"content-available":1}"#, 400),
            (#"{"apns-push-type":"background"}"#, #"{"content-available":1}"#, 400),
            (#"{"apns-push-type":"background","apns-priority":"5"}"#, #"{"content-available":1,"sound":"default"}"#, 400),
        ])
    func `FCM accepts a background push in Apple's form`(_ headers: String, aps: String, status: Int) throws {
        try SimulatorFixture.run { fixture in
            let token = try authorize(fixture, assertion(fixture))["access_token"]
            let body =
                #"{"message":{"token":"device-1","data":{"k":"v"},"apns":{"headers":\#(headers),"payload":{"aps":\#(aps)}}}}"#
            #expect(try send(fixture, provider: .fcm, token: token, body: body).status == status)
        }
    }

    @Test(arguments: [#""data":"{}""#, #""android":{"data":"{}"}"#, #""data":{}"#, #""android":{}"#])
    func `a data message of HMS has a text`(_ content: String) throws {
        try SimulatorFixture.run { fixture in
            let secret = fixture.simulators.credentials.hmsSecret
            let granted = try SimulatorReply(
                fixture.post(
                    .hms, "/oauth2/v3/token", headers: [("content-type", "application/x-www-form-urlencoded")],
                    body: "grant_type=client_credentials&client_id=100000001&client_secret=\(secret)"))
            let body = #"{"message":{\#(content),"token":["device-1"]}}"#
            let code = try send(fixture, provider: .hms, token: granted["access_token"], path: Self.huaweiPath, body: body)["code"]
            #expect(code == (content.contains(#""data":"{}""#) ? "80000000" : "80100003"))
        }
    }

    @Test func `HMS reports errors in the body`() throws {
        try SimulatorFixture.run { fixture in
            let secret = fixture.simulators.credentials.hmsSecret
            func authorize(_ secret: String) throws -> SimulatorReply {
                try SimulatorReply(
                    fixture.post(
                        .hms, "/oauth2/v3/token", headers: [("content-type", "application/x-www-form-urlencoded")],
                        body: "grant_type=client_credentials&client_id=100000001&client_secret=\(secret)"))
            }
            let refused = try authorize("other").status
            let granted = try authorize(secret)
            #expect(refused == 400)
            #expect(granted.status == 200)
            let token = granted["access_token"]
            func sent(_ token: JSONValue?, path: String = Self.huaweiPath, _ body: String = Self.huaweiMessage) throws -> JSONValue? {
                try send(fixture, provider: .hms, token: token, path: path, body: body)["code"]
            }
            let (right, wrong) = (try sent(token), try sent("other"))
            #expect(right == "80000000")
            #expect(wrong == "80200001")
            #expect(try sent(token, path: "/v1/2/messages:send") == "80300002")
            #expect(try sent(token, #"{"message":{"token":[]}}"#) == "80300010")
            fixture.simulators.devices["device-1"] = SimulatedDevice(refusal: .unregistered)
            #expect(try sent(token) == "80300007")
            #expect(try sent(token, #"{"message":{"data":"{}","token":["device-1","device-2"]}}"#) == "80100000")
            fixture.now.withLock { $0 += 3_600_000 }
            #expect(try sent(token) == "80200003")
            #expect(fixture.simulators.recorder.pushes.map(\.token) == ["device-1", "device-2"])
        }
    }

    @Test func `revoked tokens are unknown`() throws {
        try SimulatorFixture.run { fixture in
            let token = try authorize(fixture, assertion(fixture))["access_token"]
            fixture.simulators.revokeAccessTokens()
            let status = try send(fixture, provider: .fcm, token: token).status
            #expect(status == 401)
        }
    }
}
