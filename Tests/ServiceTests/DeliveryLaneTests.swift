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

/// When a notifier's deliveries wake the dispatcher: never for nothing, which would be a loop without rest.
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

    @Test func `is awake while something is due`() {
        #expect(wakeAt(5) == 0)
        #expect(room(5) == 2)
        lane.nextDue = 7
        #expect(wakeAt(5) == 7)
        #expect(room(5) == 0)
        lane.nextDue = nil
        #expect(wakeAt(5) == nil)
    }

    @Test func `awaits news unless something is known to be due`() {
        for (due, expected) in [(nil, true), (0, false), (1000, false), (1001, true)] as [(UnixMilliseconds?, Bool)] {
            lane.nextDue = due
            #expect(lane.awaitsWork(now: 1000) == expected)
        }
    }

    @Test func `tries later than the process that tells of a pause`() {
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

    @Test func `reports the other processes of its pauses`() {
        #expect(tryOnce(DeliveryOutcome(.misconfigured, reason: "gone"), now: 5) != nil)
        #expect(lane.pauseUpdates == [.begins(SharedPause(.misconfigured, reason: "gone", until: .max))])
        lane.adopt([SharedPause(.misconfigured, reason: "gone", until: .max, isOwn: true)], now: 5)
        #expect(lane.breaker.pauseReason != nil)
        lane.resume()
        #expect(lane.pauseUpdates == [.ends])
    }

    @Test func `who makes the probe tells of the next`() {
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

    /// An attempt after a refusal that may be the settings' fault.
    @Test(
        arguments: [
            ("another of the kind", doubt, "sender_id_mismatch"), ("arrived", .arrived, nil), ("failed", .busy, "sender_id_mismatch"),
            ("a device is gone", .deviceGone, "sender_id_mismatch"), ("decided without asking", .noKey, "sender_id_mismatch"),
            ("delivered without asking", DeliveryOutcome.unasked[0], "sender_id_mismatch"),
            ("one type of device alone", typeFault, "sender_id_mismatch"),
        ] as [(String, DeliveryOutcome, String?)])
    func `only an incoming ends the doubt of the settings`(name: String, outcome: DeliveryOutcome, doubt: String?) {
        #expect(tryOnce(Self.doubt, now: 5) != nil)
        #expect(lane.settingsProblem == "sender_id_mismatch")
        #expect(tryOnce(outcome, now: 6) != nil)
        #expect(lane.settingsProblem == doubt, "\(name)")
    }

    @Test(arguments: [DeliveryOutcome.busy, .arrived, .deviceGone, .gone, typeFault])
    func `no other outcome casts doubt on the settings`(outcome: DeliveryOutcome) {
        #expect(tryOnce(outcome, now: 5) != nil)
        #expect(lane.settingsProblem == nil)
    }

    @Test func `another notifier has settings of its own`() {
        #expect(begin(delivery(2), 5))
        #expect(tryOnce(Self.doubt, now: 5) != nil)
        lane.replace(with: ServedNotifier(DeliveryNotifier()))
        #expect(lane.settingsProblem == nil)
        _ = lane.end(delivery(2).id, Self.doubt, now: 6, random: &random)
        #expect(lane.settingsProblem == nil, "it was refused with the former settings")
    }

    @Test func `the end of a pause in another process does not end the doubt`() {
        #expect(tryOnce(Self.doubt, now: 5) != nil)
        lane.adopt([SharedPause(.misconfigured, reason: "gone", until: 60_000)], now: 5)
        #expect(lane.settingsProblem != nil)
        lane.adopt([], now: 6)
        #expect(lane.settingsProblem != nil)
    }

    /// It holds until a reload, which a start is too.
    @Test func `a start ends a pause that nobody probes`() {
        let reported = SharedPause(.misconfigured, reason: "gone", until: .max)
        lane.adopt([reported], now: 5)
        #expect(lane.breaker.pauseReason == nil)
        #expect(lane.pauseUpdates == [.ends])
        lane.adopt([reported], now: 5)
        #expect(lane.breaker.pauseReason == .switchedOff)
    }

    @Test func `sleeps while all its places are taken`() {
        for number in 1...2 { #expect(begin(delivery(number), 5)) }
        #expect(wakeAt(5) == nil)
        #expect(room(5) == 0)
    }

    @Test func `sleeps while it is switched off`() {
        _ = tryOnce(.gone, now: 5)
        lane.nextDue = 0
        #expect(wakeAt(5) == nil)
        lane.breaker.resume()
        #expect(wakeAt(5) == 0)
    }

    @Test func `sleeps until the breaker lets a probe through and while that runs`() throws {
        for _ in 1...10 { _ = tryOnce(.busy, now: 5) }
        lane.nextDue = 0
        let time = try #require(wakeAt(5))
        #expect(time > 5)
        #expect(room(time) == 1)
        #expect(begin(delivery(1), time))
        #expect(wakeAt(time) == nil)
    }

    @Test func `sleeps while it is asked for less`() {
        _ = tryOnce(.later(60_000, requestsBackoff: true), now: 5)
        lane.nextDue = 0
        #expect(wakeAt(5) == 60_005)
    }

    /// A proxy answers 502 and 504 for a receiver that is down.
    @Test(arguments: [(502, .open), (504, .open), (429, .closed)] as [(Int, BreakerState)])
    func `an answer that slows down opens the breaker unless it only asks for less`(_ status: Int, _ state: BreakerState) {
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

    @Test func `one devices trouble is not the notifiers`() {
        // As many as would open the breaker, if they were failures.
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
        // As the store tells of what was put off.
        lane.nextDue = 90_005
        #expect(wakeAt(60_005) == 90_005)
        #expect(room(90_004) == 0)
        #expect(room(90_005) == 1)
        _ = tryOnce(.arrived, now: 90_005)
        #expect(lane.breaker.state == .closed)
    }

    @Test(arguments: DeliveryOutcome.unasked)
    func `only who was asked closes the breaker`(_ outcome: DeliveryOutcome) throws {
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
    func `failures are still in a row when nobody was asked between them`(_ outcome: DeliveryOutcome) {
        for _ in 1...9 { _ = tryOnce(.busy, now: 5) }
        _ = tryOnce(outcome, now: 5)
        #expect(lane.breaker.state == .closed)
        _ = tryOnce(.busy, now: 5)
        #expect(lane.breaker.state == .open)
    }

    @Test func `what is misconfigured pauses even when nobody was asked`() {
        _ = tryOnce(DeliveryOutcome(.misconfigured, reason: "request_cannot_be_made", calledReceiver: false), now: 5)
        #expect(lane.breaker.pauseReason == .switchedOff)
    }

    @Test func `a device that is gone ends its delivery`() {
        for _ in 1...20 { #expect(tryOnce(.deviceGone, now: 5)?.next == .dead) }
        #expect(tryOnce(.deviceGone, now: 5)?.reason == "unregistered")
        lane.nextDue = 0
        #expect(room(5) == 2)
    }

    @Test func `a second claim of what runs takes over its outcome`() {
        #expect(begin(delivery(1, attempts: 1), 5))
        #expect(!begin(delivery(1, attempts: 2), 6))
        let ended = lane.end(delivery(1).id, .arrived, now: 7, random: &random)
        #expect(ended?.result.attempt == 2)
        #expect(ended?.running.startedAt == 5)
        #expect(lane.running.isEmpty)
    }

    @Test func `is awake when more time is left than there ever was`() {
        let longest = lane.longestDelayMilliseconds
        lane.nextDue = 5 + longest
        #expect(wakeAt(5) == UnixMilliseconds(5 + longest))
        #expect(room(5) == 0)
        #expect(wakeAt(4) == 0)
        #expect(room(4) == 2)
    }

    @Test func `leases outlast tries`() {
        #expect(lane.leaseMilliseconds > lane.notifier.longestAttemptMilliseconds)
    }

    @Test func `reports the registry what is new of the device`() throws {
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

    @Test func `what is misconfigured waits without losing time`() {
        #expect(tryOnce(.gone, now: 5)?.next == .retry(at: 5))
        lane.replace(with: ServedNotifier(DeliveryNotifier()))
        #expect(tryOnce(.gone, now: 1_000_000_000_000)?.next == .givenUp(.expired))
    }

    @Test func `a replaced one ends what it began and says nothing of the next`() {
        #expect(begin(delivery(1), 5))
        let (old, next) = (lane.served, ServedNotifier(DeliveryNotifier()))
        lane.replace(with: next)
        #expect(lane.takeIdleRetired().isEmpty, "it still runs a try")
        _ = lane.end(delivery(1).id, .gone, now: 5, random: &random)
        #expect(lane.breaker.pauseReason == nil)
        #expect(lane.takeIdleRetired().map { $0 === old } == [true])
        #expect(lane.takeIdleRetired().isEmpty)
    }

    @Test func `one that leaves starts nothing`() {
        lane.leave()
        #expect(room(5) == 0)
        #expect(wakeAt(5) == nil)
        #expect(!lane.awaitsWork(now: 5))
        lane.replace(with: ServedNotifier(DeliveryNotifier(concurrency: 3)))
        #expect(room(5) == 3)
    }
}
