import Configuration
import Core
import HelpDesk
import Testing
import Time

@testable import Notifiers
@testable import Pyrus

@Suite struct PyrusPaceTests {
    private static let window = PyrusPace.windowMilliseconds
    private var pace = PyrusPace()

    private mutating func admit(_ user: String, _ device: String, now: MonotonicMilliseconds) -> UInt64? {
        pace.admit(Device.Key(appID: "app", userID: user, deviceID: device), now: now)
    }

    @Test mutating func aPersonHasOneCallInAWindow() {
        #expect(admit("a", "1", now: 1000) == nil)
        #expect(admit("a", "2", now: 2000) == Self.window - 1000)
        #expect(admit("b", "3", now: 2000) == nil)
        // Exactly a window later is allowed.
        #expect(admit("a", "2", now: 1000 + Self.window) == nil)
    }

    @Test mutating func anInstallationHasFive() {
        for number in 0..<5 { #expect(admit("user-\(number)", "1", now: 1000 + UInt64(number)) == nil) }
        #expect(admit("another", "1", now: 2000) == Self.window - 1000)
        #expect(admit("another", "1", now: 1000 + Self.window) == nil)
        #expect(admit("one-more", "1", now: 1000 + Self.window) == 1)
    }

    @Test mutating func whatNeverArrivedIsNotCounted() {
        let key = Device.Key(appID: "app", userID: "a", deviceID: "1")
        #expect(pace.admit(key, now: 1000) == nil)
        pace.giveBack(key)
        #expect(pace.admit(key, now: 1000) == nil)
        #expect(pace.admit(key, now: 1000) == Self.window)
    }
}
