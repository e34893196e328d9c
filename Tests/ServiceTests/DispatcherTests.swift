import Core
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

/// The times of attempts, and their outcomes.
@Suite struct DispatcherTests {
    @Test func `counts ended deliveries separately from attempts`() throws {
        let notifier = DeliveryNotifier(.later(30_000))
        let fixture = try DeliveryFixture(["a": notifier])
        func ended(_ labels: String) -> String? { fixture.sample("deskgate_deliveries_total{notifier=\"a\",\(labels)}") }
        func tried(_ labels: String) -> String? { fixture.sample("deskgate_delivery_tries_total{notifier=\"a\",\(labels)}") }
        for reason in ["expired", "attempts_spent", "purged"] {
            #expect(eventually { ended(#"outcome="dead",reason="\#(reason)""#) == "0" }, "\(reason) can be watched from the start")
        }
        #expect(ended(#"outcome="no_target",reason="no_target""#) == "0")
        fixture.accept(1)
        #expect(fixture.waitForReason("later", of: 1))
        #expect(ended(#"outcome="retry",reason="later""#) == nil, "it has not ended")
        notifier.answer(.arrived)
        fixture.advance(30_000)
        #expect(fixture.waitForState(.delivered, of: 1))
        #expect(ended(#"outcome="delivered",reason="arrived""#) == "1")
        #expect(tried(#"outcome="retry",reason="later""#) == "1")
        #expect(tried(#"outcome="delivered",reason="arrived""#) == "1")
        notifier.answer(.later(30_000))
        fixture.accept(2, lifetimeMilliseconds: 30_000)
        #expect(fixture.waitForState(.dead, of: 2))
        #expect(ended(#"outcome="dead",reason="expired""#) == "1")
        #expect(tried(#"outcome="retry",reason="later""#) == "2")
    }

    @Test(arguments: ["logged", "withdrawn"])
    func `a log line or a silent push is not counted as delivered`(_ reason: String) throws {
        let fixture = try DeliveryFixture(["a": DeliveryNotifier(DeliveryOutcome(.delivered, reason: reason))])
        fixture.accept(1)
        #expect(fixture.waitForState(.delivered, of: 1))
        for metric in ["deskgate_deliveries_total", "deskgate_delivery_tries_total"] {
            let sample = metric + #"{notifier="a",outcome="\#(reason)",reason="\#(reason)"}"#
            #expect(eventually { fixture.sample(sample) == "1" }, "\(metric)")
        }
        #expect(fixture.sample(#"deskgate_deliveries_total{notifier="a",outcome="delivered",reason="\#(reason)"}"#) == nil)
    }

    @Test func `a message that was read is not attempted and not counted as delivered`() throws {
        let fixture = try DeliveryFixture(["a": DeliveryNotifier(.later(30_000))])
        fixture.accept(1)
        #expect(fixture.waitForReason("later", of: 1))
        let mark = ReadReceipt(
            AppUser(appID: "app", userID: "user"), conversation: 1, notifiers: ["a"], receivedAt: fixture.now)
        let id = UUIDv7(milliseconds: 1, random: InlineArray(repeating: 9)).event
        fixture.store.accept(Report(mark, isChannel: false, to: [], id: id, lifetimeMilliseconds: 1000), isAwaited: { true }) { _ in }
        #expect(fixture.waitForReason("superseded_by_read", of: 1))
        fixture.advance(30_000)
        let sample = #"deskgate_deliveries_total{notifier="a",outcome="superseded",reason="superseded_by_read"}"#
        #expect(eventually { fixture.sample(sample) == "1" })
        #expect(fixture.story(1) == ["1 retry later"])
        #expect(fixture.sample(#"deskgate_deliveries_total{notifier="a",outcome="delivered",reason="superseded_by_read"}"#) == nil)
    }

    @Test func `delivers on acceptance`() throws {
        let notifier = DeliveryNotifier(.arrived)
        let fixture = try DeliveryFixture(["a": notifier])
        // The clock does not advance: only the acceptance wakes the dispatcher.
        #expect(fixture.settle(100))
        fixture.accept(1)
        #expect(fixture.waitForState(.delivered, of: 1))
        #expect(fixture.story(1) == ["1 delivered arrived"])
    }

