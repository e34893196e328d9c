import Core
import Observability
import TestSupport
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// A dispatcher over a store in memory, with a clock that the test sets.
final class DeliveryFixture {
    static let start: UnixMilliseconds = 1_800_000_000_000

    /// Both clocks, which are set in one step.
    private struct ClockTimes {
        var wall = DeliveryFixture.start
        /// The offset of the wall clock from the monotonic clock.
        var ahead: Int64 = 0

        /// The jump of the wall clock right after the dispatcher has read the clocks; nil for none.
        var nextJump: Int64?

        var sinceBoot: UInt64 { wall.advanced(by: -ahead).rawValue }

        mutating func jump(_ milliseconds: Int64) {
            wall = wall.advanced(by: milliseconds)
            ahead += milliseconds
        }

        /// Reads the monotonic clock like the dispatcher, after the wall clock.
        mutating func readSinceBoot() -> UInt64 {
            let reading = sinceBoot
            if let nextJump { jump(nextJump) }
            nextJump = nil
            return reading
        }
    }

    let store: DeliveryStore
    let log: TestLog
    private let scratch: TemporaryDirectory
    private let time = Monitor(ClockTimes())
    private let retention: Retention
    let inbox = Monitor(DispatcherInbox())
    /// The metrics of the dispatcher that was started last.
    private(set) var metrics = MetricsRegistry()
    private let served: [String: ServedNotifier]
    private var dispatcher: Dispatcher?

    /// The next dispatcher's callback for lost calls of bots.
    var onLostCalls: @Sendable ([BotCall]) -> Void = { _ in }

    /// - Parameter notifiers: by name; `z` is added for `settle`.
    init(
        _ notifiers: [String: any Notifier],
        retention: Retention = Retention(deliveredMilliseconds: 1 << 40, deadMilliseconds: 1 << 40, idleDeviceMilliseconds: 1 << 40)
    ) throws {
        self.retention = retention
        store = try DeliveryStore()
        scratch = try TemporaryDirectory()
        log = try TestLog(in: scratch, level: .debug)
        served = notifiers.merging(["z": DeliveryNotifier(.arrived)]) { named, _ in named }.mapValues { ServedNotifier($0) }
        try startDispatcher()
    }

    deinit {
        stop()
        store.close()
    }

    var now: UnixMilliseconds { time.withLock { $0.wall } }

    func startDispatcher() throws {
        inbox.update { $0 = DispatcherInbox() }
        metrics = MetricsRegistry()
        let clocks = Clocks(
            unixSeconds: { [time] in time.withLock { $0.wall.seconds } },
            unixMilliseconds: { [time] in time.withLock { $0.wall } },
            sinceBoot: { [time] in time.withLock { $0.readSinceBoot() } })
        dispatcher = try Dispatcher(
            store: store, audience: { .nobody }, notifiers: served,
            retention: retention,
            metrics: DeliveryMetrics(
                registry: metrics, store: store, clocks: clocks, inbox: inbox),
            logger: log.logger, clocks: clocks, inbox: inbox, onLostCalls: onLostCalls)
    }

    func stop(drainMilliseconds: UInt64 = WaitLimit.milliseconds) {
        dispatcher?.stop(drainMilliseconds: drainMilliseconds)
        dispatcher = nil
    }

    /// Reloads the dispatcher with its current notifiers, except for the changed ones.
    func reload(_ changed: [String: ServedNotifier] = [:]) {
        dispatcher?.replace(with: served.merging(changed) { _, changed in changed })
    }

    /// Reloads the dispatcher without a notifier.
    func remove(_ name: String) {
        dispatcher?.replace(with: served.filter { $0.key != name })
    }

    /// Whether an initial notifier has been closed.
    func isClosed(_ name: String) -> Bool { served[name]?.hasClosed == true }

    /// Advances the clock and wakes the dispatcher, like the end of its wait.
    func advance(_ milliseconds: Int64) {
        time.update { $0.wall = $0.wall.advanced(by: milliseconds) }
        inbox.update { $0.hasNewWork = true }
    }

