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
        /// How far the wall clock is ahead of the one that nobody sets.
        var ahead: Int64 = 0

        /// How far the wall clock is set forward right after the dispatcher has read the clocks; nil when it is not.
        var nextJump: Int64?

        var sinceBoot: UInt64 { wall.advanced(by: -ahead).rawValue }

        mutating func jump(_ milliseconds: Int64) {
            wall = wall.advanced(by: milliseconds)
            ahead += milliseconds
        }

        /// Reads the other clock as the dispatcher does, after the wall clock.
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
    /// Of the dispatcher that was started last.
    private(set) var metrics = MetricsRegistry()
    private let served: [String: ServedNotifier]
    private var dispatcher: Dispatcher?

    /// What the next dispatcher tells of lost calls of bots.
    var onLostCalls: @Sendable ([BotCall]) -> Void = { _ in }

    /// - Parameter notifiers: by name; `z` is there besides, for `settle`.
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

    /// Has the dispatcher go on with the notifiers that it has, as a reload does that changes none, but for these.
    func reload(_ changed: [String: ServedNotifier] = [:]) {
        dispatcher?.replace(with: served.merging(changed) { _, changed in changed })
    }

    /// Has the dispatcher go on without a notifier.
    func remove(_ name: String) {
        dispatcher?.replace(with: served.filter { $0.key != name })
    }

    /// Whether a notifier that it began with has been closed.
    func isClosed(_ name: String) -> Bool { served[name]?.hasClosed == true }

    /// Moves the clock and wakes the dispatcher, as the end of its waiting would.
    func advance(_ milliseconds: Int64) {
        time.update { $0.wall = $0.wall.advanced(by: milliseconds) }
        inbox.update { $0.hasNewWork = true }
    }

    /// Sets the wall clock, and not the other one, and wakes the dispatcher.
    func jump(_ milliseconds: Int64) {
        time.update { $0.jump(milliseconds) }
        inbox.update { $0.hasNewWork = true }
    }

    /// Sets the wall clock between two readings of the dispatcher that it makes at once.
    func jumpAfterNextReading(_ milliseconds: Int64) {
        time.update { $0.nextJump = milliseconds }
        inbox.update { $0.hasNewWork = true }
    }

    /// Moves the clock and wakes nobody.
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

    /// Has the dispatcher make a pass that begins from now on, and waits for its beginning: the passes before it have ended then.
    func beginPass() -> Bool {
        let before = store.standingReads
        advance(0)
        return eventually { store.standingReads > before }
    }

    /// Waits until all has been started that may start now: notifiers are served in the order of their names, so `z` comes last.
    func settle(_ number: Int) -> Bool {
        accept(number, for: "z")
        return waitForState(.delivered, of: number)
    }

    /// - Parameter position: which of the event's deliveries.
    func delivery(_ number: Int, _ position: Int = 0) -> Delivery? {
        (try? store.story(of: Self.event(number).delivery(position)))?.delivery
    }

    func story(_ number: Int) -> [String] {
        (try? store.story(of: Self.id(number)))?.attempts.map { "\($0.number) \($0.outcome) \($0.reason)" } ?? []
    }

    /// What a metric stands at; nil when it has no such line.
    func sample(_ name: String) -> String? {
        String(decoding: metrics.render(), as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name + " ") }
            .map { String($0.dropFirst(name.utf8.count + 1)) }
    }

    /// The states that a notifier is in, of which there is one.
    func state(of notifier: String) -> [String] {
        BreakerStatus.allCases.map(\.rawValue).filter {
            sample("deskgate_notifier_state{notifier=\"\(notifier)\",state=\"\($0)\"}") == "1"
        }
    }

    /// Of which notifiers the log says that deliveries ended without arriving, and how many.
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

    /// The number of the event that a delivery is for.
    static func number(_ delivery: Delivery) -> Int { Int(delivery.event.identity.commentID?.number ?? 0) }

    static func event(_ number: Int) -> UUIDv7 {
        var random = InlineArray<10, UInt8>(repeating: 0)
        random[6] = UInt8(number >> 8)
        random[7] = UInt8(number & 255)
        return UUIDv7(milliseconds: 1, random: random)
    }

    static func id(_ number: Int) -> UUIDv7 { event(number).delivery(0) }
}
