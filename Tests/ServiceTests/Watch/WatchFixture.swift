import Core
import Crypto
import JSON
import Observability
import Storage
import TestSupport
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The reports to operators, with a clock that a test sets, and notifiers whose health the test sets.
final class WatchFixture {
    static let start: UnixSeconds = 1_773_130_512
    private static let names = ["log", "pager", "sink"]

    let directory: ConfigurationDirectory
    let store: any Store
    let log: TestLog
    private let inbox = Monitor(DispatcherInbox())
    private let metrics = ServiceMetrics(registry: MetricsRegistry(), version: "test")
    private var family: MetricFamily<Counter> { metrics.helpDesks.authorizeRequests }
    private let passed = Monitor<UInt64>(0)
    private let problems = Monitor<[SevereProblem]>([])
    /// The facts that the watch last read from the store.
    let facts = WatchedStore()
    private(set) var watch: OperatorWatch?

    /// - Parameters:
    ///   - operators: the members of `operators`.
    ///   - store: by default one in memory.
    init(_ operators: String = #""notifiers":["pager","log"]"#, store: (any Store)? = nil) throws {
        directory = try ConfigurationDirectory()
        directory.environment["SIGNING"] = TestSecret.signing(21)
        directory.environment["OTHER"] = TestSecret.signing(22)
        self.store = store ?? MemoryStore()
        log = try TestLog(in: directory.scratch, level: .info)
        try restart(operators)
    }

    deinit { store.close() }

    private func configuration(_ operators: String, notifiers: [String], apps: String) throws -> Configuration {
        let types = [
            "log": #"{"type":"log"}"#, "pager": #"{"type":"http","url":"https://example.com/a","secret":{"env":"SIGNING"}}"#,
            "sink": #"{"type":"http","url":"https://example.com/b","secret":{"env":"OTHER"}}"#,
        ]
        let members = notifiers.map { "\"\($0)\":\(types[$0] ?? "")" }.joined(separator: ",")
        return try directory.configuration(
            #"{\#(apps),"notifiers":{\#(members)},"store":{"type":"memory"},"operators":{\#(operators)}}"#)
    }

    /// Starts another process with the same store, which only has the stored state.
    func restart(_ operators: String = #""notifiers":["pager","log"]"#, apps: String = ConfigurationDirectory.apps) throws {
        let configuration = try configuration(operators, notifiers: Self.names, apps: apps)
        inbox.withLock { $0 = DispatcherInbox() }
        serve(Self.names)
        let clocks = Clocks(
            unixSeconds: { [passed] in Self.start + passed.withLock { $0 } },
            monotonicNanoseconds: { [passed] in (1_000 + passed.withLock { $0 }) * 1_000_000_000 })
        watch = OperatorWatch(
            configuration, store: store, facts: facts, inbox: inbox, authorizeRequests: family,
            problems: { [problems] in problems.withLock { $0 } }, logger: log.logger, clocks: clocks)
    }

    private func serve(_ names: [String]) {
        inbox.withLock { inbox in
            inbox.replaceNotifiers(
                Dictionary(uniqueKeysWithValues: names.map { ($0, ServedNotifier(DeliveryNotifier(.arrived))) }))
        }
    }

    /// Continues with another configuration.
    func reload(
        _ operators: String = #""notifiers":["pager","log"]"#, notifiers: [String] = names, apps: String = ConfigurationDirectory.apps
    ) throws {
        watch?.take(try configuration(operators, notifiers: notifiers, apps: apps))
        serve(notifiers)
    }

    /// Advances the clock; the watch checks every five seconds.
    func pass(_ seconds: UInt64) {
        for _ in 0..<max(1, seconds / 5) {
            passed.withLock { $0 += min(seconds, 5) }
            watch?.logProblems()
            watch?.look()
        }
    }

    /// Advances the clock without a check, as while no process runs.
    func sleep(_ seconds: UInt64) { passed.withLock { $0 += seconds } }

    func set(_ notifier: String, _ state: BreakerStatus, reason: String = "status_401", successes: UInt64 = 0) {
        inbox.withLock { $0.health[notifier] = NotifierHealth(status: state, lastFailure: reason, successes: successes) }
    }

    /// Sets the severe problems.
    func show(_ found: [String], hasEvent: Bool = true) {
        let found = found.map { subject in
            SevereProblem(
                key: OperatorCondition.Key(.problem, subject), hasEvent: hasEvent, text: "It is wrong.", remedy: "Mend it.",
                data: Array(#"{"kind":"\#(subject)"}"#.utf8))
        }
        problems.withLock { $0 = found }
    }

    func count(_ result: String, _ reason: String = "valid", by count: UInt64, app: String = "shop") {
        family.child(app, result, reason, "1").increment(by: count)
    }

    /// Adds deliveries that wait for a notifier from now on.
    func queue(_ count: Int, for notifier: String) throws {
        for number in 0..<count {
            let now = (Self.start + passed.withLock { $0 }).milliseconds
            var random = SystemRandomNumberGenerator()
            let id = UUIDv7(milliseconds: now, using: &random).event
            let event = Event(
                OperatorTest(appID: "shop", notifier: "\(number)"), id: id, now: now, lifetimeMilliseconds: 86_400_000)
            store.accept(IncomingEvent(event, to: [Subscription(notifier: notifier)]), telling: .nobody) { _ in }
        }
    }

    /// The reports since the last call: the event's type, `state`, the notifier.
    /// - Parameter delivering: whether their deliveries are delivered afterwards.
    func reported(delivering: Bool = true) throws -> [String] {
        let all = try store.deliveries(DeliveryFilter(), limit: 1000).reversed().filter { $0.event.kind != .operatorTest }
        let new = all.dropFirst(seen)
        seen = all.count
        var lines: [String] = []
        for delivery in new {
            let state = JSONValue(parsing: delivery.event.data)?["state"]?.text
            lines.append("\(delivery.event.kind.rawValue)\(state.map { " \($0)" } ?? "") > \(delivery.notifier)")
        }
        for name in ["log", "pager"] where delivering { _ = try store.giveUpPending(notifier: name, now: 0, limit: 1000) }
        return lines.sorted()
    }

    private var seen = 0

    /// A member of the data of the last reported event.
    func last(_ member: String) throws -> JSONValue? {
        try store.deliveries(DeliveryFilter(), limit: 1000).first { $0.event.kind != .operatorTest }
            .flatMap { JSONValue(parsing: $0.event.data)?[member] }
    }
}
