import Core
import HTTPClient
import JSON
import Notifiers
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// A registry and its relay under random events from a seed, with a help desk that sometimes answers 503.
final class RelayLife {
    private static let window: UInt64 = 300_000
    private static let audience = RegistryAudience([("app", [Subscription(notifier: "pyrus")])], lifetimeMilliseconds: 1 << 40)

    private let store: any Store
    private let directory: TemporaryDirectory?
    private let server: ScriptedServer
    private let client: Client
    private let statuses: [Int]
    /// A monotonic clock, in milliseconds.
    private let clock = Monitor<UInt64>(1_000_000)
    /// The wall-clock time; it may be set back.
    private var now: UnixMilliseconds = 1_773_130_512_000
    private var random: SeededGenerator
    private var notifier: PyrusNotifier

    init(seed: Int, inFile: Bool) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        statuses = (0..<100).map { _ in random.element(of: [200, 503, 503]) } + [200]
        self.random = random
        directory = inFile ? try TemporaryDirectory() : nil
        store = try directory.map { try SQLiteStore(path: $0.path("store.db")) } ?? MemoryStore()
        server = try ScriptedServer(.requests(statuses.map { [.respond($0, body: "{}")] }))
        client = try Client()
        notifier = try Self.notifier(server, client: client, clock: clock)
    }

    func end() {
        store.close()
        client.close()
        server.stop()
    }

    func step() throws {
        pass(UInt64.random(in: 0..<Self.window / 4, using: &random))
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: try payload()
        case 4..<8: try work(limit: Int.random(in: 1...4, using: &random), mayDie: true)
        case 8: notifier = try Self.notifier(server, client: client, clock: clock)
        default: now = now - UInt64.random(in: 0..<86_400_000, using: &random)
        }
    }

    /// Runs until every change has been reported, including dead deliveries.
    func settle() throws {
        _ = try store.retryAll(DeliveryFilter(), now: now, expiresAt: now + 1 << 40)
        for _ in 0..<500 {
            if try store.pending().isEmpty { return }
            pass(Self.window)
            try work(limit: 100, mayDie: false)
        }
        Issue.record("a change is never reported")
    }

    /// The registered tokens, by person and device.
    func registered() throws -> [String: String] {
        let devices = try store.devices(DeviceFilter(appID: "app"), after: nil, limit: 100)
        return Dictionary(uniqueKeysWithValues: devices.map { ("\($0.key.userID) \($0.key.deviceID)", "\($0.type) \($0.token.text)") })
    }

    /// The tokens that the help desk has if it accepts the calls with the given statuses, by person and device.
    func reported(_ isTaken: (Int) -> Bool) throws -> [String: String] {
        var tokens: [String: String] = [:]
        for (number, request) in server.requests.enumerated() where isTaken(statuses[min(number, statuses.count - 1)]) {
            let body = try #require(JSONValue(parsing: request.body))
            let (user, device) = (try #require(body["user_id"]?.text), try #require(body["instance_id"]?.text))
            tokens["\(user) \(device)"] = try body["token"]?.text.map { "\(try #require(body["type"]?.text)) \($0)" }
        }
        return tokens
    }

    private static func notifier(_ server: ScriptedServer, client: Client, clock: Monitor<UInt64>) throws -> PyrusNotifier {
        try PyrusNotifier(
            Configuration.Relay(
                helpDesk: .pyrus, url: server.url("/token"),
                transport: NotifierTransport(concurrency: 8)),
            RelayServices(
                mintKey: { _, _ in "key" },
                clocks: Clocks(unixSeconds: { 0 }, monotonicNanoseconds: { clock.withLock { $0 } * 1_000_000 })), client: client)
    }

    private func pass(_ milliseconds: UInt64) {
        now += milliseconds
        clock.update { $0 += milliseconds }
    }

    /// Registers a device or signs it out.
    private func payload() throws {
        let key = Device.Key(appID: "app", userID: random.element(of: ["u", "v"]), deviceID: random.element(of: ["1", "2"]))
        let token = try random.element(of: ["A", "B", nil]).map { try PushToken($0) }
        let payload = Registration(key: key, type: random.element(of: ["ios", "ios", "android"]), token: token, now: now, rules: [])
        let isDone = Monitor(false)
        store.register(payload, telling: Self.audience) { _ in isDone.update { $0 = true } }
        try #require(isDone.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil } == true)
    }

    /// Attempts due deliveries like the dispatcher; the registry may change during an attempt.
    private func work(limit: Int, mayDie: Bool) throws {
        let claim = Claim(
            notifier: "pyrus", now: now, leaseMilliseconds: 30_000, limit: limit, longestDelayMilliseconds: Self.window,
            rateLimits: notifier.rateLimits
        )
        let claimed = try store.work([], [claim])[0].get().deliveries
        if mayDie, Int.random(in: 0..<3, using: &random) == 0 { try payload() }
        for delivery in claimed {
            let answer = Monitor<DeliveryOutcome?>(nil)
            notifier.deliver(delivery) { outcome in answer.update { $0 = outcome } }
            let outcome = try #require(answer.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 })
            let next = try next(after: outcome, mayDie: mayDie)
            _ = try store.work(
                [FinishedAttempt(id: delivery.id, attempt: delivery.attempts, next: next, reason: outcome.reason, now: now)], [])
        }
    }

    private func next(after outcome: DeliveryOutcome, mayDie: Bool) throws -> FinishedAttempt.Next {
        if outcome.verdict == .delivered { return .delivered }
        guard case .retry(let wait) = outcome.verdict else { throw Unexpected(reason: outcome.reason) }
        return mayDie && Int.random(in: 0..<4, using: &random) == 0 ? .dead : .retry(at: now + (wait ?? 1000))
    }

    private struct Unexpected: Error {
        let reason: String
    }
}
