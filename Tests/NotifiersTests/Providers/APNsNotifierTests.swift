import Core
import JSON
import Notifiers
import Simulators
import Testing
import Time

@Suite struct APNsNotifierTests {
    private static let gone = DeliveryOutcome.Verdict.deviceGone(since: nil)
    private static let later = DeliveryOutcome.Verdict.retry(retryAfterMilliseconds: nil)

    /// Responses that do not change when the request is repeated.
    @Test(
        arguments: [
            (400, "BadDeviceToken", gone, "bad_device_token"),
            (400, "BadTopic", .misconfigured, "bad_topic"), (400, "MissingTopic", .misconfigured, "missing_topic"),
            (400, "TopicDisallowed", .misconfigured, "topic_disallowed"), (400, "IdleTimeout", later, "idle_timeout"),
            (400, "BadCollapseId", .dead, "bad_collapse_id"), (400, "PayloadEmpty", .dead, "payload_empty"),
            (400, "Unheard", .dead, "status_400"), (404, "BadPath", .dead, "bad_path"),
            (405, "MethodNotAllowed", .dead, "method_not_allowed"),
            (403, "ExpiredProviderToken", .misconfigured, "expired_provider_token"),
            (403, "InvalidProviderToken", .misconfigured, "invalid_provider_token"),
            (403, "BadCertificateEnvironment", .misconfigured, "bad_certificate_environment"), (403, "", .misconfigured, "status_403"),
            (410, "Unregistered", gone, "unregistered"), (410, "ExpiredToken", gone, "expired_token"),
            (404, "", .misconfigured, "status_404"), (405, "", .misconfigured, "status_405"), (410, "", later, "status_410"),
            (413, "PayloadTooLarge", .dead, "payload_too_large"), (500, "InternalServerError", later, "internal_server_error"),
            (503, "ServiceUnavailable", later, "service_unavailable"), (503, "Shutdown", later, "shutdown"), (502, "", later, "status_502"),
            (301, "", later, "status_301"),
        ] as [(Int, String, DeliveryOutcome.Verdict, String)])
    func refusals(status: Int, reason: String, verdict: DeliveryOutcome.Verdict, word: String) throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            fixture.simulators.faults.add(Fault(.answer(.init(status, reason)), token: token, times: nil))
            let outcome = try fixture.deliver(PushFixture.delivery(token), ProviderKind.apns.notifier(fixture))
            #expect(outcome == DeliveryOutcome(verdict, reason: word))
            #expect(fixture.pushes(to: token).isEmpty)
        }
    }

    @Test func `a push succeeds after a temporary refusal`() throws {
        for (status, reason) in [(400, "IdleTimeout"), (403, "ExpiredProviderToken"), (413, "PayloadTooLarge")] {
            try PushFixture.run { fixture in
                let token = PushFixture.token()
                fixture.simulators.faults.add(Fault(.answer(.init(status, reason)), token: token))
                let outcome = try fixture.deliver(PushFixture.delivery(token), ProviderKind.apns.notifier(fixture))
                #expect(outcome.verdict == .delivered, "\(reason)")
                #expect(fixture.pushes(to: token).count == 1)
            }
        }
    }

    @Test func `reports the time since which a device is unregistered`() throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            fixture.simulators.devices[token] = SimulatedDevice(refusal: .unregistered, unregisteredAt: Sample.now + 123)
            let outcome = try fixture.deliver(PushFixture.delivery(token), ProviderKind.apns.notifier(fixture))
            #expect(outcome == DeliveryOutcome(.deviceGone(since: Sample.now + 123), reason: "unregistered"))
        }
    }

    @Test func `a push arrives unchanged`() throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            let delivery = try PushFixture.delivery(token)
            let outcome = try fixture.deliver(delivery, ProviderKind.apns.notifier(fixture))
            #expect(outcome == DeliveryOutcome(.delivered, reason: "status_200", environment: "production"))
            let push = try #require(fixture.pushes(to: token).first)
            #expect(push.provider == .apns)
            #expect(push.title == "Anna")
            #expect(push.body == "Hello")
            #expect(push.id == delivery.id.description)
            let headers = Dictionary(uniqueKeysWithValues: push.headers)
            #expect(headers["apns-collapse-id"] == "comment-5")
            #expect(headers["apns-expiration"] == "1800003600")
            #expect(push.payload["ticket_id"]?.text == "7")
            #expect(push.payload["aps"]?["thread-id"]?.text == "ticket-7")
        }
    }

    @Test func `the other environment is tried and stored`() throws {
        try PushFixture.run { fixture in
            let (token, notifier) = (PushFixture.token(), try ProviderKind.apns.notifier(fixture))
            fixture.simulators.devices[token] = SimulatedDevice(provider: .apnsSandbox)
            let found = try fixture.deliver(PushFixture.delivery(token), notifier)
            #expect(found == DeliveryOutcome(.delivered, reason: "status_200", environment: "sandbox"))
            // Production must receive no further request.
            fixture.simulators.faults.add(Fault(.answer(.init(500)), at: .apns, token: token, times: nil))
            let known = try fixture.deliver(PushFixture.delivery(token, environment: "sandbox"), notifier)
            #expect(known == DeliveryOutcome(.delivered, reason: "status_200"))
            #expect(fixture.pushes(to: token).map(\.provider) == [.apnsSandbox, .apnsSandbox])
        }
    }

    @Test func `a device can move back to production`() throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            fixture.simulators.devices[token] = SimulatedDevice(provider: .apns)
            let outcome = try fixture.deliver(PushFixture.delivery(token, environment: "sandbox"), ProviderKind.apns.notifier(fixture))
            #expect(outcome == DeliveryOutcome(.delivered, reason: "status_200", environment: "production"))
        }
    }

    /// Taking a settings problem of the other environment for the device's end would remove every device's token.
    @Test(
        arguments: [
            (400, "BadTopic", "bad_topic"), (400, "TopicDisallowed", "topic_disallowed"),
            (403, "InvalidProviderToken", "invalid_provider_token"), (403, "ExpiredProviderToken", "expired_provider_token"),
            (403, "Forbidden", "forbidden"), (403, "", "status_403"),
        ])
    func `a misconfiguration in the other environment keeps the token`(status: Int, reason: String, word: String) throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            fixture.simulators.faults.add(
                Fault(.answer(.init(400, "BadDeviceToken")), at: .apns, token: token, times: nil),
                Fault(.answer(.init(status, reason)), at: .apnsSandbox, token: token, times: nil))
            let outcome = try fixture.deliver(PushFixture.delivery(token), ProviderKind.apns.notifier(fixture))
            #expect(outcome == DeliveryOutcome(.misconfigured, reason: word))
        }
    }

    @Test func `sandbox tokens of another app from many users are a settings problem`() throws {
        try PushFixture.run { fixture in
            let notifier = try ProviderKind.apns.notifier(fixture)
            let outcomes = try (1...10).map { number in
                let token = PushFixture.token()
                fixture.simulators.faults.add(Fault(.answer(.init(400, "DeviceTokenNotForTopic")), at: .apnsSandbox, token: token))
                return fixture.deliver(try PushFixture.delivery(token, user: "user-\(number)", environment: "sandbox"), notifier)
            }
            let later = DeliveryOutcome(
                .retry(retryAfterMilliseconds: nil), reason: "device_token_not_for_topic", isAboutDevice: true, settingsFault: .possible)
            #expect(
                outcomes == Array(repeating: later, count: 9) + [DeliveryOutcome(.misconfigured, reason: "device_token_not_for_topic")])
        }
    }

    @Test func `too many pushes delay the device`() throws {
        try PushFixture.run { fixture in
            let (token, notifier) = (PushFixture.token(), try ProviderKind.apns.notifier(fixture))
            fixture.simulators.faults.add(Fault(.answer(.init(429, "TooManyRequests", retryAfter: "5")), token: token))
            let first = try fixture.deliver(PushFixture.delivery(token), notifier)
            #expect(
                first == DeliveryOutcome(.retry(retryAfterMilliseconds: 5000), reason: "too_many_requests", isAboutDevice: true))
            fixture.clocks.pass(2000)
            let held = try fixture.deliver(PushFixture.delivery(token), notifier)
            let delayed = DeliveryOutcome(
                .retry(retryAfterMilliseconds: 3000), reason: "device_delayed", isAboutDevice: true, calledReceiver: false)
            #expect(held == delayed)
            #expect(try fixture.deliver(PushFixture.delivery(), notifier).verdict == .delivered)
            fixture.clocks.pass(3000)
            #expect(try fixture.deliver(PushFixture.delivery(token), notifier).verdict == .delivered)
            #expect(fixture.pushes(to: token).count == 1)
        }
    }

    @Test func `too many provider tokens stop all pushes`() throws {
        try PushFixture.run { fixture in
            let (token, notifier) = (PushFixture.token(), try ProviderKind.apns.notifier(fixture))
            fixture.simulators.faults.add(Fault(.answer(.init(429, "TooManyProviderTokenUpdates", retryAfter: "90")), token: token))
            let expected = DeliveryOutcome(
                .retry(retryAfterMilliseconds: 90_000), reason: "too_many_token_updates", requestsBackoff: true)
            #expect(try fixture.deliver(PushFixture.delivery(token), notifier) == expected)
            #expect(try fixture.deliver(PushFixture.delivery(), notifier) == expected)
            fixture.clocks.pass(90_000)
            #expect(try fixture.deliver(PushFixture.delivery(token), notifier).verdict == .delivered)
        }
    }

    /// The app has registered since: the response refers to an earlier registration of the token.
    @Test(arguments: [(Sample.now, false), (Sample.now + 1, true)] as [(UnixMilliseconds, Bool)])
    func `an unregistration before the registration is retried`(since: UnixMilliseconds, isGone: Bool) throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            fixture.simulators.devices[token] = SimulatedDevice(refusal: .unregistered, unregisteredAt: since)
            let outcome = try fixture.deliver(PushFixture.delivery(token), ProviderKind.apns.notifier(fixture))
            #expect(
                outcome
                    == (isGone
                        ? DeliveryOutcome(.deviceGone(since: since), reason: "unregistered")
                        : DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: "unregistered", isAboutDevice: true)))
        }
    }

    @Test func `an invalid token is not sent`() throws {
        try PushFixture.run { fixture in
            let outcome = try fixture.deliver(PushFixture.delivery("not-hexadecimal"), ProviderKind.apns.notifier(fixture))
            #expect(outcome == DeliveryOutcome(Self.gone, reason: "invalid_token", calledReceiver: false))
        }
    }
}
