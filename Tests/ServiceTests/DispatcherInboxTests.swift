import Core
import TestSupport
import Testing
import Threading

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct DispatcherInboxTests {
    private let inbox = Monitor(DispatcherInbox())

    @Test func `a message wakes the waiting thread`() {
        let thread = startThread { [inbox] in
            #expect(inbox.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.take() }?.hasNewWork == true)
        }
        inbox.announceWork()
        thread.join()
    }

    @Test func `messages that change nothing are kept`() {
        inbox.withLock { $0.awaitsWork = false }
        inbox.announceWork()
        #expect(inbox.withLock { $0.take() } == nil)
        inbox.withLock { $0.awaitsWork = true }
        #expect(inbox.withLock { $0.take() }?.hasNewWork == true)
        #expect(inbox.withLock { $0.take() } == nil)
    }

    @Test func `outcomes are returned with the waiting messages`() {
        inbox.withLock { $0.awaitsWork = false }
        inbox.announceWork()
        inbox.report(.arrived, of: DeliveryFixture.id(1), by: "a")
        inbox.report(.arrived, of: DeliveryFixture.id(2), by: "a")
        let invalidation = inbox.withLock { $0.take() }
        #expect(invalidation?.hasNewWork == true)
        #expect(invalidation?.outcomes.map(\.id) == [DeliveryFixture.id(1), DeliveryFixture.id(2)])
    }

    @Test func `a heartbeat is sent once per request`() {
        #expect(inbox.requestHeartbeat(), "nothing was asked before")
        #expect(!inbox.requestHeartbeat())
        #expect(!inbox.requestHeartbeat())
        #expect(inbox.withLock { $0.take() }?.hasNewWork == false)
        #expect(inbox.withLock { $0.take() } == nil)
        #expect(inbox.requestHeartbeat())
        inbox.withLock { $0.hasEnded = true }
        #expect(inbox.requestHeartbeat(), "a thread that has ended is not silent")
    }

    @Test func `a heartbeat request wakes the dispatcher`() {
        let thread = startThread { [inbox] in #expect(inbox.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.take() } != nil) }
        _ = inbox.requestHeartbeat()
        thread.join()
        #expect(inbox.requestHeartbeat())
    }

    @Test func `all of many outcomes are received`() {
        let count = 2000
        let thread = startThread { [inbox] in
            var taken = 0
            while taken < count, let invalidation = inbox.wait(timeoutMilliseconds: WaitLimit.milliseconds, { $0.take() }) {
                taken += invalidation.outcomes.count
            }
            #expect(taken == count)
        }
        for number in 0..<count { inbox.report(.arrived, of: DeliveryFixture.id(number), by: "a") }
        thread.join()
    }
}
