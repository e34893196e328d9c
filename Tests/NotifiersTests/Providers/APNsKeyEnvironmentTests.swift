import Core
import Notifiers
import Simulators
import Testing

/// An APNs key or certificate that is valid in one environment only.
@Suite struct APNsKeyEnvironmentTests {
    private static let reasons = [
        ("BadEnvironmentKeyInToken", "bad_environment_key_in_token"), ("BadEnvironmentKeyIdInToken", "bad_environment_key_id_in_token"),
        ("BadCertificateEnvironment", "bad_certificate_environment"),
    ]
    private static let gone = DeliveryOutcome.Verdict.deviceGone(since: nil)

    /// A device may have an environment stored from before the key was replaced by one for the other environment.
    @Test(arguments: [(.apns, "production", "sandbox"), (.apnsSandbox, "sandbox", nil)] as [(SimulatedProvider, String, String?)])
    func `the key's own environment accepts the token`(its: SimulatedProvider, name: String, known: String?) throws {
        try PushFixture.runAlone({ $0.apnsKeyEnvironment = its }) { fixture in
            let (token, notifier) = (PushFixture.token(), try ProviderKind.apns.notifier(fixture))
            fixture.simulators.devices[token] = SimulatedDevice(provider: its)
            let outcome = try fixture.deliver(PushFixture.delivery(token, environment: known), notifier)
            #expect(outcome == DeliveryOutcome(.delivered, reason: "status_200", environment: name))
            #expect(fixture.pushes(to: token).map(\.provider) == [its])
        }
    }

    /// This key cannot reach that device. Neither the device nor the notifier ends.
    @Test(arguments: [(.apns, "sandbox"), (.apnsSandbox, "production"), (.apnsSandbox, nil)] as [(SimulatedProvider, String?)])
    func `a device of the other environment keeps its token`(its: SimulatedProvider, known: String?) throws {
        try PushFixture.runAlone({ $0.apnsKeyEnvironment = its }) { fixture in
            let (token, notifier) = (PushFixture.token(), try ProviderKind.apns.notifier(fixture))
            fixture.simulators.devices[token] = SimulatedDevice(provider: its == .apns ? .apnsSandbox : .apns)
            let outcome = try fixture.deliver(PushFixture.delivery(token, environment: known), notifier)
            #expect(outcome == DeliveryOutcome(.dead, reason: "key_not_for_environment"))
            #expect(try fixture.deliver(PushFixture.delivery(), notifier).verdict == .delivered)
        }
    }

    /// The key's environment was called first and rejects the token.
    @Test(arguments: reasons)
    func `a response of the key's own environment ends a device`(reason: String, word: String) throws {
        try outcome(ofBoth: (400, "BadDeviceToken"), (403, reason)) { outcome in
            #expect(outcome == DeliveryOutcome(Self.gone, reason: "bad_device_token"))
        }
    }

    @Test(arguments: reasons)
    func `a credential rejected by both environments is reported`(reason: String, word: String) throws {
        try outcome(ofBoth: (403, reason), (403, reason)) { #expect($0 == DeliveryOutcome(.misconfigured, reason: word)) }
    }

    /// The other environment's response remains valid, but no device ends while it may be registered in the environment that rejects the
    /// key.
    @Test(
        arguments: [
            (400, "BadTopic", .misconfigured, "bad_topic"), (403, "InvalidProviderToken", .misconfigured, "invalid_provider_token"),
            (400, "PayloadEmpty", .dead, "payload_empty"), (413, "PayloadTooLarge", .dead, "payload_too_large"),
            (503, "ServiceUnavailable", .retry(retryAfterMilliseconds: nil), "service_unavailable"),
            (400, "BadDeviceToken", .dead, "key_not_for_environment"), (410, "Unregistered", .dead, "key_not_for_environment"),
        ] as [(Int, String, DeliveryOutcome.Verdict, String)])
    func `a key of the other environment is reported`(status: Int, reason: String, verdict: DeliveryOutcome.Verdict, word: String) throws {
        try outcome(ofBoth: (403, Self.reasons[0].0), (status, reason)) { #expect($0 == DeliveryOutcome(verdict, reason: word)) }
    }

    @Test(arguments: [SimulatedProvider.apns, .apnsSandbox])
    func `a key for one environment passes the check`(its: SimulatedProvider) throws {
        for isKnown in [true, false] {
            try PushFixture.runAlone({ $0.apnsKeyEnvironment = its }) { fixture in
                if !isKnown { fixture.simulators.devices[String(repeating: "0", count: 64)] = SimulatedDevice(refusal: .invalid) }
                let outcome = try prove(fixture)
                #expect(outcome == DeliveryOutcome(.delivered, reason: "credential_accepted"))
            }
        }
    }

    @Test func `acceptance by one environment passes the check`() throws {
        try PushFixture.runAlone { fixture in
            fixture.simulators.devices[String(repeating: "0", count: 64)] = SimulatedDevice(refusal: .invalid)
            fixture.simulators.faults.add(Fault(.answer(.init(503)), at: .apnsSandbox, times: nil))
            let outcome = try prove(fixture)
            #expect(outcome == DeliveryOutcome(.delivered, reason: "credential_accepted"))
        }
    }

    @Test func `a key for no environment fails the check`() throws {
        // Not a valid key of Apple.
        try PushFixture.runAlone({ $0.apnsKeyEnvironment = .fcm }) { fixture in
            let outcome = try prove(fixture)
            #expect(outcome == DeliveryOutcome(.misconfigured, reason: "bad_environment_key_in_token"))
        }
    }

    /// Returns the outcome for one token from the responses of production and then the sandbox.
    private func outcome(
        ofBoth first: (status: Int, reason: String), _ second: (status: Int, reason: String), _ check: (DeliveryOutcome) -> Void
    ) throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            fixture.simulators.faults.add(
                Fault(.answer(.init(first.status, first.reason)), at: .apns, token: token, times: nil),
                Fault(.answer(.init(second.status, second.reason)), at: .apnsSandbox, token: token, times: nil))
            check(try fixture.deliver(PushFixture.delivery(token), ProviderKind.apns.notifier(fixture)))
        }
    }

    private func prove(_ fixture: PushFixture) throws -> DeliveryOutcome {
        let outcomes = Outcomes(1)
        try ProviderKind.apns.notifier(fixture).prove { outcomes.add($0, 0) }
        return outcomes.wait()[0]
    }
}
