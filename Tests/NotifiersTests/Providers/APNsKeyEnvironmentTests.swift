import Core
import Notifiers
import Simulators
import Testing

/// An APNs key or certificate that is for one environment only.
@Suite struct APNsKeyEnvironmentTests {
    private static let reasons = [
        ("BadEnvironmentKeyInToken", "bad_environment_key_in_token"), ("BadEnvironmentKeyIdInToken", "bad_environment_key_id_in_token"),
        ("BadCertificateEnvironment", "bad_certificate_environment"),
    ]
    private static let gone = DeliveryOutcome.Verdict.deviceGone(since: nil)

    /// A phone may have learned an environment before the key was replaced by one that is for the other.
    @Test(arguments: [(.apns, "production", "sandbox"), (.apnsSandbox, "sandbox", nil)] as [(SimulatedProvider, String, String?)])
    func `the keys own environment takes the token`(its: SimulatedProvider, name: String, known: String?) throws {
        try PushFixture.runAlone({ $0.apnsKeyEnvironment = its }) { fixture in
            let (token, notifier) = (PushFixture.token(), try ProviderKind.apns.notifier(fixture))
            fixture.simulators.devices[token] = SimulatedDevice(provider: its)
            let outcome = try fixture.deliver(PushFixture.delivery(token, environment: known), notifier)
            #expect(outcome == DeliveryOutcome(.delivered, reason: "status_200", environment: name))
            #expect(fixture.pushes(to: token).map(\.provider) == [its])
        }
    }

    /// Nobody can reach that phone with this key, which ends neither the phone nor the notifier.
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

    /// That one was asked first, and does not know the token.
    @Test(arguments: reasons)
    func `the keys own environment ends a device`(reason: String, word: String) throws {
        try outcome(ofBoth: (400, "BadDeviceToken"), (403, reason)) { outcome in
            #expect(outcome == DeliveryOutcome(Self.gone, reason: "bad_device_token"))
        }
    }

    @Test(arguments: reasons)
    func `what both refuse is the key`(reason: String, word: String) throws {
        try outcome(ofBoth: (403, reason), (403, reason)) { #expect($0 == DeliveryOutcome(.misconfigured, reason: word)) }
    }

    /// What the other one says is worth as much as ever, but no device ends while it may be at home where the key is not for.
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
    func `a key for one environment is proved`(its: SimulatedProvider) throws {
        for isKnown in [true, false] {
            try PushFixture.runAlone({ $0.apnsKeyEnvironment = its }) { fixture in
                if !isKnown { fixture.simulators.devices[String(repeating: "0", count: 64)] = SimulatedDevice(refusal: .invalid) }
                let outcome = try prove(fixture)
                #expect(outcome == DeliveryOutcome(.delivered, reason: "credential_accepted"))
            }
        }
    }

    @Test func `one environments word is proof enough`() throws {
        try PushFixture.runAlone { fixture in
            fixture.simulators.devices[String(repeating: "0", count: 64)] = SimulatedDevice(refusal: .invalid)
            fixture.simulators.faults.add(Fault(.answer(.init(503)), at: .apnsSandbox, times: nil))
            let outcome = try prove(fixture)
            #expect(outcome == DeliveryOutcome(.delivered, reason: "credential_accepted"))
        }
    }

    @Test func `a key for no environment is found out`() throws {
        // No provider of Apple's.
        try PushFixture.runAlone({ $0.apnsKeyEnvironment = .fcm }) { fixture in
            let outcome = try prove(fixture)
            #expect(outcome == DeliveryOutcome(.misconfigured, reason: "bad_environment_key_in_token"))
        }
    }

    /// What production and then the sandbox say of one token comes to an outcome.
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
