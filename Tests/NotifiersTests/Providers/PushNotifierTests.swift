import Core
import Notifiers
import Simulators
import Testing
import Time

@Suite struct PushNotifierTests {
    @Test(arguments: ProviderKind.allCases)
    func `a valid credential passes the check`(_ kind: ProviderKind) throws {
        // The simulators accept every token that no test has made invalid.
        let tokens = [ProviderKind.apns: String(repeating: "0", count: 64), .fcm: "deskgate-check", .rustore: "deskgate-check"]
        for isKnown in [true, false] {
            try PushFixture.runAlone { fixture in
                if let token = tokens[kind], !isKnown { fixture.simulators.devices[token] = SimulatedDevice(refusal: .invalid) }
                let notifier = try kind.notifier(fixture)
                #expect(prove(notifier) == DeliveryOutcome(.delivered, reason: "credential_accepted"))
                #expect(fixture.simulators.recorder.pushes.allSatisfy { $0.title.isEmpty && $0.body.isEmpty || $0.isDryRun })
            }
        }
    }

    @Test(
        arguments: [
            (.apns, "invalid_provider_token"), (.fcm, "token_invalid_grant"), (.rustore, "permission_denied"), (.hms, "token_error_1101"),
        ] as [(ProviderKind, String)])
    func `an invalid credential fails the check`(_ kind: ProviderKind, _ reason: String) throws {
        try PushFixture.run { fixture in
            let notifier = try kind.notifier(fixture, isGenuine: false)
            #expect(prove(notifier) == DeliveryOutcome(.misconfigured, reason: reason))
            #expect(try fixture.deliver(PushFixture.delivery(), notifier) == DeliveryOutcome(.misconfigured, reason: reason))
        }
    }

    @Test(arguments: ProviderKind.allCases)
    func `an unsendable delivery is given up`(_ kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let notifier = try kind.notifier(fixture)
            for event in [Event.Kind.pushTokenRegistered, .pushTokenRemoved] {
                let outcome = try fixture.deliver(PushFixture.delivery(kind: event), notifier)
                #expect(outcome == DeliveryOutcome(.delivered, reason: "not_for_push", calledReceiver: false))
            }
            for data in ["", "{}", "[]", #"{"comment":5}"#] {
                let outcome = try fixture.deliver(PushFixture.delivery(data: data), notifier)
                #expect(outcome == DeliveryOutcome(.dead, reason: "unreadable_payload", calledReceiver: false))
            }
            let known = try PushFixture.delivery()
            let signedOut = Delivery(id: known.id, notifier: known.notifier, event: known.event, deviceID: "device", dueAt: 0)
            #expect(fixture.deliver(signedOut, notifier) == DeliveryOutcome(.dead, reason: "no_device", calledReceiver: false))
        }
    }

    @Test(arguments: ProviderKind.allCases)
    func bounds(_ kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let notifier = try kind.notifier(fixture, timeoutMilliseconds: 7000)
            #expect(notifier.longestAttemptMilliseconds == 14_000)
            #expect(!notifier.preservesTicketOrder)
            #expect(notifier.concurrency == (kind == .apns ? 256 : 64))
            #expect(notifier.retryPolicy.floorMilliseconds == RetryPolicy.push.floorMilliseconds)
        }
    }

    @Test func `unsendable settings are rejected`() throws {
        try PushFixture.run { fixture in
            for (url, topic) in [("ftp://127.0.0.1", "topic"), ("https://127.0.0.1", "a\nb")] {
                let file = PEMFile(path: "", contents: [])
                let settings = PushSettings(
                    provider: .apns(APNsDestination(credential: .certificate(file, key: file), topic: topic, url: url)),
                    style: try PushStyle(content: .full), transport: NotifierTransport(timeoutSeconds: 1, concurrency: 1))
                #expect(throws: (any Error).self) {
                    try PushNotifier(settings, client: fixture.client, monotonicMilliseconds: { 0 }, unixMilliseconds: { 0 })
                }
            }
        }
    }

    private func prove(_ notifier: any ProvableNotifier) -> DeliveryOutcome {
        let outcomes = Outcomes(1)
        notifier.prove { outcomes.add($0, 0) }
        return outcomes.wait()[0]
    }
}
