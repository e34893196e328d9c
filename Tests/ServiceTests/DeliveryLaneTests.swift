import Core
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// When a notifier's deliveries wake the dispatcher. A needless wake-up would be a busy loop.
@Suite final class DeliveryLaneTests {
    private var random = SeededGenerator(seed: 1)
    private var lane = DeliveryLane(name: "a", served: ServedNotifier(DeliveryNotifier(concurrency: 2)))

    private func delivery(_ number: Int, attempts: Int = 1, device: Device? = nil) -> Delivery {
        let event = Event(
            id: DeliveryFixture.event(number), kind: .commentCreated,
            identity: Event.Identity(appID: "app", ticketID: 1, commentID: HelpDeskID(Int64(number)), deviceID: ""), userID: "user",
            occurredAt: 0,
            receivedAt: 0, expiresAt: 1_000_000_000_000, data: [])
        return Delivery(
            id: DeliveryFixture.id(number), notifier: "a", event: event, device: device, attempts: attempts, dueAt: 0)
    }

    private func wakeAt(_ now: UnixMilliseconds) -> UnixMilliseconds? { lane.wakeAt(now: now) }

    private func room(_ now: UnixMilliseconds) -> Int { lane.room(now: now) }

    private func begin(_ delivery: Delivery, _ now: UnixMilliseconds) -> Bool { lane.begin(delivery, now: now) }

    private func tryOnce(_ outcome: DeliveryOutcome, now: UnixMilliseconds) -> FinishedAttempt? {
        #expect(begin(delivery(1), now))
        return lane.end(delivery(1).id, outcome, now: now, random: &random)?.result
    }

    @Test func `wakes while a delivery is due`() {
        #expect(wakeAt(5) == 0)
        #expect(room(5) == 2)
        lane.nextDue = 7
        #expect(wakeAt(5) == 7)
        #expect(room(5) == 0)
        lane.nextDue = nil
        #expect(wakeAt(5) == nil)
    }

    @Test func `awaits work unless a due time is known`() {
        for (due, expected) in [(nil, true), (0, false), (1000, false), (1001, true)] as [(UnixMilliseconds?, Bool)] {
            lane.nextDue = due
            #expect(lane.awaitsWork(now: 1000) == expected)
        }
    }

    @Test func `retries later than the process that reported the pause`() {
        let reported = SharedPause(.misconfigured, reason: "gone", until: 60_000)
        lane.adopt([reported], now: 1000)
        lane.nextDue = 0
        #expect(room(89_999) == 0)
        #expect(room(90_000) == 1)
        lane.adopt([SharedPause(.misconfigured, reason: "gone", until: 120_000)], now: 89_000)
        #expect(room(149_999) == 0)
        #expect(lane.pauseUpdates.isEmpty)
        lane.adopt([], now: 90_000)
        #expect(room(90_000) == 2)
    }

    @Test func `reports its pauses to the other processes`() {
        #expect(tryOnce(DeliveryOutcome(.misconfigured, reason: "gone"), now: 5) != nil)
        #expect(lane.pauseUpdates == [.begins(SharedPause(.misconfigured, reason: "gone", until: .max))])
        lane.adopt([SharedPause(.misconfigured, reason: "gone", until: .max, isOwn: true)], now: 5)
        #expect(lane.breaker.pauseReason != nil)
        lane.resume()
        #expect(lane.pauseUpdates == [.ends])
    }

