import Core
import Testing
import Time

@testable import Notifiers

@Suite struct APNsAnswerTests {
    private static let gone = DeliveryOutcome.Verdict.deviceGone(since: nil)
    private static let later = DeliveryOutcome.Verdict.retry(retryAfterMilliseconds: nil)

    private func answer(_ status: Int, _ reason: String, retryAfter: UInt64? = nil) -> ProviderAnswer {
        APNsAnswer.of(status: status, body: Array("{\"reason\":\"\(reason)\"}".utf8), retryAfter: retryAfter)
    }

    @Test(
        arguments: [
            (200, "", .delivered, "status_200", nil),
            (400, "BadDeviceToken", gone, "bad_device_token", .switchEnvironment),
            (400, "DeviceTokenNotForTopic", gone, "device_token_not_for_topic", .askAlarm),
            (400, "BadTopic", .misconfigured, "bad_topic", nil), (400, "MissingTopic", .misconfigured, "missing_topic", nil),
            (400, "TopicDisallowed", .misconfigured, "topic_disallowed", nil),
            (400, "IdleTimeout", later, "idle_timeout", .reconnect),
            (400, "BadCollapseId", .dead, "bad_collapse_id", nil), (400, "BadExpirationDate", .dead, "bad_expiration_date", nil),
            (400, "BadMessageId", .dead, "bad_message_id", nil), (400, "BadPriority", .dead, "bad_priority", nil),
            (400, "DuplicateHeaders", .dead, "duplicate_headers", nil), (400, "InvalidPushType", .dead, "invalid_push_type", nil),
            (400, "MissingDeviceToken", .dead, "missing_device_token", nil), (400, "PayloadEmpty", .dead, "payload_empty", nil),
            (400, "SomethingNew", .dead, "status_400", nil),
            (403, "ExpiredProviderToken", .misconfigured, "expired_provider_token", .mintToken),
            (403, "InvalidProviderToken", .misconfigured, "invalid_provider_token", .compareClocks),
            (403, "MissingProviderToken", .misconfigured, "missing_provider_token", nil),
            (403, "BadCertificate", .misconfigured, "bad_certificate", nil),
            (403, "BadCertificateEnvironment", .misconfigured, "bad_certificate_environment", .switchForKey),
            (403, "BadEnvironmentKeyIdInToken", .misconfigured, "bad_environment_key_id_in_token", .switchForKey),
            (403, "BadEnvironmentKeyInToken", .misconfigured, "bad_environment_key_in_token", .switchForKey),
            (403, "UnrelatedKeyIdInToken", .misconfigured, "unrelated_key_id_in_token", nil),
            (403, "Forbidden", .misconfigured, "forbidden", nil), (403, "SomethingNew", .misconfigured, "status_403", nil),
            (404, "BadPath", .dead, "bad_path", nil), (405, "MethodNotAllowed", .dead, "method_not_allowed", nil),
            (404, "", .misconfigured, "status_404", nil), (405, "SomethingNew", .misconfigured, "status_405", nil),
            (410, "", later, "status_410", nil), (410, "SomethingNew", later, "status_410", nil), (410, "Shutdown", later, "shutdown", nil),
            (410, "Unregistered", gone, "unregistered", nil), (410, "ExpiredToken", gone, "expired_token", nil),
            (413, "PayloadTooLarge", .dead, "payload_too_large", .shorten),
            (500, "InternalServerError", later, "internal_server_error", nil),
            (503, "ServiceUnavailable", later, "service_unavailable", nil), (503, "Shutdown", later, "shutdown", nil),
            (502, "", later, "status_502", nil), (301, "", later, "status_301", nil), (408, "", later, "status_408", nil),
        ] as [(Int, String, DeliveryOutcome.Verdict, String, NextStep?)])
    func means(status: Int, reason: String, verdict: DeliveryOutcome.Verdict, word: String, step: NextStep?) {
        #expect(answer(status, reason) == ProviderAnswer(DeliveryOutcome(verdict, reason: word), step: step))
    }

    @Test(arguments: [(nil, 60_000), (5000, 5000)] as [(UInt64?, UInt64)])
    func `too many requests delay one device`(retryAfter: UInt64?, wait: UInt64) {
        let answer = answer(429, "TooManyRequests", retryAfter: retryAfter)
        #expect(
            answer.outcome
                == DeliveryOutcome(.retry(retryAfterMilliseconds: wait), reason: "too_many_requests", isAboutDevice: true))
        #expect(answer.step == .delayDevice(milliseconds: wait))
    }

    @Test(arguments: [(nil, 60_000, 1_200_000), (5000, 5000, 1_200_000), (1_800_000, 1_800_000, 1_800_000)] as [(UInt64?, UInt64, UInt64)])
    func `too many provider tokens stop minting`(retryAfter: UInt64?, wait: UInt64, pause: UInt64) {
        let answer = answer(429, "TooManyProviderTokenUpdates", retryAfter: retryAfter)
        #expect(
            answer.outcome
                == DeliveryOutcome(
                    .retry(retryAfterMilliseconds: wait), reason: "too_many_provider_token_updates", requestsBackoff: true))
        #expect(answer.step == .stopMinting(milliseconds: pause))
    }

    @Test func `another rate limit slows down`() {
        #expect(answer(429, "New") == .slowDown("status_429", after: nil))
        #expect(answer(429, "New").outcome.requestsBackoff)
    }

    @Test func `Retry-After is honoured`() {
        #expect(answer(503, "ServiceUnavailable", retryAfter: 7000).outcome.verdict == .retry(retryAfterMilliseconds: 7000))
    }

    @Test(arguments: [
        ("{\"reason\":\"Unregistered\",\"timestamp\":1700000000123}", 1_700_000_000_123),
        ("{\"timestamp\":1,\"reason\":\"ExpiredToken\",\"more\":[{}]}", 1), ("{\"reason\":\"Unregistered\"}", nil),
        ("{\"reason\":\"Unregistered\",\"timestamp\":-1}", nil), ("{\"reason\":\"Unregistered\",\"timestamp\":\"1\"}", nil),
        ("{\"reason\":\"Unregistered\",\"timestamp\":1.5}", nil),
    ])
    func `APNs reports the time since which a device is unregistered`(body: String, timestamp: UnixMilliseconds?) {
        let answer = APNsAnswer.of(status: 410, body: Array(body.utf8), retryAfter: nil)
        #expect(answer.outcome.verdict == .deviceGone(since: timestamp))
        #expect(answer.step == nil)
    }

    /// Unknown text in the body must not reach a metric.
    @Test(arguments: [
        "", "<html>", "{", "[]", "{\"timestamp\":1}", "null", "\"Unregistered\"",
        "{\"reason\":null}", "{\"reason\":42}", "{\"reason\":\"a b\"}", "\u{0}",
    ])
    func `a malformed body is ignored`(body: String) {
        for status in [400, 403, 404, 405, 410, 413, 429, 500, 503] {
            #expect(
                APNsAnswer.of(status: status, body: Array(body.utf8), retryAfter: nil) == APNsAnswer.of(status: status, reason: nil))
            let outcome = APNsAnswer.of(status: status, reason: nil).outcome
            #expect(outcome.reason == "status_\(status)")
            #expect(outcome.verdict != Self.gone)
        }
    }
}
