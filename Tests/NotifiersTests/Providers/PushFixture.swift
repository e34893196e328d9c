import Core
import Crypto
import HTTPClient
import Simulators
import TestSupport
import Threading
import Time

@testable import Notifiers

/// Simulated providers, and a separate client for each test.
///
/// Most tests share the simulators and use their own push tokens, so that faults and devices of one test do not affect another.
final class PushFixture {
    private static let shared = Result { try PushFixture.start() }
    /// Created once, because the key for FCM takes half a second. The credentials have no state of a simulator.
    private static let credentials = Result { try SimulatorCredentials() }

    let simulators: SimulatorSet
    let client: Client
    let clocks = ManualClocks(unixMilliseconds: Sample.now)
    private let directory: TemporaryDirectory

    private init(_ simulators: SimulatorSet) throws {
        self.simulators = simulators
        directory = try TemporaryDirectory()
        try directory.write("ca.pem", simulators.authority)
        client = try Client(
            settings: ClientSettings(connectionsPerHost: 1, certificateAuthorities: directory.path("ca.pem"), httpVersion: .http2))
    }

    private static func start(_ change: (inout SimulatorSettings) -> Void = { _ in }) throws -> SimulatorSet {
        var settings = SimulatorSettings()
        settings.now = { Sample.now }
        settings.credentials = try credentials.get()
        // Each test has its own notifiers with their own provider tokens.
        settings.providerTokenLimit = 1_000_000
        settings.recordLimit = 100_000
        change(&settings)
        return try SimulatorSet(settings)
    }

    /// Runs with the shared simulators.
    static func run(_ body: (PushFixture) throws -> Void) throws {
        let fixture = try PushFixture(shared.get())
        defer { fixture.client.close() }
        try body(fixture)
    }

    static func runAlone(_ change: (inout SimulatorSettings) -> Void = { _ in }, _ body: (PushFixture) throws -> Void) throws {
        let simulators = try start(change)
        defer { simulators.stop() }
        let fixture = try PushFixture(simulators)
        defer { fixture.client.close() }
        try body(fixture)
    }

    /// A unique push token, in a form that all providers accept.
    static func token() -> String {
        (0..<4).map { _ in String(UInt64.random(in: 1 << 63 ... .max), radix: 16) }.joined()
    }

    static func delivery(
        _ token: String = token(), user: String = "user", environment: String? = nil, kind: Event.Kind = .commentCreated,
        data: String? = nil
    ) throws -> Delivery {
        var random = SystemRandomNumberGenerator()
        let id = UUIDv7(milliseconds: Sample.now, random: InlineArray { _ in UInt8.random(in: .min ... .max, using: &random) })
        let comment = #"{"comment":{"comment_id":5,"body":"Hello"},"author":{"name":"Anna"}}"#
        let event = Event(
            id: id, kind: kind, identity: Event.Identity(appID: "app", ticketID: 7, commentID: 5, deviceID: "device"), userID: user,
            occurredAt: Sample.now, receivedAt: Sample.now, expiresAt: Sample.now + 3_600_000, data: Array((data ?? comment).utf8))
        let device = Device(
            key: Device.Key(appID: "app", userID: user, deviceID: "device"), type: "phone", token: try PushToken(token),
            environment: environment, registeredAt: Sample.now, seenAt: Sample.now)
        return Delivery(id: id, notifier: "push", event: event, deviceID: "device", device: device, dueAt: Sample.now)
    }

    func deliver(_ delivery: Delivery, _ notifier: any Notifier) -> DeliveryOutcome {
        deliver([delivery], notifier)[0]
    }

    /// Attempts deliveries concurrently, and returns their outcomes in order.
    func deliver(_ deliveries: [Delivery], _ notifier: any Notifier) -> [DeliveryOutcome] {
        let outcomes = Outcomes(deliveries.count)
        for (number, delivery) in deliveries.enumerated() { notifier.deliver(delivery) { outcomes.add($0, number) } }
        return outcomes.wait()
    }

    /// Repeats attempts like the dispatcher until every delivery has ended.
    /// - Returns: the outcomes; nil for a delivery that has not ended after a hundred rounds.
    func deliverPatiently(_ deliveries: [Delivery], _ notifier: any Notifier) -> [DeliveryOutcome?] {
        var ends = [DeliveryOutcome?](repeating: nil, count: deliveries.count)
        for _ in 0..<100 {
            let open = ends.indices.filter { ends[$0] == nil }
            guard !open.isEmpty else { break }
            for (number, outcome) in zip(open, deliver(open.map { deliveries[$0] }, notifier)) {
                if case .retry = outcome.verdict { continue }
                ends[number] = outcome
            }
        }
        return ends
    }

    func pushes(to token: String) -> [SimulatedPush] {
        simulators.recorder.pushes.filter { $0.token == token }
    }
}