    @Test func `operators see when a throttled notifier resumes`() throws {
        let notifier = DeliveryNotifier(.later(30_000, requestsBackoff: true))
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        func nextAttemptAt() -> UnixMilliseconds? { fixture.inbox.withLock { $0.statuses.first?.nextAttemptAt } }
        #expect(eventually { nextAttemptAt() == DeliveryFixture.start + 30_000 })
        notifier.answer(.arrived)
        fixture.advance(30_000)
        #expect(fixture.waitForState(.delivered, of: 1))
        #expect(eventually { nextAttemptAt() == nil })
    }

    @Test func `retries at the due time and not before`() throws {
        let notifier = DeliveryNotifier(.later(30_000))
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        #expect(fixture.waitForReason("later", of: 1))
        #expect(fixture.delivery(1)?.dueAt == DeliveryFixture.start + 30_000)
        notifier.answer(.arrived)
        fixture.advance(29_999)
        #expect(fixture.settle(100))
        #expect(notifier.started.count == 1)
        fixture.advance(1)
        #expect(fixture.waitForState(.delivered, of: 1))
        #expect(notifier.started.map(\.id) == [DeliveryFixture.id(1), DeliveryFixture.id(1)])
        #expect(fixture.story(1) == ["1 retry later", "2 delivered arrived"])
    }

    @Test func `gives up a delivery that cannot arrive in time`() throws {
        let fixture = try DeliveryFixture(["a": DeliveryNotifier(.later(30_000))])
        fixture.accept(1, lifetimeMilliseconds: 30_000)
        #expect(fixture.waitForState(.dead, of: 1))
        #expect(fixture.delivery(1)?.reason == "expired")
        #expect(fixture.story(1) == ["1 expired later"])
    }

    @Test func `does not attempt an expired delivery`() throws {
        let notifier = DeliveryNotifier(concurrency: 1)
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        fixture.accept(2, lifetimeMilliseconds: 1000)
        #expect(notifier.waitForTries(1))
        fixture.advance(1000)
        notifier.end(.arrived)
        #expect(fixture.waitForState(.dead, of: 2))
        #expect(fixture.delivery(2)?.reason == "expired")
        #expect(notifier.started.count == 1)
        #expect(eventually { fixture.sample(Self.expired) == "1" })
        #expect(eventually { fixture.warnings() == ["a 1"] })
    }

