import Core
import Crypto
import HTTPClient
import TestSupport
import Testing
import Time

@testable import Notifiers

/// Outcomes by the response of a company's receiver, for any response body.
@Suite struct HTTPNotifierTests {
    private static let answers: [(String, ScriptedStep)] = [
        ("Content-Length: 100\r\n\r\n0123456789", .close), ("Content-Length: 100\r\n\r\n0123456789", .hang),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .close), ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .hang),
        ("Transfer-Encoding: chunked\r\n\r\nfive\r\nhello\r\n", .hang), ("\r\nno length", .reset), ("\r\n", .close),
        ("Content-Length: 2\r\n\r\nok", .hang), ("Content-Length: 0\r\n\r\n", .close),
    ]

    private func outcome(_ head: String, _ end: ScriptedStep) throws -> DeliveryOutcome {
        let server = try ScriptedServer(.everyConnection(.readRequest, .send(head), end))
        defer { server.stop() }
        let transport = NotifierTransport(timeoutSeconds: Int(WaitLimit.milliseconds / 1000), concurrency: 1)
        let client = try Client(settings: transport.clientSettings(userAgent: "test"))
        defer { client.close() }
        let key = (0..<32).map { UInt8($0 * 7 + 3) }
        let secret = SecretBytes(copying: Array("whsec_\(Base64.encode(key.span))".utf8).span)
        let destination = HTTPDestination(url: server.url(), secrets: [secret], preservesTicketOrder: true, transport: transport)
        let notifier = try HTTPNotifier(destination, client: client) { Sample.now }
        let event = Event(
            id: Sample.id, kind: .commentCreated, identity: Event.Identity(appID: "app", ticketID: 1, commentID: 2, deviceID: ""),
            userID: "user", occurredAt: 1, receivedAt: 1, expiresAt: 2, data: Array("{}".utf8))
        let outcomes = Outcomes(1)
        notifier.deliver(Delivery(id: Sample.id, notifier: "n", event: event, deviceID: "", device: nil, dueAt: 1)) {
            outcomes.add($0, 0)
        }
        let outcome = outcomes.wait()[0]
        #expect(server.requests.count == 1)
        return outcome
    }

    @Test(arguments: answers.indices)
    func `only the status and headers are evaluated`(index: Int) throws {
        let (rest, end) = Self.answers[index]
        #expect(try outcome("HTTP/1.1 200 OK\r\n\(rest)", end).verdict == .delivered)
        #expect(try outcome("HTTP/1.1 410 Gone\r\n\(rest)", end).verdict == .misconfigured)
        let retry = DeliveryOutcome.Verdict.retry(retryAfterMilliseconds: 7000)
        #expect(try outcome("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\n\(rest)", end).verdict == retry)
    }

    @Test(
        arguments: [
            ("429 Too Many Requests", true, true), ("502 Bad Gateway", true, false), ("504 Gateway Timeout", true, false),
            ("503 Service Unavailable", false, false),
        ])
    func `only a working receiver throttles`(_ status: String, requestsBackoff: Bool, isThrottled: Bool) throws {
        let outcome = try outcome("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n", .close)
        #expect(outcome.requestsBackoff == requestsBackoff)
        #expect(outcome.isThrottled == isThrottled)
    }

    @Test func `a response without a complete header section is ignored`() throws {
        let outcome = try outcome("HTTP/1.1 200 OK\r\nContent-", .close)
        #expect(outcome.verdict == .retry(retryAfterMilliseconds: nil))
        #expect(outcome.mayHaveArrived)
    }
}
