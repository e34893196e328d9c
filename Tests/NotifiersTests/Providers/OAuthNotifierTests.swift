import Core
import Notifiers
import Simulators
import Testing
import Time

/// Notifications to the simulated FCM, RuStore and HMS.
@Suite struct OAuthNotifierTests {
    private static let gone = DeliveryOutcome.Verdict.deviceGone(since: nil)
    private static let later = DeliveryOutcome.Verdict.retry(retryAfterMilliseconds: nil)
    private static let inAMinute = DeliveryOutcome.Verdict.retry(retryAfterMilliseconds: 60_000)

    /// Responses that do not change when the request is repeated.
    @Test(
        arguments: [
            (.fcm, 404, "UNREGISTERED", gone, "unregistered", false),
            (.fcm, 400, "INVALID_ARGUMENT", .dead, "invalid_argument", false), (.fcm, 400, "", .dead, "invalid_argument", false),
            (.fcm, 401, "THIRD_PARTY_AUTH_ERROR", .dead, "misconfigured_for_device_type", false),
            (.fcm, 401, "UNAUTHENTICATED", .misconfigured, "unauthenticated", false),
            (.fcm, 403, "PERMISSION_DENIED", .misconfigured, "permission_denied", false),
            (.fcm, 404, "NOT_FOUND", .misconfigured, "not_found", false), (.fcm, 429, "QUOTA_EXCEEDED", inAMinute, "quota_exceeded", true),
            (.fcm, 500, "INTERNAL", later, "internal", false), (.fcm, 503, "UNAVAILABLE", later, "unavailable", false),
            (.fcm, 502, "", later, "status_502", false),
            (.rustore, 400, "INVALID_ARGUMENT", .dead, "invalid_argument", false),
            (.rustore, 403, "PERMISSION_DENIED", .misconfigured, "permission_denied", false),
            (.rustore, 401, "UNAUTHENTICATED", .misconfigured, "unauthenticated", false),
            (.rustore, 429, "TOO_MANY_REQUESTS", inAMinute, "too_many_requests", true),
            (.rustore, 500, "INTERNAL", later, "internal", false),
            (.hms, 200, "80100000", later, "hms_80100000", false), (.hms, 400, "80100001", .dead, "hms_80100001", false),
            (.hms, 400, "80100003", .dead, "hms_80100003", false), (.hms, 200, "80100016", .dead, "hms_80100016", false),
            (.hms, 200, "80300011", .misconfigured, "hms_80300011", false), (.hms, 200, "80600003", .misconfigured, "hms_80600003", false),
            (.hms, 401, "80200001", .misconfigured, "hms_80200001", false),
            (.hms, 401, "80200003", .misconfigured, "hms_80200003", false), (.hms, 200, "80300002", .misconfigured, "hms_80300002", false),
            (.hms, 200, "80300008", .dead, "hms_80300008", false),
            (.hms, 500, "81000001", later, "hms_81000001", false), (.hms, 503, "", inAMinute, "status_503", true),
            (.hms, 200, "", later, "status_200", false), (.hms, 404, "", .misconfigured, "status_404", false),
        ] as [(ProviderKind, Int, String, DeliveryOutcome.Verdict, String, Bool)])
    func refusals(
        _ kind: ProviderKind, status: Int, reason: String, verdict: DeliveryOutcome.Verdict, word: String, requestsBackoff: Bool
    ) throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            fixture.simulators.faults.add(Fault(.answer(.init(status, reason)), token: token, times: nil))
            let outcome = try fixture.deliver(PushFixture.delivery(token), kind.notifier(fixture))
            let fault: DeliveryOutcome.SettingsFault? = reason == "THIRD_PARTY_AUTH_ERROR" ? .ofDeviceType : nil
            #expect(outcome == DeliveryOutcome(verdict, reason: word, requestsBackoff: requestsBackoff, settingsFault: fault))
            #expect(fixture.pushes(to: token).isEmpty)
        }
    }

    @Test(
        arguments: [
            (.fcm, 401, "UNAUTHENTICATED"), (.hms, 401, "80200001"), (.hms, 401, "80200003"), (.hms, 200, "80300008"),
        ] as [(ProviderKind, Int, String)])
    func `a push succeeds after a temporary refusal`(_ kind: ProviderKind, status: Int, reason: String) throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            fixture.simulators.faults.add(Fault(.answer(.init(status, reason)), token: token))
            let outcome = try fixture.deliver(PushFixture.delivery(token), kind.notifier(fixture))
            #expect(outcome.verdict == .delivered)
            #expect(fixture.pushes(to: token).count == 1)
        }
    }

    @Test(arguments: ProviderKind.allCases, SimulatedDevice.Refusal.allCases)
    func `unregistered devices are reported`(_ kind: ProviderKind, _ refusal: SimulatedDevice.Refusal) throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            fixture.simulators.devices[token] = SimulatedDevice(refusal: refusal, unregisteredAt: Sample.now + 1)
            let notifier = try kind.notifier(fixture)
            #expect(try fixture.deliver(PushFixture.delivery(), notifier).verdict == .delivered)
            let outcome = try fixture.deliver(PushFixture.delivery(token), notifier)
            guard case .deviceGone = outcome.verdict else {
                Issue.record("\(outcome)")
                return
            }
        }
    }

    @Test(arguments: [ProviderKind.fcm, .rustore, .hms])
    func `a push arrives unchanged`(_ kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            let notifier = try kind.notifier(fixture)
            let outcome = try fixture.deliver(PushFixture.delivery(token), notifier)
            #expect(outcome.verdict == .delivered && outcome.environment == kind.rawValue, "it is remembered that the token was taken")
            let again = try fixture.deliver(PushFixture.delivery(token, environment: kind.rawValue), notifier)
            #expect(again.verdict == .delivered)
            #expect(again.environment == nil)
            let push = try #require(fixture.pushes(to: token).first)
            #expect(push.provider == kind.simulated)
            #expect(push.title == "Anna")
            #expect(push.body == "Hello")
            #expect(!push.isDryRun)
        }
    }

    @Test(arguments: [ProviderKind.fcm, .rustore, .hms])
    func `Retry-After is honoured`(_ kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            fixture.simulators.faults.add(Fault(.answer(.init(503, "", retryAfter: "7")), token: token))
            let outcome = try fixture.deliver(PushFixture.delivery(token), kind.notifier(fixture))
            #expect(outcome.verdict == .retry(retryAfterMilliseconds: 7000))
        }
    }

    @Test func `a wrong project is a settings problem`() throws {
        try PushFixture.run { fixture in
            let destination = FCMDestination(
                serviceAccount: try ProviderKind.account(fixture.simulators, projectID: "another"), url: fixture.simulators[.fcm].url)
            let clocks = fixture.clocks
            let notifier = try PushNotifier(
                PushSettings(
                    provider: .fcm(destination), style: try PushStyle(content: .full),
                    transport: NotifierTransport(timeoutSeconds: 60, concurrency: 1)),
                client: fixture.client, monotonicMilliseconds: { clocks.monotonicMilliseconds() },
                unixMilliseconds: { clocks.unixMilliseconds() })
            let outcome = try fixture.deliver(PushFixture.delivery(), notifier)
            #expect(outcome == DeliveryOutcome(.misconfigured, reason: "not_found"))
        }
    }
}