    @Test func `the process that makes the probe reports the next one`() {
        lane = DeliveryLane(name: "a", served: ServedNotifier(DeliveryNotifier(probeIntervalMilliseconds: 60_000)))
        #expect(begin(delivery(2), 1000))
        lane.adopt([SharedPause(.misconfigured, reason: "gone", until: 10_000)], now: 1000)
        _ = lane.end(delivery(2).id, .busy, now: 2000, random: &random)
        #expect(lane.pauseUpdates.isEmpty, "it began before the pause")
        #expect(room(40_000) == 1)
        #expect(tryOnce(.busy, now: 40_000) != nil)
        #expect(
            lane.pauseUpdates == [.begins(SharedPause(.misconfigured, reason: "gone", until: 79_000))], "after as long as it has waited")
        #expect(room(79_000) == 1)
        #expect(tryOnce(.arrived, now: 79_000) != nil)
        #expect(lane.pauseUpdates == [.ends])
    }

    private static let doubt = DeliveryOutcome(
        .retry(retryAfterMilliseconds: nil), reason: "sender_id_mismatch", isAboutDevice: true, settingsFault: .possible)
    private static let typeFault = DeliveryOutcome(.dead, reason: "type", settingsFault: .ofDeviceType)

    /// An attempt after a response that the notifier's settings may have caused.
    @Test(
        arguments: [
            ("another of the kind", doubt, "sender_id_mismatch"), ("arrived", .arrived, nil), ("failed", .busy, "sender_id_mismatch"),
            ("a device is gone", .deviceGone, "sender_id_mismatch"), ("decided without asking", .noKey, "sender_id_mismatch"),
            ("delivered without asking", DeliveryOutcome.unasked[0], "sender_id_mismatch"),
            ("one type of device alone", typeFault, "sender_id_mismatch"),
        ] as [(String, DeliveryOutcome, String?)])
    func `only a delivered attempt clears a possible settings problem`(name: String, outcome: DeliveryOutcome, doubt: String?) {
        #expect(tryOnce(Self.doubt, now: 5) != nil)
        #expect(lane.settingsProblem == "sender_id_mismatch")
        #expect(tryOnce(outcome, now: 6) != nil)
        #expect(lane.settingsProblem == doubt, "\(name)")
    }

    @Test(arguments: [DeliveryOutcome.busy, .arrived, .deviceGone, .gone, typeFault])
    func `no other outcome reports a possible settings problem`(outcome: DeliveryOutcome) {
        #expect(tryOnce(outcome, now: 5) != nil)
        #expect(lane.settingsProblem == nil)
    }

    @Test func `a settings problem does not carry over to another notifier`() {
        #expect(begin(delivery(2), 5))
        #expect(tryOnce(Self.doubt, now: 5) != nil)
        lane.replace(with: ServedNotifier(DeliveryNotifier()))
        #expect(lane.settingsProblem == nil)
        _ = lane.end(delivery(2).id, Self.doubt, now: 6, random: &random)
        #expect(lane.settingsProblem == nil, "it was refused with the former settings")
    }

    @Test func `the end of a pause in another process keeps the settings problem`() {
        #expect(tryOnce(Self.doubt, now: 5) != nil)
        lane.adopt([SharedPause(.misconfigured, reason: "gone", until: 60_000)], now: 5)
        #expect(lane.settingsProblem != nil)
        lane.adopt([], now: 6)
        #expect(lane.settingsProblem != nil)
    }

    /// The pause lasts until a reload; a start is equivalent to a reload.
    @Test func `a start ends a pause without probes`() {
        let reported = SharedPause(.misconfigured, reason: "gone", until: .max)
        lane.adopt([reported], now: 5)
        #expect(lane.breaker.pauseReason == nil)
        #expect(lane.pauseUpdates == [.ends])
        lane.adopt([reported], now: 5)
        #expect(lane.breaker.pauseReason == .switchedOff)
    }

    @Test func `sleeps while it runs as many attempts as allowed`() {
        for number in 1...2 { #expect(begin(delivery(number), 5)) }
        #expect(wakeAt(5) == nil)
        #expect(room(5) == 0)
    }

    @Test func `sleeps while it is paused`() {
        _ = tryOnce(.gone, now: 5)
        lane.nextDue = 0
        #expect(wakeAt(5) == nil)
        lane.breaker.resume()
        #expect(wakeAt(5) == 0)
    }

    @Test func `sleeps until the breaker allows a probe and while the probe runs`() throws {
        for _ in 1...10 { _ = tryOnce(.busy, now: 5) }
        lane.nextDue = 0
        let time = try #require(wakeAt(5))
        #expect(time > 5)
        #expect(room(time) == 1)
        #expect(begin(delivery(1), time))
        #expect(wakeAt(time) == nil)
    }

    @Test func `sleeps while the receiver throttles it`() {
        _ = tryOnce(.later(60_000, requestsBackoff: true), now: 5)
        lane.nextDue = 0
        #expect(wakeAt(5) == 60_005)
    }

    /// A proxy answers 502 and 504 when its backend is down.
    @Test(arguments: [(502, .open), (504, .open), (429, .closed)] as [(Int, BreakerState)])
    func `a response that requests backoff opens the breaker unless it only throttles`(_ status: Int, _ state: BreakerState) {
        let outcome = DeliveryOutcome(
            .retry(retryAfterMilliseconds: nil), reason: "status_\(status)", requestsBackoff: true, status: status)
        for second in 1...10 as ClosedRange<UInt64> {
            let now = UnixMilliseconds(rawValue: second * 1000)
            lane.nextDue = 0
            #expect(room(now) > 0, "after a second")
            _ = tryOnce(outcome, now: now)
            lane.nextDue = 0
            #expect(room(now) == 0, "it rests for a second")
        }
        #expect(lane.breaker.state == state)
    }

    @Test func `failures of one device do not open the breaker`() {
        // As many as would open the breaker if they were failures of the notifier.
        for _ in 1...10 { #expect(tryOnce(.later(60_000, isAboutDevice: true), now: 5)?.next == .retry(at: 60_005)) }
        lane.nextDue = 0
        #expect(room(5) == 2)
    }

    @Test(arguments: DeliveryOutcome.unasked)
    func `only who was asked ends a pause`(_ outcome: DeliveryOutcome) {
        lane.replace(with: ServedNotifier(DeliveryNotifier(probeIntervalMilliseconds: 60_000)))
        _ = tryOnce(.gone, now: 5)
        #expect(wakeAt(5) == 60_005)
        #expect(room(60_005) == 1)
        _ = tryOnce(outcome, now: 60_005)
        #expect(lane.breaker.pauseReason == .misconfigured)
        #expect(room(60_005) == 1, "another may be the probe")
        // The store's report of deferred deliveries.
        lane.nextDue = 90_005
        #expect(wakeAt(60_005) == 90_005)
        #expect(room(90_004) == 0)
        #expect(room(90_005) == 1)
        _ = tryOnce(.arrived, now: 90_005)
        #expect(lane.breaker.state == .closed)
    }

    @Test(arguments: DeliveryOutcome.unasked)
    func `only an outcome from the receiver closes the breaker`(_ outcome: DeliveryOutcome) throws {
        for _ in 1...10 { _ = tryOnce(.busy, now: 5) }
        lane.nextDue = 0
        let time = try #require(wakeAt(5))
        #expect(room(time) == 1)
        _ = tryOnce(outcome, now: time)
        #expect(lane.breaker.state == .halfOpen)
        #expect(room(time) == 1, "another may be the probe")
        lane.nextDue = time + 30_000
        #expect(wakeAt(time) == time + 30_000)
        #expect(room(time + 30_000) == 1)
        _ = tryOnce(.arrived, now: time + 30_000)
        #expect(lane.breaker.state == .closed)
    }

    @Test(arguments: DeliveryOutcome.unasked)
    func `an outcome without a call does not interrupt a series of failures`(_ outcome: DeliveryOutcome) {
        for _ in 1...9 { _ = tryOnce(.busy, now: 5) }
        _ = tryOnce(outcome, now: 5)
        #expect(lane.breaker.state == .closed)
        _ = tryOnce(.busy, now: 5)
        #expect(lane.breaker.state == .open)
    }

    @Test func `a misconfiguration pauses the notifier even without a call`() {
        _ = tryOnce(DeliveryOutcome(.misconfigured, reason: "request_cannot_be_made", calledReceiver: false), now: 5)
        #expect(lane.breaker.pauseReason == .switchedOff)
    }

    @Test func `an unregistered device ends its delivery`() {
        for _ in 1...20 { #expect(tryOnce(.deviceGone, now: 5)?.next == .dead) }
        #expect(tryOnce(.deviceGone, now: 5)?.reason == "unregistered")
        lane.nextDue = 0
        #expect(room(5) == 2)
    }

    @Test func `a second claim of a running delivery receives its outcome`() {
        #expect(begin(delivery(1, attempts: 1), 5))
        #expect(!begin(delivery(1, attempts: 2), 6))
        let ended = lane.end(delivery(1).id, .arrived, now: 7, random: &random)
        #expect(ended?.result.attempt == 2)
        #expect(ended?.running.startedAt == 5)
        #expect(lane.running.isEmpty)
    }

    @Test func `wakes when the due time is later than the longest delay`() {
        let longest = lane.longestDelayMilliseconds
        lane.nextDue = 5 + longest
        #expect(wakeAt(5) == UnixMilliseconds(5 + longest))
        #expect(room(5) == 0)
        #expect(wakeAt(4) == 0)
        #expect(room(4) == 2)
    }

    @Test func `leases outlast attempts`() {
        #expect(lane.leaseMilliseconds > lane.notifier.longestAttemptMilliseconds)
    }

    @Test func `reports changes of the device to the registry`() throws {
        let key = Device.Key(appID: "app", userID: "user", deviceID: "device")
        let device = Device(key: key, type: "ios", token: try PushToken("token"), registeredAt: 1, seenAt: 2)
        let cases: [(outcome: DeliveryOutcome, update: FinishedAttempt.DeviceUpdate?)] = [
            (.deviceGone, .gone(since: 1)), (DeliveryOutcome(.delivered, reason: "sent", environment: "sandbox"), .environment("sandbox")),
            (.arrived, nil), (.later(1), nil),
        ]
        for (outcome, update) in cases {
            #expect(begin(delivery(1, device: device), 5))
            let result = try #require(lane.end(delivery(1).id, outcome, now: 5, random: &random)?.result)
            #expect(result.update == update)
            #expect(result.device == (update == nil ? nil : device))
            #expect(result.isDeviceGone == (outcome == .deviceGone))
        }
    }

    @Test func `a delivery of a misconfigured notifier waits until its lifetime ends`() {
        #expect(tryOnce(.gone, now: 5)?.next == .retry(at: 5))
        lane.replace(with: ServedNotifier(DeliveryNotifier()))
        #expect(tryOnce(.gone, now: 1_000_000_000_000)?.next == .givenUp(.expired))
    }

    @Test func `a replaced notifier ends its attempts and does not pause its successor`() {
        #expect(begin(delivery(1), 5))
        let (old, next) = (lane.served, ServedNotifier(DeliveryNotifier()))
        lane.replace(with: next)
        #expect(lane.takeIdleRetired().isEmpty, "it still runs a try")
        _ = lane.end(delivery(1).id, .gone, now: 5, random: &random)
        #expect(lane.breaker.pauseReason == nil)
        #expect(lane.takeIdleRetired().map { $0 === old } == [true])
        #expect(lane.takeIdleRetired().isEmpty)
    }

    @Test func `starts nothing after it has left`() {
        lane.leave()
        #expect(room(5) == 0)
        #expect(wakeAt(5) == nil)
        #expect(!lane.awaitsWork(now: 5))
        lane.replace(with: ServedNotifier(DeliveryNotifier(concurrency: 3)))
        #expect(room(5) == 3)
    }
}
