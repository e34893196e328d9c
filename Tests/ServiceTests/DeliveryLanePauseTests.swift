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

@Suite final class DeliveryLanePauseTests {
    private static let reason = "wrong_account"

    private var random = SeededGenerator(seed: 1)
    private var lane = DeliveryLane(name: "a", served: ServedNotifier(DeliveryNotifier(probeIntervalMilliseconds: 60_000)))

    private func begin(_ number: Int, reason: String = "", now: UnixMilliseconds) -> UUIDv7 {
        let event = Event(
            id: DeliveryFixture.event(number), kind: .commentCreated,
            identity: Event.Identity(appID: "app", ticketID: 1, commentID: HelpDeskID(Int64(number)), deviceID: ""), userID: "user",
            occurredAt: 0,
            receivedAt: 0, expiresAt: 1_000_000_000_000, data: [])
        let delivery = Delivery(id: DeliveryFixture.id(number), notifier: "a", event: event, attempts: 2, dueAt: 0, reason: reason)
        lane.nextDue = 0
        let (room, begins) = (lane.room(now: now), lane.begin(delivery, now: now))
        #expect(room > 0)
        #expect(begins)
        return delivery.id
    }

    private func end(_ id: UUIDv7, _ outcome: DeliveryOutcome, now: UnixMilliseconds) -> FinishedAttempt.Next? {
        lane.end(id, outcome, now: now, random: &random)?.result.next
    }

    private func deliver(_ number: Int, now: UnixMilliseconds) {
        #expect(end(begin(number, now: now), .arrived, now: now) == .delivered)
    }

    /// Attempts a delivery that was rejected before, and is now rejected because of the settings.
    /// - Parameter earlier: the reason of the earlier rejection.
    /// - Returns: whether the notifier is paused, and the next state of the delivery.
    private func refuse(_ earlier: String = reason, now: UnixMilliseconds) -> (isPaused: Bool, next: FinishedAttempt.Next?) {
        let next = end(begin(1, reason: earlier, now: now), DeliveryOutcome(.misconfigured, reason: Self.reason), now: now)
        return (lane.breaker.pauseReason != nil, next)
    }

    @Test func `a single rejection pauses nothing and is retried like a failure`() {
        deliver(2, now: 5)
        let (isPaused, next) = refuse(now: 5)
        #expect(!isPaused)
        guard case .retry(let time)? = next else {
            Issue.record("the delivery is not retried")
            return
        }
        #expect(time > 5)
    }

    @Test func `a second rejection pauses the notifier`() {
        deliver(2, now: 5)
        let first = refuse("timeout", now: 5)
        #expect(first.isPaused)
        #expect(first.next == .retry(at: 5))
        let second = refuse(now: 60_005)
        #expect(second.isPaused && second.next == .retry(at: 60_005), "nothing has arrived since")
        deliver(2, now: 120_005)
        #expect(!refuse(now: 120_005).isPaused)
    }

    /// Operators see whether an attempt has proved that the notifier works.
    @Test func `only a response proves that it works`() {
        deliver(2, now: 5)
        #expect(lane.successes == 1)
        #expect(lane.lastFailure.isEmpty)
        let late = begin(3, now: 5)
        #expect(refuse("timeout", now: 5).isPaused)
        #expect(lane.successes == 1)
        #expect(lane.lastFailure == Self.reason)
        _ = end(late, .arrived, now: 6)
        #expect(lane.successes == 1, "it began before the pause")
        lane.resume()
        #expect(lane.successes == 1, "a reload shows nothing")
        deliver(4, now: 7)
        #expect(lane.successes == 2)
    }

    @Test func `another process that ends a pause proves that it works`() {
        lane.adopt([SharedPause(.misconfigured, reason: Self.reason, until: 60_000)], now: 5)
        #expect(lane.breaker.pauseReason != nil)
        #expect(lane.lastFailure == Self.reason)
        #expect(lane.successes == 0)
        lane.adopt([], now: 6)
        #expect(lane.breaker.pauseReason == nil)
        #expect(lane.successes == 1)
        lane.adopt([], now: 7)
        #expect(lane.successes == 1)
    }

    @Test func `changed settings have delivered nothing yet`() {
        deliver(2, now: 5)
        lane.replace(with: ServedNotifier(DeliveryNotifier(probeIntervalMilliseconds: 60_000)))
        #expect(refuse(now: 5).isPaused)
    }

    @Test(arguments: [nil, 60_000] as [UInt64?])
    func `an attempt from before a rejection proves nothing`(_ probeAfter: UInt64?) {
        lane.replace(with: ServedNotifier(DeliveryNotifier(concurrency: 3, probeIntervalMilliseconds: probeAfter)))
        let earlier = [2, 3].map { begin($0, now: 5) }
        #expect(refuse(now: 5).isPaused)
        #expect(end(earlier[0], .arrived, now: 5) == .delivered)
        if probeAfter == nil { lane.breaker.resume() }
        #expect(end(earlier[1], .arrived, now: 5) == .delivered)
        #expect(refuse(now: 60_005).isPaused)
    }
}