    /// Sets only the wall clock, and wakes the dispatcher.
    func jump(_ milliseconds: Int64) {
        time.update { $0.jump(milliseconds) }
        inbox.update { $0.hasNewWork = true }
    }

    /// Sets the wall clock between two adjacent readings of the dispatcher.
    func jumpAfterNextReading(_ milliseconds: Int64) {
        time.update { $0.nextJump = milliseconds }
        inbox.update { $0.hasNewWork = true }
    }

    /// Advances the clock without waking a thread.
    func setForward(_ milliseconds: UInt64) {
        time.update { $0.wall += milliseconds }
    }

    func accept(
        _ number: Int, for notifiers: String..., ticket: HelpDeskID = 1, keepsOrder: Bool = false, lifetimeMilliseconds: UInt64 = 86_400_000
    ) {
        let identity = Event.Identity(appID: "app", ticketID: ticket, commentID: HelpDeskID(Int64(number)), deviceID: "")
        let event = Event(
            id: Self.event(number), kind: .commentCreated, identity: identity, userID: "user", occurredAt: now, receivedAt: now,
            expiresAt: now + lifetimeMilliseconds, data: [])
        let names = notifiers.isEmpty ? ["a"] : notifiers
        store.accept(IncomingEvent(event, to: names.map { Subscription(notifier: $0, keepsOrder: keepsOrder) })) { [inbox] _ in
            inbox.announceWork()
        }
    }

    /// Makes the dispatcher begin another pass, and waits for its beginning: earlier passes have ended then.
    func beginPass() -> Bool {
        let before = store.standingReads
        advance(0)
        return eventually { store.standingReads > before }
    }

    /// Waits until all deliveries that may start have started: notifiers are served in the order of their names, so `z` is last.
    func settle(_ number: Int) -> Bool {
        accept(number, for: "z")
        return waitForState(.delivered, of: number)
    }

    /// - Parameter position: the index among the event's deliveries.
    func delivery(_ number: Int, _ position: Int = 0) -> Delivery? {
        (try? store.story(of: Self.event(number).delivery(position)))?.delivery
    }

    func story(_ number: Int) -> [String] {
        (try? store.story(of: Self.id(number)))?.attempts.map { "\($0.number) \($0.outcome) \($0.reason)" } ?? []
    }

    /// The value of a metric; nil without such a line.
    func sample(_ name: String) -> String? {
        String(decoding: metrics.render(), as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name + " ") }
            .map { String($0.dropFirst(name.utf8.count + 1)) }
    }

    /// The state of a notifier, as the list of states whose metric is set.
    func state(of notifier: String) -> [String] {
        BreakerStatus.allCases.map(\.rawValue).filter {
            sample("deskgate_notifier_state{notifier=\"\(notifier)\",state=\"\($0)\"}") == "1"
        }
    }

    /// The notifiers and numbers in log lines about deliveries that ended without arriving.
    func warnings() -> [String] {
        let lines = (try? log.lines()) ?? []
        return lines.filter { $0.contains("ended without arriving") }
            .map { line in
                ["notifier=", "count="].compactMap { key in
                    line.split(separator: " ").first { $0.hasPrefix(key) }.map { String($0.dropFirst(key.utf8.count)) }
                }.joined(separator: " ")
            }
    }

    func waitForState(_ state: Delivery.State, of number: Int) -> Bool {
        eventually { delivery(number)?.state == state }
    }

    func waitForReason(_ reason: String, of number: Int) -> Bool {
        eventually { delivery(number)?.reason == reason }
    }

    /// The number of a delivery's event.
    static func number(_ delivery: Delivery) -> Int { Int(delivery.event.identity.commentID?.number ?? 0) }

    static func event(_ number: Int) -> UUIDv7 {
        var random = InlineArray<10, UInt8>(repeating: 0)
        random[6] = UInt8(number >> 8)
        random[7] = UInt8(number & 255)
        return UUIDv7(milliseconds: 1, random: random)
    }

    static func id(_ number: Int) -> UUIDv7 { event(number).delivery(0) }
}
