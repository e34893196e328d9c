import Core
import Notifiers
import Simulators
import Testing

/// Tokens that a provider rejects as another app's: whether the device or the settings are the cause.
@Suite struct MismatchTests {
    private static let environments: [ProviderKind: String] = [.apns: "production", .fcm: "fcm", .rustore: "rustore", .hms: "hms"]

    /// Attempts a delivery that is rejected with this response.
    private func refused(
        _ fixture: PushFixture, notifier: any Notifier, kind: ProviderKind, token: String = PushFixture.token(), user: String,
        wasTaken: Bool
    ) throws -> DeliveryOutcome {
        fixture.simulators.devices[token] = SimulatedDevice(refusal: .mismatch)
        let environment = wasTaken ? Self.environments[kind] : nil
        return fixture.deliver(try PushFixture.delivery(token, user: user, environment: environment), notifier)
    }

    private func isPutOff(_ outcome: DeliveryOutcome) -> Bool {
        outcome.verdict == .retry(retryAfterMilliseconds: nil) && outcome.isAboutDevice && outcome.settingsFault == .possible
    }

    @Test(arguments: ProviderKind.allCases)
    func `junk tokens pause no notifier`(_ kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let notifier = try kind.notifier(fixture)
            for number in 0..<60 {
                #expect(isPutOff(try refused(fixture, notifier: notifier, kind: kind, user: "user-\(number)", wasTaken: false)))
            }
            #expect(try fixture.deliver(PushFixture.delivery(), notifier).verdict == .delivered)
            #expect(try refused(fixture, notifier: notifier, kind: kind, user: "user", wasTaken: false).verdict == .deviceGone(since: nil))
        }
    }

    @Test(arguments: ProviderKind.allCases)
    func `rejections of previously accepted tokens of many people are a settings problem`(_ kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let notifier = try kind.notifier(fixture)
            #expect(try fixture.deliver(PushFixture.delivery(), notifier).verdict == .delivered)
            for number in 1...9 {
                #expect(isPutOff(try refused(fixture, notifier: notifier, kind: kind, user: "user-\(number)", wasTaken: true)))
            }
            #expect(try refused(fixture, notifier: notifier, kind: kind, user: "user-10", wasTaken: true).verdict == .misconfigured)
            #expect(try refused(fixture, notifier: notifier, kind: kind, user: "user-1", wasTaken: false).verdict == .misconfigured)
            #expect(try fixture.deliver(PushFixture.delivery(), notifier).verdict == .delivered)
            #expect(isPutOff(try refused(fixture, notifier: notifier, kind: kind, user: "user-1", wasTaken: true)))
        }
    }

    @Test(arguments: ProviderKind.allCases)
    func `another user's delivery detects the settings problem`(_ kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let (notifier, token) = (try kind.notifier(fixture), PushFixture.token())
            #expect(isPutOff(try refused(fixture, notifier: notifier, kind: kind, token: token, user: "user", wasTaken: true)))
            #expect(
                isPutOff(try refused(fixture, notifier: notifier, kind: kind, token: token, user: "user", wasTaken: true)),
                "not without a delivery")
            #expect(try fixture.deliver(PushFixture.delivery(), notifier).verdict == .delivered)
            #expect(
                try refused(fixture, notifier: notifier, kind: kind, token: token, user: "user", wasTaken: true).verdict
                    == .deviceGone(since: nil))
        }
    }
}