    @Test func `one call works for all notifiers`() throws {
        let names = (10..<40).map { "n\($0)" }
        let notifiers = names.map { ($0, DeliveryNotifier(concurrency: 2)) }
        let fixture = try DeliveryFixture(Dictionary(uniqueKeysWithValues: notifiers.map { ($0.0, $0.1 as any Notifier) }))
        #expect(fixture.settle(1000))
        fixture.stop()
        for (number, name) in names.enumerated() { fixture.accept(number, for: name) }
        let before = fixture.store.works.count
        try fixture.startDispatcher()
        for (_, notifier) in notifiers { #expect(notifier.waitForTries(1)) }
        let works = fixture.store.works.dropFirst(before)
        #expect(works.first?.claims == names + ["z"])
        #expect(works.first?.finished == 0)
        // No attempt ends, so waiting for them would not return.
        fixture.stop(drainMilliseconds: 0)
    }

    private static let expired = #"deskgate_deliveries_total{notifier="a",outcome="dead",reason="expired"}"#

    /// No attempt ends these deliveries: their notifier is paused or no longer configured.
    @Test(arguments: [false, true]) func `reports deliveries that expire without an attempt`(isRemoved: Bool) throws {
        let fixture = try DeliveryFixture(["a": DeliveryNotifier(.gone, concurrency: 1)])
        for number in 1...600 { fixture.accept(number, lifetimeMilliseconds: 30_000) }
        #expect(fixture.waitForReason("gone", of: 1))
        if isRemoved { fixture.remove("a") }
        #expect(fixture.settle(1000))
        fixture.advance(90_000)
        #expect(eventually { fixture.sample(Self.expired) == "600" })
        #expect(eventually { fixture.warnings() == ["a 500"] })
        #expect(fixture.settle(1001))
        fixture.advance(60_000)
        #expect(eventually { fixture.warnings() == ["a 500", "a 100"] }, "one line a minute")
    }

    @Test func `never exceeds the concurrency`() throws {
        let notifier = DeliveryNotifier(concurrency: 3)
        let fixture = try DeliveryFixture(["a": notifier])
        for number in 1...20 { fixture.accept(number) }
        for number in 1...20 {
            #expect(notifier.waitForTries(max(number, min(3, 20))))
            notifier.end(.arrived)
        }
        #expect(eventually { (try? fixture.store.pending())?.isEmpty == true })
        #expect(notifier.maximumHeld == 3)
        #expect(notifier.started.count == 20)
    }

    @Test func `a notifier that hangs delays no other`() throws {
        let hanging = DeliveryNotifier(concurrency: 1)
        let fixture = try DeliveryFixture(["a": hanging, "b": DeliveryNotifier(.arrived, concurrency: 1)])
        fixture.accept(1)
        #expect(hanging.waitForTries(1))
        for number in 2...10 { fixture.accept(number, for: "b") }
        for number in 2...10 { #expect(fixture.waitForState(.delivered, of: number)) }
        hanging.end(.arrived)
        #expect(fixture.waitForState(.delivered, of: 1))
    }

    @Test func `keeps the order of a ticket`() throws {
        let notifier = DeliveryNotifier(preservesTicketOrder: true)
        let fixture = try DeliveryFixture(["a": notifier])
        for number in 1...3 { fixture.accept(number, keepsOrder: true) }
        fixture.accept(4, ticket: 2, keepsOrder: true)
        #expect(notifier.waitForTries(2))
        #expect(fixture.settle(100))
        #expect(notifier.started.map(DeliveryFixture.number) == [1, 4])
        notifier.end(.later(5000))
        #expect(fixture.waitForReason("later", of: 1))
        #expect(fixture.settle(101))
        #expect(notifier.started.count == 2)
        notifier.answer(.arrived)
        fixture.advance(5000)
        #expect(fixture.waitForState(.delivered, of: 3))
        #expect(notifier.started.map(DeliveryFixture.number) == [1, 4, 1, 2, 3])
        notifier.end(.arrived)
    }

    /// Deliveries accepted in order keep their order, and wait for nothing else after the setting is removed.
    @Test func `the next delivery of a ticket starts at once under any setting`() throws {
        let (old, next) = (DeliveryNotifier(preservesTicketOrder: true), DeliveryNotifier())
        let fixture = try DeliveryFixture(["a": old])
        for number in 1...5 { fixture.accept(number, keepsOrder: true) }
        #expect(old.waitForTries(1))
        fixture.reload(["a": ServedNotifier(next)])
        #expect(fixture.settle(100))
        old.end(.arrived)
        for (count, outcome) in [DeliveryOutcome.arrived, .deviceGone, .arrived, .arrived].enumerated() {
            try #require(next.waitForTries(count + 1))
            #expect(next.started.count == count + 1)
            next.end(outcome)
        }
        #expect(fixture.waitForState(.delivered, of: 5))
        #expect(next.started.map(DeliveryFixture.number) == [2, 3, 4, 5])
    }

    @Test func `a clock set forward starts no second attempt`() throws {
        let notifier = DeliveryNotifier()
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        #expect(notifier.waitForTries(1))
        fixture.advance(3_600_000)
        #expect(fixture.settle(100))
        #expect(notifier.started.count == 1)
        notifier.end(.arrived)
        #expect(fixture.waitForState(.delivered, of: 1))
    }

    @Test(arguments: [DeliveryOutcome.later(30_000), .later(3_600_000), .busy])
    func `a clock set back does not keep retries waiting`(_ outcome: DeliveryOutcome) throws {
        let notifier = DeliveryNotifier(outcome)
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        #expect(fixture.waitForReason(outcome.reason, of: 1))
        notifier.answer(.arrived)
        fixture.advance(-86_400_000)
        #expect(fixture.waitForState(.delivered, of: 1))
        #expect(fixture.story(1) == ["1 retry \(outcome.reason)", "2 delivered arrived"])
    }

    @Test func `a clock that jumps and returns loses nothing`() throws {
        let notifier = DeliveryNotifier(concurrency: 1)
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        #expect(notifier.waitForTries(1))
        fixture.advance(7_200_000)
        fixture.accept(2)
        #expect(fixture.settle(100))
        fixture.advance(-7_200_000)
        #expect(fixture.settle(101))
        notifier.answer(.arrived)
        notifier.end(.busy)
        #expect(fixture.waitForState(.delivered, of: 2), "it was accepted while the clock was ahead")
        fixture.advance(5000)
        #expect(fixture.waitForState(.delivered, of: 1))
    }

    @Test func `a clock set back delays no new delivery`() throws {
        let notifier = DeliveryNotifier(.arrived)
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        #expect(fixture.waitForState(.delivered, of: 1))
        fixture.advance(-86_400_000)
        fixture.accept(2)
        #expect(fixture.waitForState(.delivered, of: 2))
    }
}
