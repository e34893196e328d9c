import Crypto
import HTTPClient
import JSON
import Simulators
import TestSupport
import Testing
import Threading
import Time

@Suite struct APNsTests {
    private static let payload = #"{"aps":{"alert":{"title":"Anna","body":"Hello"}}}"#
    private static let headers = [
        (name: "apns-topic", value: "com.example.chat"), (name: "apns-push-type", value: "alert"), (name: "apns-priority", value: "10"),
        (name: "apns-expiration", value: "0"), (name: "apns-id", value: "0190f6a8-7c5e-7cc2-8d7f-0a1b2c3d4e5f"),
    ]

    private func push(
        _ fixture: SimulatorFixture, token: String = SimulatorFixture.deviceToken, path: String? = nil,
        to provider: SimulatedProvider = .apns,
        authorization: String? = nil, headers: [(name: String, value: String)] = headers, payload: String = payload
    ) throws -> Result<ClientResponse, ClientError> {
        let bearer = try authorization ?? fixture.bearer.get()
        return try fixture.post(
            provider, path ?? "/3/device/\(token)", headers: headers + (bearer.isEmpty ? [] : [("authorization", bearer)]), body: payload)
    }

    private func reason(_ result: Result<ClientResponse, ClientError>) throws -> SimulatorReply {
        let reported = try SimulatorReply(result)
        return SimulatorReply(reported.status, reported["reason"])
    }

    // Not in a macro, because the compiler must see that a closure throws.
    private func check(
        _ result: Result<ClientResponse, ClientError>, status: Int, expected: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        let reported = try reason(result)
        #expect(reported == SimulatorReply(status, .string(expected)), sourceLocation: location)
    }

    private func changed(_ name: String, _ value: String?) -> [(name: String, value: String)] {
        Self.headers.filter { $0.name != name } + (value.map { [(name, $0)] } ?? [])
    }

    @Test func `accepts a valid push`() throws {
        try SimulatorFixture.run { fixture in
            let response = try push(fixture).get()
            #expect(response.status == 200)
            #expect(response.body.isEmpty)
            #expect(response.header("apns-id") == "0190f6a8-7c5e-7cc2-8d7f-0a1b2c3d4e5f")
            let recorded = try #require(fixture.simulators.recorder.pushes.first)
            #expect(recorded.provider == .apns)
            #expect(recorded.title == "Anna")
            #expect(recorded.body == "Hello")
            #expect(recorded.id == "0190f6a8-7c5e-7cc2-8d7f-0a1b2c3d4e5f")
            #expect(recorded.headers.contains { $0.name == "apns-priority" && $0.value == "10" })
            #expect(!recorded.headers.contains { $0.name == "authorization" })
        }
    }

    @Test(arguments: [
        ("apns-topic", nil, "MissingTopic"), ("apns-topic", "com.other", "TopicDisallowed"), ("apns-topic", "com example", "BadTopic"),
        ("apns-push-type", nil, "InvalidPushType"), ("apns-push-type", "news", "InvalidPushType"),
        ("apns-priority", "7", "BadPriority"), ("apns-expiration", "-1", "BadExpirationDate"),
        ("apns-expiration", "soon", "BadExpirationDate"), ("apns-id", "0190F6A8-7C5E-7CC2-8D7F-0A1B2C3D4E5F", "BadMessageId"),
        ("apns-id", "1", "BadMessageId"), ("apns-collapse-id", String(repeating: "x", count: 65), "BadCollapseId"),
    ])
    func `rejects invalid headers`(_ name: String, value: String?, expected: String) throws {
        try SimulatorFixture.run { fixture in
            try check(push(fixture, headers: changed(name, value)), status: 400, expected: expected)
            #expect(fixture.simulators.recorder.count == 0)
        }
    }

    @Test func `rejects duplicate headers`() throws {
        try SimulatorFixture.run { fixture in
            let twice = Self.headers + [("apns-topic", "com.example.chat")]
            try check(push(fixture, headers: twice), status: 400, expected: "DuplicateHeaders")
        }
    }

    @Test func `rejects a background push with high priority`() throws {
        try SimulatorFixture.run { fixture in
            let background = changed("apns-push-type", "background")
            try check(push(fixture, headers: background), status: 400, expected: "BadPriority")
        }
    }

