import Core
import Testing

struct ProviderTokenFailureTests {
    @Test func `a refused credential is a matter of the configuration`() {
        let outcome = DeliveryOutcome(ProviderTokenFailure(.refused, reason: "token_invalid_client"))
        #expect(outcome == DeliveryOutcome(.misconfigured, reason: "token_invalid_client"))
    }

    @Test func `a missing token slows the whole notifier down`() {
        let outcome = DeliveryOutcome(ProviderTokenFailure(.unavailable(retryAfterMilliseconds: 5), reason: "token_timeout"))
        #expect(outcome == DeliveryOutcome(.retry(retryAfterMilliseconds: 5), reason: "token_timeout", requestsBackoff: true))
    }
}
