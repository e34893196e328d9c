import Core
import Testing

struct ProviderTokenFailureTests {
    @Test func `a rejected credential is a misconfiguration`() {
        let outcome = DeliveryOutcome(ProviderTokenFailure(.refused, reason: "token_invalid_client"))
        #expect(outcome == DeliveryOutcome(.misconfigured, reason: "token_invalid_client"))
    }

    @Test func `a missing token slows down the whole notifier`() {
        let outcome = DeliveryOutcome(ProviderTokenFailure(.unavailable(retryAfterMilliseconds: 5), reason: "token_timeout"))
        #expect(outcome == DeliveryOutcome(.retry(retryAfterMilliseconds: 5), reason: "token_timeout", requestsBackoff: true))
    }
}
