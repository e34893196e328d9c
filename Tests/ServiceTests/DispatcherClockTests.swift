import Core
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct DispatcherClockTests {
    private static let day: Int64 = 86_400_000
    private static let retention = Retention(
        deliveredMilliseconds: UInt64(7 * day), deadMilliseconds: UInt64(30 * day), idleDeviceMilliseconds: UInt64(270 * day))

    private func fixture(_ notifier: DeliveryNotifier) throws -> DeliveryFixture {
        try DeliveryFixture(["a": notifier], retention: Self.retention)
    }

    private func states(_ fixture: DeliveryFixture, _ numbers: ClosedRange<Int>) -> [Delivery.State?] {
        numbers.map { fixture.delivery($0)?.state }
    }

    private func lines(_ fixture: DeliveryFixture, _ text: String) -> Int {
        ((try? fixture.log.lines()) ?? []).count { $0.contains(text) }
    }

    private func devices(_ fixture: DeliveryFixture) throws -> Int {
        try fixture.store.devices(DeviceFilter(appID: "app"), after: nil, limit: 9).count
    }

    /// Upkeep signs out devices of revoked keys until none is left, and checks again a minute later.
    @Test func `upkeep signs out devices of revoked keys`() throws {
        let fixture = try fixture(DeliveryNotifier(.arrived))
        fixture.store.leaveSignOuts(3)
        fixture.advance(60_001)
        #expect(eventually { fixture.store.signOutCalls >= 4 })
        let calls = fixture.store.signOutCalls
        fixture.advance(60_001)
        #expect(eventually { fixture.store.signOutCalls > calls })
    }

    /// - Parameter isBetween: whether the clock is set between the dispatcher's two clock readings.
    @Test(arguments: [false, true]) func `a clock set a day ahead expires no waiting comment`(isBetween: Bool) throws {
        let notifier = DeliveryNotifier(concurrency: 1)
        let fixture = try fixture(notifier)
        for number in 1...50 { fixture.accept(number) }
        #expect(notifier.waitForTries(1))
        let ahead = Self.day * 11 / 10
        isBetween ? fixture.jumpAfterNextReading(ahead) : fixture.jump(ahead)
        for number in 100...102 { #expect(fixture.settle(number)) }
        #expect(states(fixture, 1...50).allSatisfy { $0 == .pending })
        #expect(eventually { lines(fixture, "the clock was set forward") == 1 })
        notifier.answer(.arrived)
        notifier.end(.arrived)
        #expect(eventually { states(fixture, 1...50).allSatisfy { $0 == .delivered } })
        #expect(fixture.warnings() == [])
    }

    /// The new time becomes valid in the end: a delivery whose lifetime has passed expires.
    @Test func `a delivery whose lifetime has passed expires`() throws {
        let fixture = try fixture(DeliveryNotifier(.later(3_600_000)))
        fixture.accept(1)
        #expect(fixture.waitForReason("later", of: 1))
        fixture.jump(3 * Self.day)
        #expect(eventually { fixture.delivery(1)?.attempts == 2 })
        fixture.advance(Self.day)
        #expect(fixture.waitForState(.dead, of: 1))
        #expect(eventually { lines(fixture, "the clock's new time counts") == 1 })
    }

    @Test func `a clock that is set back again is reported`() throws {
        let notifier = DeliveryNotifier(.later(30_000))
        let fixture = try fixture(notifier)
        fixture.accept(1)
        #expect(fixture.waitForReason("later", of: 1))
        fixture.jump(2 * Self.day)
        #expect(eventually { lines(fixture, "the clock was set forward") == 1 })
        fixture.jump(-2 * Self.day)
        #expect(eventually { lines(fixture, "the clock came back") == 1 })
        notifier.answer(.arrived)
        fixture.advance(30_000)
        #expect(fixture.waitForState(.delivered, of: 1))
    }

    @Test(arguments: [false, true]) func `a clock set years ahead removes no device`(isRestarted: Bool) throws {
        let fixture = try fixture(DeliveryNotifier(.arrived))
        let key = Device.Key(appID: "app", userID: "user", deviceID: "d")
        let payload = Registration(key: key, type: "ios", token: try PushToken("T"), now: fixture.now, rules: [])
        fixture.store.register(payload) { _ in }
        #expect(fixture.settle(100))
        if isRestarted { fixture.stop() }
        fixture.jump(271 * Self.day)
        if isRestarted { try fixture.startDispatcher() }
        for number in 101...103 { #expect(fixture.settle(number)) }
        #expect(try devices(fixture) == 1)
        #expect(eventually { lines(fixture, "the clock was set forward") == 1 })
        fixture.advance(271 * Self.day)
        #expect(eventually { (try? devices(fixture)) == 0 }, "nobody has seen it for so long")
    }
}
