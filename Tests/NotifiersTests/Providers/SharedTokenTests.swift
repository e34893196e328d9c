import Core
import Crypto
import HTTP2Server
import HTTPClient
import JSON
import Notifiers
import Simulators
import TestSupport
import Testing
import Threading
import Time
import WebTokens

/// Provider tokens that concurrent pushes share.
@Suite struct SharedTokenTests {
    private func deliveries(_ count: Int) throws -> [Delivery] {
        try (0..<count).map { _ in try PushFixture.delivery() }
    }

    @Test func `one token of APNs serves all pushes`() throws {
        try PushFixture.runAlone({ $0.providerTokenLimit = 1 }) { fixture in
            let outcomes = try fixture.deliver(deliveries(100), ProviderKind.apns.notifier(fixture))
            #expect(outcomes.allSatisfy { $0.verdict == .delivered })
            #expect(fixture.simulators[.apns].connectionCount == 1)
        }
    }

    @Test func `an expired token of APNs is replaced once`() throws {
        let time = Monitor(Sample.now)
        let change: (inout SimulatorSettings) -> Void = { settings in
            // APNs rejects two new tokens within 20 minutes.
            settings.providerTokenLimit = 1
            settings.now = { time.withLock { $0 } }
        }
        try PushFixture.runAlone(change) { fixture in
            // Like a machine after suspend: its monotonic clock has not advanced.
            let notifier = try ProviderKind.apns.notifier(fixture, monotonicMilliseconds: { 1_000_000 })
            #expect(try fixture.deliver(PushFixture.delivery(), notifier).verdict == .delivered)
            time.update { $0 += 3_700_000 }
            fixture.clocks.pass(3_700_000)
            let outcomes = try fixture.deliver(deliveries(50), notifier)
            #expect(outcomes.allSatisfy { $0.verdict == .delivered })
            #expect(fixture.simulators[.apns].requestCount == 52)
        }
    }

    @Test(arguments: [ProviderKind.fcm, .hms])
    func `one access token serves all pushes`(_ kind: ProviderKind) throws {
        try PushFixture.runAlone { fixture in
            let notifier = try kind.notifier(fixture)
            #expect(try fixture.deliver(deliveries(100), notifier).allSatisfy { $0.verdict == .delivered })
            #expect(fixture.simulators[kind.simulated].requestCount == 101)
        }
    }

    @Test(arguments: [ProviderKind.fcm, .hms])
    func `a revoked access token is replaced once`(_ kind: ProviderKind) throws {
        try PushFixture.runAlone { fixture in
            let notifier = try kind.notifier(fixture)
            #expect(try fixture.deliver(PushFixture.delivery(), notifier).verdict == .delivered)
            fixture.simulators.revokeAccessTokens()
            // The first exchange succeeds; a second one would fail.
            fixture.simulators.faults.add(Fault(.answer(.init(500)), endpoint: .token, after: 1, times: nil))
            #expect(try fixture.deliver(deliveries(50), notifier).allSatisfy { $0.verdict == .delivered })
            #expect(fixture.simulators.recorder.count == 51)
        }
    }

    @Test(arguments: [ProviderKind.fcm, .hms])
    func `a token server that is down stops the notifier`(_ kind: ProviderKind) throws {
        try PushFixture.runAlone { fixture in
            let notifier = try kind.notifier(fixture)
            fixture.simulators.faults.add(Fault(.answer(.init(503, "", retryAfter: "30")), endpoint: .token))
            let outcomes = try fixture.deliver(deliveries(10), notifier)
            #expect(Set(outcomes.map(\.reason)) == ["token_status_503"])
            #expect(outcomes.allSatisfy { $0.verdict == .retry(retryAfterMilliseconds: 30_000) && $0.requestsBackoff })
            fixture.clocks.pass(30_000)
            #expect(try fixture.deliver(PushFixture.delivery(), notifier).verdict == .delivered)
        }
    }

    @Test func `Google's response detects a wrong clock`() throws {
        try PushFixture.run { fixture in
            let notifier = try ProviderKind.fcm.notifier(fixture, clocks: ManualClocks(unixMilliseconds: Sample.now - 7_200_000))
            let first = try fixture.deliver(PushFixture.delivery(), notifier)
            #expect(first.reason == "clock_skew")
            #expect(first.requestsBackoff)
            #expect(try fixture.deliver(PushFixture.delivery(), notifier).verdict == .delivered)
        }
    }

    /// APNs rejects a token from the future as `InvalidProviderToken`. If the response has a date, the next token is minted with it.
    @Test func `a wrong clock is not reported as a wrong key`() throws {
        let certificate = try LoopbackCertificate()
        let bearers = Monitor<[String]>([])
        let server = try HTTP2Listener(
            HTTP2Settings(tls: try TLSServerContext(certificate: certificate.certificate, key: certificate.key)),
            opening: { _ in .serve },
            handler: { request in
                let count = bearers.update { bearers in
                    bearers.append(request.header("authorization") ?? "")
                    return bearers.count
                }
                guard count == 1 else { return .respond(HTTP2Response(status: 200)) }
                return .respond(
                    HTTP2Response(
                        status: 403, headers: [("date", "Sun, 06 Nov 1994 08:49:37 GMT")],
                        body: Array(#"{"reason":"InvalidProviderToken"}"#.utf8)))
            })
        defer { server.stop() }
        let directory = try TemporaryDirectory()
        try directory.write("ca.pem", certificate.authority)
        let client = try Client(settings: ClientSettings(certificateAuthorities: directory.path("ca.pem"), httpVersion: .http2))
        defer { client.close() }
        let clocks = ManualClocks()
        let key = SecretBytes(copying: TestKey.sharedP256.privatePEM.utf8.span)
        let url = "https://127.0.0.1:\(server.port)"
        let notifier = try PushNotifier(
            PushSettings(
                provider: .apns(
                    APNsDestination(
                        credential: .token(key: key, keyID: "KEY", teamID: "TEAM"), topic: "topic", url: url, sandboxURL: url)),
                style: try PushStyle(content: .full), transport: NotifierTransport(timeoutSeconds: 60, concurrency: 1)),
            client: client, monotonicMilliseconds: { clocks.monotonicMilliseconds() }, unixMilliseconds: { clocks.unixMilliseconds() })
        let outcomes = Outcomes(1)
        notifier.deliver(try PushFixture.delivery()) { outcomes.add($0, 0) }
        #expect(outcomes.wait()[0].verdict == .delivered)
        let issued = try bearers.withLock { $0 }.map { try Self.issuedAt($0) }
        #expect(issued == [1_700_000_000, 784_111_777])
    }

    private static func issuedAt(_ bearer: String) throws -> Int64? {
        let key = try ES256PublicKey(pem: TestKey.sharedP256.publicPEM.utf8.span)
        return try VerifiedWebToken(String(bearer.dropFirst("Bearer ".utf8.count)), key: key).claims["iat"]?.integer
    }
}
