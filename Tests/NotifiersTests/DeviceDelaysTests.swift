import Core
import Testing
import Time

@testable import Notifiers

@Suite struct DeviceDelaysTests {
    @Test func `last for the requested time`() throws {
        var delays = DeviceDelays()
        let (one, other) = (try PushToken("one"), try PushToken("other"))
        delays.add(one, milliseconds: 1000, now: 500)
        delays.add(one, milliseconds: 200, now: 600)
        #expect(delays.remaining(one, now: 600) == 900)
        #expect(delays.remaining(one, now: 1499) == 1)
        #expect(delays.remaining(one, now: 1500) == nil)
        #expect(delays.remaining(other, now: 600) == nil)
    }

    @Test func `are limited in number`() throws {
        var delays = DeviceDelays()
        for number in 0..<DeviceDelays.limit { delays.add(try PushToken("\(number)"), milliseconds: 1000, now: 0) }
        let late = try PushToken("late")
        delays.add(late, milliseconds: 1000, now: 0)
        #expect(delays.remaining(late, now: 0) == nil)
        delays.add(late, milliseconds: 1000, now: 1000)
        #expect(delays.remaining(late, now: 1000) == 1000)
    }
}