    @Test(
        arguments: [
            (#"{"aps":{"content-available":1},"k":"v"}"#, 200), (#"{"aps":{}}"#, 400), (#"{"aps":{"content-available":0}}"#, 400),
            (#"{"aps":{"content-available":1,"alert":"Hello"}}"#, 400), (#"{"aps":{"content-available":1,"sound":"default"}}"#, 400),
            (#"{"aps":{"content-available":1,"badge":0}}"#, 400),
        ])
    func `a background push shows nothing`(_ payload: String, _ status: Int) throws {
        try SimulatorFixture.run { fixture in
            let headers = changed("apns-push-type", "background").filter { $0.name != "apns-priority" } + [("apns-priority", "5")]
            let answer = try push(fixture, headers: headers, payload: payload).get()
            #expect(answer.status == status)
            #expect(fixture.simulators.recorder.count == (status == 200 ? 1 : 0))
        }
    }

    @Test func `rejects invalid payloads and paths`() throws {
        try SimulatorFixture.run { fixture in
            let long = #"{"aps":{"alert":"\#(String(repeating: "x", count: 4096))"}}"#
            try check(push(fixture, payload: long), status: 413, expected: "PayloadTooLarge")
            try check(push(fixture, payload: "{}"), status: 400, expected: "PayloadEmpty")
            try check(push(fixture, payload: "{"), status: 400, expected: "PayloadEmpty")
            try check(push(fixture, token: ""), status: 400, expected: "MissingDeviceToken")
            try check(push(fixture, token: "xyz"), status: 400, expected: "BadDeviceToken")
            try check(push(fixture, path: "/3/devices/aa"), status: 404, expected: "BadPath")
        }
    }

    @Test func `accepts payloads up to the limit`() throws {
        try SimulatorFixture.run { fixture in
            let empty = #"{"aps":{"alert":""}}"#
            let full = #"{"aps":{"alert":"\#(String(repeating: "x", count: 4096 - empty.utf8.count))"}}"#
            #expect(full.utf8.count == 4096)
            let status = try push(fixture, payload: full).get().status
            #expect(status == 200)
        }
    }

    @Test func `rejects invalid provider tokens`() throws {
        try SimulatorFixture.run { fixture in
            try check(push(fixture, authorization: ""), status: 403, expected: "MissingProviderToken")
            let now = Int64(fixture.seconds)
            let other = try ES256PrivateKey(pem: KeyGeneration.p256().utf8.span)
            let foreign = try SimulatorFixture.token(
                ["alg": "ES256", "kid": .string(fixture.simulators.credentials.apnsKeyID)],
                claims: ["iss": .string(fixture.simulators.credentials.apnsTeamID), "iat": .integer(now)], key: other)
            let spoiled = [
                "nonsense", "a.b.c", foreign, try fixture.providerToken { header, _ in header = header.replacing("kid", "OTHER") },
                try fixture.providerToken { header, _ in header = header.replacing("alg", "none") },
                try fixture.providerToken { _, claims in claims = claims.replacing("iss", "OTHER") },
                try fixture.providerToken { _, claims in claims = claims.replacing("iat", nil) },
                try fixture.providerToken { _, claims in claims = claims.replacing("iat", .integer(now + 3600)) },
            ]
            for token in spoiled {
                let reported = try reason(push(fixture, authorization: "bearer \(token)"))
                #expect(reported == SimulatorReply(403, "InvalidProviderToken"))
            }
            let old = try fixture.providerToken { _, claims in claims = claims.replacing("iat", .integer(now - 3601)) }
            let reported = try reason(push(fixture, authorization: "bearer \(old)"))
            #expect(reported == SimulatorReply(403, "ExpiredProviderToken"))
        }
    }

    @Test func `provider tokens expire`() throws {
        try SimulatorFixture.run { fixture in
            let bearer = try "bearer \(fixture.providerToken())"
            let first = try push(fixture, authorization: bearer).get().status
            fixture.now.withLock { $0 += 3_600_000 }
            let inTime = try push(fixture, authorization: bearer).get().status
            fixture.now.withLock { $0 += 1000 }
            let late = try reason(push(fixture, authorization: bearer))
            #expect(first == 200)
            #expect(inTime == 200)
            #expect(late == SimulatorReply(403, "ExpiredProviderToken"))
        }
    }

    @Test func `refuses too many provider tokens`() throws {
        try SimulatorFixture.run({ $0.providerTokenLimit = 2 }) { fixture in
            // ECDSA signatures are random, so each call creates a new token.
            func fresh() throws -> Int { try push(fixture, authorization: "bearer \(fixture.providerToken())").get().status }
            let statuses = [try fresh(), try fresh(), try fresh()]
            fixture.now.withLock { $0 += 1_200_000 }
            let later = try fresh()
            #expect(statuses == [200, 200, 429])
            #expect(later == 200)
        }
    }

    @Test func `checks the environment of a device`() throws {
        try SimulatorFixture.run { fixture in
            let token = SimulatorFixture.deviceToken
            fixture.simulators.devices[token] = SimulatedDevice(provider: .apnsSandbox)
            try check(push(fixture), status: 400, expected: "BadDeviceToken")
            #expect(try push(fixture, to: .apnsSandbox).get().status == 200)
            #expect(fixture.simulators.recorder.pushes.map(\.provider) == [.apnsSandbox])
        }
    }

    @Test(arguments: [(.apns, .apnsSandbox), (.apnsSandbox, .apns)] as [(SimulatedProvider, SimulatedProvider)])
    func `checks the environment of a key`(its: SimulatedProvider, other: SimulatedProvider) throws {
        try SimulatorFixture.run({ $0.apnsKeyEnvironment = its }) { fixture in
            let status = try push(fixture, to: its).get().status
            #expect(status == 200)
            try check(push(fixture, to: other), status: 403, expected: "BadEnvironmentKeyInToken")
            // A faulty token is reported first.
            try check(push(fixture, to: other, authorization: ""), status: 403, expected: "MissingProviderToken")
        }
    }

    @Test func `checks the types that a device accepts`() throws {
        try SimulatorFixture.run { fixture in
            let (devices, token) = (fixture.simulators.devices, SimulatorFixture.deviceToken)
            devices[token] = SimulatedDevice(topic: "com.example.chat.voip")
            try check(push(fixture), status: 400, expected: "DeviceTokenNotForTopic")
            devices[token] = SimulatedDevice(refusal: .unregistered, unregisteredAt: 1_700_000_000_123)
            #expect(try SimulatorReply(push(fixture)) == SimulatorReply(410, ["reason": "Unregistered", "timestamp": 1_700_000_000_123]))
            devices[token] = SimulatedDevice(refusal: .invalid)
            try check(push(fixture), status: 400, expected: "BadDeviceToken")
        }
    }

    @Test func `allows one stream until the sender is authenticated`() throws {
        try SimulatorFixture.run { fixture in
            let statuses = try (0..<3).map { _ in try push(fixture).get().status }
            #expect(statuses == [200, 200, 200])
            #expect(fixture.simulators[.apns].connectionCount == 1)
        }
    }
}
