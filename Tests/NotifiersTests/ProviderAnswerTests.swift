import Core
import HTTPClient
import Testing

@testable import Notifiers

@Suite struct ProviderAnswerTests {
    @Test(
        arguments: [
            (.reset, "connection_reset", .reconnect), (.closedEarly, "closed_early", .reconnect), (.timeout(.waiting), "timeout", nil),
            (.connect, "cannot_connect", nil), (.resolve, "host_unknown", nil), (.tls("text", isUntrusted: true), "tls", nil),
            (.overloaded, "overloaded", nil),
            (.malformedResponse, "malformed_response", .reconnect), (.cancelled, "cancelled", nil), (.other(code: 16), "client_16", nil),
        ] as [(ClientError, String, NextStep?)])
    func `a lost connection causes a retry`(error: ClientError, reason: String, step: NextStep?) {
        let outcome = DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: reason)
        #expect(ProviderAnswer.of(error) == ProviderAnswer(outcome, step: step))
    }
}
