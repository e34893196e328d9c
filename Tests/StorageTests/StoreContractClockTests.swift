import Core
import TestSupport
import Testing
import Time

@Suite struct StoreContractClockTests {
    @Test(arguments: Backend.allCases) func `expires no held deliveries`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try fixture.store.take(Sample(1).with { $0.expires = 5000 })
        let claim = Claim(notifier: "log", now: 9000, leaseMilliseconds: 10, limit: 9, heldMilliseconds: 4001)
        #expect(try fixture.store.claimDue(claim).deliveries.map(\.id) == [delivery.id])
        #expect(try fixture.store.giveUpExpired(now: 9100, expiredBy: 4999, limit: 9) == [])
        #expect(try fixture.store.giveUpExpired(now: 9005, expiredBy: 5000, limit: 9) == [], "a try may run")
        #expect(try fixture.store.giveUpExpired(now: 9100, expiredBy: 5000, limit: 9) == [ExpiredDeliveries(notifier: "log", count: 1)])
    }

    /// It was accepted while the clock was ahead.
    @Test(arguments: Backend.allCases) func `limits a lifetime that a wrong clock has set`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 0..<4 { try fixture.store.take(Sample(number).with { $0.expires = UnixMilliseconds(number * 1000 + 1000) }) }
        try fixture.store.expireBy(2000, limit: 1)
        #expect(try fixture.store.all().map(\.event.expiresAt).sorted().dropFirst().filter { $0 > 2000 }.count == 1)
        try fixture.store.expireBy(2000, limit: 9)
        #expect(try fixture.store.all().map(\.event.expiresAt).reversed() == [1000, 2000, 2000, 2000])
    }

    @Test(arguments: Backend.allCases) func `stores the state of the clocks`(_ backend: Backend) throws {
        let fixture = try backend.store()
        #expect(try fixture.store.trustedTime() == nil)
        for number in 1...2 as ClosedRange<UInt64> {
            let reading = TrustedTime.Reading(wall: UnixMilliseconds(1000 * number), sinceBoot: 20, boot: "b\(number)")
            let jumps = (0..<number).map { TrustedTime.ClockJump(at: $0, by: $0 + 7, isGap: $0 == 1) }
            let time = TrustedTime(reading, age: 5, jumps: jumps)
            try fixture.store.keep(time)
            #expect(try fixture.store.trustedTime() == time)
        }
    }
}
