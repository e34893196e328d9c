import Core
import Observability
import TestSupport
import Testing
import Threading

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct DispatcherFaultTests {
    @Test func `failures stop attempts until a probe succeeds`() throws {
        let notifier = DeliveryNotifier(.busy, concurrency: 1)
        let fixture = try DeliveryFixture(["a": notifier])
        for number in 1...15 { fixture.accept(number) }
        #expect(notifier.waitForTries(10))
        #expect(fixture.settle(100))
        #expect(notifier.started.count == 10)
        notifier.answer(nil)
        fixture.advance(700_000)
        #expect(notifier.waitForTries(11))
        #expect(fixture.settle(101))
        #expect(notifier.started.count == 11)
        notifier.answer(.arrived)
        notifier.end(.arrived)
        for number in 1...15 { #expect(fixture.waitForState(.delivered, of: number)) }
    }

    @Test func `a throttled notifier is not called`() throws {
        let notifier = DeliveryNotifier(.later(60_000, requestsBackoff: true), concurrency: 1)
        let fixture = try DeliveryFixture(["a": notifier])
        for number in 1...3 { fixture.accept(number) }
        #expect(fixture.waitForReason("later", of: 1))
        #expect(fixture.settle(100))
        #expect(notifier.started.count == 1)
        notifier.answer(.arrived)
        fixture.advance(60_000)
        for number in 1...3 { #expect(fixture.waitForState(.delivered, of: number)) }
    }

    @Test func `a misconfigured notifier keeps its deliveries until it is resumed`() throws {
        let notifier = DeliveryNotifier(.gone, concurrency: 1)
        let fixture = try DeliveryFixture(["a": notifier])
        for number in 1...3 { fixture.accept(number) }
        #expect(fixture.waitForReason("gone", of: 1))
        fixture.advance(3_600_000)
        #expect(fixture.settle(100))
        #expect(notifier.started.count == 1)
        #expect(try fixture.log.lines().filter { $0.contains("a notifier is paused") }.count == 1)
        #expect(fixture.inbox.withLock { $0.paused.mapValues(\.reason) } == ["a": "gone"])
        #expect(fixture.state(of: "a") == ["paused"])
        #expect(fixture.state(of: "z") == ["working"])
        notifier.answer(.arrived)
        fixture.reload()
        for number in 1...3 { #expect(fixture.waitForState(.delivered, of: number)) }
        #expect(fixture.inbox.withLock { $0.paused.isEmpty })
        #expect(eventually { fixture.state(of: "a") == ["working"] })
    }

    @Test func `an outcome without a call ends no pause and keeps its own retry time`() throws {
        let notifier = DeliveryNotifier(.gone, concurrency: 1, probeIntervalMilliseconds: 60_000)
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        #expect(fixture.waitForReason("gone", of: 1))
        notifier.answer(.noKey)
        fixture.advance(60_000)
        #expect(fixture.waitForReason("no_key", of: 1))
        fixture.advance(29_999)
        #expect(fixture.settle(100))
        #expect(notifier.started.count == 2)
        #expect(fixture.inbox.withLock { $0.paused.mapValues(\.reason) } == ["a": "gone"])
        notifier.answer(.arrived)
        fixture.advance(1)
        #expect(fixture.waitForState(.delivered, of: 1))
        #expect(fixture.story(1) == ["1 retry gone", "2 retry no_key", "3 delivered arrived"])
        #expect(fixture.inbox.withLock { $0.paused.isEmpty })
        #expect(try fixture.log.lines().filter { $0.contains("a notifier works again") }.count == 1)
    }

    @Test func `an outcome that cannot be stored is reported again`() throws {
        let notifier = DeliveryNotifier()
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        #expect(notifier.waitForTries(1))
        fixture.store.refuse(.work, times: 1)
        notifier.end(.arrived)
        #expect(fixture.waitForState(.delivered, of: 1))
        #expect(fixture.store.refusals == 1)
        #expect(notifier.started.count == 1)
    }

    @Test(arguments: [false, true]) func `a refusal that the store reports is not logged by the dispatcher`(_ isReported: Bool) throws {
        let notifier = DeliveryNotifier()
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        #expect(notifier.waitForTries(1))
        if isReported { fixture.store.tellOfRefusal() }
        fixture.store.refuse(.work, times: 1)
        notifier.end(.arrived)
        #expect(fixture.waitForState(.delivered, of: 1))
        #expect(fixture.store.refusals == 1)
        #expect(try fixture.log.lines().count { $0.contains("the store could neither record") } == (isReported ? 0 : 1))
    }

    @Test(arguments: [DeliveryStore.Operation.work, .claims])
    func `a failed store operation is retried`(_ operation: DeliveryStore.Operation) throws {
        let notifier = DeliveryNotifier(.later(500))
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        #expect(fixture.waitForReason("later", of: 1))
        #expect(fixture.settle(100))
        fixture.store.refuse(operation, times: 1)
        fixture.advance(0)
        #expect(eventually { fixture.store.refusals == 1 })
        notifier.answer(.arrived)
        fixture.setForward(2000)
        #expect(fixture.waitForState(.delivered, of: 1))
    }

    @Test func `a claim that fails loses no outcome`() throws {
        let notifier = DeliveryNotifier(concurrency: 1)
        let fixture = try DeliveryFixture(["a": notifier])
        for number in 1...2 { fixture.accept(number) }
        #expect(notifier.waitForTries(1))
        // Without it the refused claim could be that of another notifier.
        #expect(fixture.settle(100))
        fixture.store.refuse(.claimsBesideReports, times: 1)
        notifier.end(.arrived)
        #expect(fixture.waitForState(.delivered, of: 1))
        #expect(fixture.store.refusals == 1)
        #expect(notifier.started.count == 1, "the claim is repeated at its time")
        notifier.answer(.arrived)
        fixture.advance(1000)
        #expect(fixture.waitForState(.delivered, of: 2))
    }

    @Test func `stopping waits for running attempts and starts nothing`() throws {
        let notifier = DeliveryNotifier(concurrency: 1)
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        fixture.accept(2)
        #expect(notifier.waitForTries(1))
        let inbox = fixture.inbox
        let ending = startThread {
            #expect(inbox.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.isStopping ? true : nil } == true)
            notifier.end(.arrived)
        }
        fixture.stop()
        ending.join()
        #expect(fixture.delivery(1)?.state == .delivered)
        #expect(fixture.delivery(2)?.state == .pending)
        #expect(fixture.delivery(2)?.attempts == 0)
    }

    @Test func `an attempt that outlasts the drain returns its lease`() throws {
        let notifier = DeliveryNotifier(concurrency: 1)
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        fixture.accept(2)
        #expect(notifier.waitForTries(1))
        fixture.stop(drainMilliseconds: 0)
        #expect(fixture.story(1) == ["1 retry stopped"])
        notifier.answer(.arrived)
        try fixture.startDispatcher()
        for number in 1...2 { #expect(fixture.waitForState(.delivered, of: number)) }
        #expect(notifier.started.map(DeliveryFixture.number) == [1, 1, 2])
    }

    @Test func `stopping stores the outcomes even when the store fails at first`() throws {
        let notifier = DeliveryNotifier()
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.accept(1)
        #expect(notifier.waitForTries(1))
        fixture.store.refuse(.work, times: 1)
        notifier.end(.arrived)
        fixture.stop()
        #expect(fixture.story(1) == ["1 delivered arrived"])
        #expect(fixture.store.refusals == 1)
    }
}
