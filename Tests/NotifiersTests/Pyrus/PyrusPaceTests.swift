import Core
import Testing

@testable import Notifiers

@Suite struct PyrusPaceTests {
    private static let window = PyrusPace.windowMilliseconds
    private var pace = PyrusPace()

    private mutating func admit(_ user: String, _ device: String, at: UInt64, now: UInt64) throws -> PyrusPace.Verdict {
        pace.admit(try PyrusRegistration(RegistrationSample.event(user: user, device: device, at: at)), now: now)
    }

    @Test mutating func aPersonHasOneCallInAWindow() throws {
        #expect(try admit("a", "1", at: 1, now: 1000) == .call)
        #expect(try admit("a", "2", at: 2, now: 2000) == .wait(milliseconds: Self.window - 1000))
        #expect(try admit("b", "3", at: 3, now: 2000) == .call)
        // Exactly a window later is allowed.
        #expect(try admit("a", "2", at: 2, now: 1000 + Self.window) == .call)
    }

    @Test mutating func anInstallationHasFive() throws {
        for number in 0..<5 { #expect(try admit("user-\(number)", "1", at: 1, now: 1000 + UInt64(number)) == .call) }
        #expect(try admit("another", "1", at: 1, now: 2000) == .wait(milliseconds: Self.window - 1000))
        #expect(try admit("another", "1", at: 1, now: 1000 + Self.window) == .call)
        #expect(try admit("one-more", "1", at: 1, now: 1000 + Self.window) == .wait(milliseconds: 1))
    }

    @Test mutating func theNewestOfADeviceCounts() throws {
        #expect(try admit("a", "2", at: 1, now: 1000) == .call)
        #expect(try admit("a", "1", at: 2, now: 2000) == .wait(milliseconds: Self.window - 1000))
        #expect(try admit("a", "1", at: 3, now: 3000) == .wait(milliseconds: Self.window - 2000))
        #expect(try admit("a", "1", at: 2, now: 1000 + Self.window) == .superseded)
        #expect(try admit("a", "1", at: 3, now: 1000 + Self.window) == .call)
        #expect(try admit("a", "1", at: 2, now: 1000 + 2 * Self.window) == .superseded)
        #expect(try admit("b", "1", at: 2, now: 1000 + 2 * Self.window) == .call)
    }

    @Test mutating func whatNeverArrivedIsNotCounted() throws {
        let registration = try PyrusRegistration(RegistrationSample.event(user: "a", device: "1", at: 1))
        #expect(pace.admit(registration, now: 1000) == .call)
        pace.giveBack(registration)
        #expect(pace.admit(registration, now: 1000) == .call)
        #expect(pace.admit(registration, now: 1000) == .wait(milliseconds: Self.window))
    }

    @Test mutating func aDayLaterItIsForgotten() throws {
        #expect(try admit("a", "1", at: 5, now: 1000) == .call)
        #expect(try admit("a", "1", at: 4, now: 999 + PyrusPace.memoryMilliseconds) == .superseded)
        #expect(try admit("a", "1", at: 4, now: 1000 + PyrusPace.memoryMilliseconds + Self.window) == .call)
    }
}
