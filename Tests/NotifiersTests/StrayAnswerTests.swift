import Core
import Crypto
import HTTPClient
import HelpDesk
import TestSupport
import Testing
import Time

@testable import Configuration
@testable import Notifiers
@testable import Pyrus
@testable import Sendbird

/// Calls of every kind on persistent connections to a server that sends an extra response, which must have no effect.
@Suite struct StrayAnswerTests {
    enum Call: CaseIterable {
        case http, hms, rustore, pyrus, sendbird, google, huawei
    }

    /// In the same segment as a valid response, or after it.
    static let strays = [
        answer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.0 408 Request Time-out\r\nConnection: close\r\n\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-",
        "\r\n", "\u{0}x",
    ]

    /// Every kind of call accepts it as a success.
    private static let body =
        #"{"code":"80000000","msg":"Success","requestId":"1","access_token":"first","expires_in":3600,"token_type":"Bearer"}"#
    private static let answer = String(decoding: ScriptedStep.response(200, body: body), as: UTF8.self)
    private static let other = ScriptedStep.respond(403, body: #"{"error":"refused"}"#)
    private static let transport = NotifierTransport(timeoutSeconds: Int(WaitLimit.milliseconds / 1000), concurrency: 1)
    private static let secret = SecretBytes(copying: "secret".utf8.span)

    /// Makes two calls to a server that runs these steps for the first one, and answers the second with 403 on any connection.
    /// - Returns: whether each succeeded.
    private func outcomes(_ call: Call, _ steps: [ScriptedStep]) throws -> [Bool] {
        let server = try ScriptedServer(.connections([[.readRequest] + steps + [.readRequest, Self.other], [.readRequest, Self.other]]))
        defer { server.stop() }
        let tokens = try ScriptedServer(.everyRequest(.respond(200, body: Self.body)))
        defer { tokens.stop() }
        let client = try Client(settings: Self.transport.clientSettings(userAgent: "test"))
        defer { client.close() }
        let perform = try performer(call, server: server, tokens: tokens, client: client)
        let first = try perform()
        server.release()
        if case .sendAndAwaitArrival? = steps.last { #expect(server.waitForArrivals(1)) }
        let second = try perform()
        #expect(server.requests.count == 2)
        return [first, second]
    }

    private func performer(
        _ call: Call, server: ScriptedServer, tokens: ScriptedServer, client: Client
    ) throws -> () throws -> Bool {
        let clocks = ManualClocks(unixMilliseconds: Sample.now)
        let push = { (destination: PushDestination) throws in
            try PushNotifier(
                PushSettings(provider: destination, style: PushStyle(content: .full), transport: Self.transport), client: client,
                monotonicMilliseconds: { clocks.monotonicMilliseconds() }, unixMilliseconds: { clocks.unixMilliseconds() })
        }
        switch call {
        case .http:
            let key = (0..<32).map { UInt8($0 * 7 + 3) }
            let secret = SecretBytes(copying: Array("whsec_\(Base64.encode(key.span))".utf8).span)
            let destination = HTTPDestination(url: server.url(), secrets: [secret], preservesTicketOrder: true, transport: Self.transport)
            return delivering(try PushFixture.delivery(), try HTTPNotifier(destination, client: client) { Sample.now })
        case .hms:
            let url = server.url("")
            return delivering(
                try PushFixture.delivery(),
                try push(.hms(HMSDestination(appID: "1", secret: Self.secret, url: url, tokenURL: tokens.url("/token")))))
        case .rustore:
            return delivering(
                try PushFixture.delivery(),
                try push(.rustore(RuStoreDestination(projectID: "p", token: Self.secret, url: server.url("")))))
        case .pyrus:
            let event = RegistrationSample.event()
            return delivering(
                RegistrationSample.delivery(event, RegistrationSample.device(event)),
                try PyrusNotifier(.sample(server.url()), RelayServices(mintKey: { _, _ in "key" }, clocks: clocks.clocks), client: client))
        case .sendbird:
            let event = RegistrationSample.event()
            let app = Configuration.RelayedApp(id: "app", url: server.url(""), tokens: [Self.secret], relaysRegistrations: true)
            let relay = Configuration.Relay(helpDesk: .sendbird, apps: [app], transport: Self.transport)
            let services = RelayServices(mintKey: { _, _ in nil }, clocks: clocks.clocks)
            return delivering(
                RegistrationSample.delivery(event, RegistrationSample.device(event)), SendbirdNotifier(relay, services, client: client))
        case .google:
            let source = GoogleTokenSource(
                try ServiceAccount(parsing: ServiceAccountFile(tokenURI: server.url("/token")).bytes.span), client: client,
                timeoutMilliseconds: Self.transport.timeoutMilliseconds, unixMilliseconds: { clocks.unixMilliseconds() })
            return fetching(source)
        case .huawei:
            let source = HuaweiTokenSource(
                clientID: "1", clientSecret: Self.secret, url: server.url("/token"), client: client,
                timeoutMilliseconds: Self.transport.timeoutMilliseconds, unixMilliseconds: { clocks.unixMilliseconds() })
            return fetching(source)
        }
    }

    private func delivering(_ delivery: Delivery, _ notifier: any Notifier) -> () -> Bool {
        {
            let outcomes = Outcomes(1)
            notifier.deliver(delivery) { outcomes.add($0, 0) }
            return outcomes.wait()[0].verdict == .delivered
        }
    }

    private func fetching(_ source: some ProviderTokenSource) -> () throws -> Bool {
        { try source.fetched() == .token("first", lifetime: 3_600_000) }
    }

    @Test(arguments: Call.allCases, strays)
    func `an extra response in the same segment is ignored`(call: Call, stray: String) throws {
        #expect(try outcomes(call, [.send(Self.answer + stray)]) == [true, false])
    }

    @Test(arguments: Call.allCases, strays)
    func `a later extra response is ignored`(call: Call, stray: String) throws {
        #expect(try outcomes(call, [.send(Self.answer), .awaitRelease, .sendAndAwaitArrival(Array(stray.utf8))]) == [true, false])
    }

    @Test(arguments: Call.allCases, strays)
    func `an extra response in two pieces is ignored`(call: Call, stray: String) throws {
        let middle = Self.answer.utf8.count - 10
        let pieces = [Self.answer.prefix(middle), Self.answer.dropFirst(middle) + stray]
        #expect(try outcomes(call, pieces.map { .send(String($0)) }) == [true, false])
    }
}
