import Core
import Testing
import Time

/// When a backend is called, with a clock that the test sets.
@Suite struct BackendLedgerTests {
    private typealias Ledger = BackendLedger<Int>
    private static let lifetimes = AnswerLifetimes(positiveSeconds: 60, negativeSeconds: 10)
    private static let failure = BackendReply(.backendTimeout, .fails)
    private static let yes = BackendReply(status: 200, cacheControl: nil)
    private static let no = BackendReply(status: 403, cacheControl: nil)
    private var random = LargestGenerator()
    private var ledger = Ledger(lifetimes: lifetimes, keysAreChecked: true, callLimit: 3)

    private func identity(_ person: UInt128) -> CheckIdentity { CheckIdentity(person: person, credential: person) }

    /// Asks about somebody, which must lead to a call.
    private mutating func call(_ person: UInt128, waiter: Int = 0, now: MonotonicMilliseconds = 0) throws -> UInt64 {
        guard case .call(let number, _) = ledger.ask(identity(person), waiter, now: now) else {
            throw Unexpected()
        }
        return number
    }

    private struct Unexpected: Error {}

    /// Fails so often in a row that the breaker opens.
    private mutating func open(now: MonotonicMilliseconds = 0) throws {
        for person: UInt128 in 1001...1005 { _ = ledger.finish(try call(person, now: now), Self.failure, now: now, random: &random) }
        #expect(ledger.isOpen)
    }

    @Test mutating func whoAsksTheSameSharesACall() throws {
        let number = try call(1, waiter: 1)
        #expect(ledger.find(identity(1), now: 0) == nil)
        #expect(ledger.ask(identity(1), 2, now: 1) == .wait)
        #expect(ledger.ask(identity(1), 3, now: 2) == .wait)
        let end = ledger.finish(number, Self.yes, now: 3, random: &random)
        #expect(end.waiters == [1, 2, 3])
        #expect(end.change == nil)
    }

    @Test mutating func anotherKeyIsAnotherCall() throws {
        _ = try call(1)
        guard case .call = ledger.ask(CheckIdentity(person: 1, credential: 2), 0, now: 0) else { throw Unexpected() }
    }

    @Test mutating func answersAreKeptForTheirTime() throws {
        _ = ledger.finish(try call(1), Self.yes, now: 100, random: &random)
        _ = ledger.finish(try call(2), Self.no, now: 100, random: &random)
        #expect(ledger.find(identity(1), now: 60_099) == .kept(.allowed))
        #expect(ledger.find(identity(1), now: 60_100) == nil)
        #expect(ledger.find(identity(2), now: 10_099) == .kept(.denied))
        #expect(ledger.ask(identity(2), 0, now: 10_099) == .answer(.kept(.denied)))
        #expect(ledger.find(identity(2), now: 10_100) == nil)
    }

    @Test mutating func noIndecisionIsKept() throws {
        let end = ledger.finish(try call(1), BackendReply(status: 302, cacheControl: "max-age=60"), now: 0, random: &random)
        #expect(end.change == nil)
        #expect(ledger.find(identity(1), now: 0) == nil)
    }

    @Test mutating func noMoreCallsThanAllowed() throws {
        let first = try call(1)
        for person: UInt128 in 2...3 { _ = try call(person) }
        #expect(ledger.find(identity(4), now: 0) == .refused(.backendOverloaded))
        #expect(ledger.ask(identity(4), 0, now: 0) == .answer(.refused(.backendOverloaded)))
        #expect(ledger.ask(identity(3), 0, now: 0) == .wait)
        _ = ledger.finish(first, Self.yes, now: 0, random: &random)
        _ = try call(4)
    }

    @Test mutating func aDeadBackendIsLeftAlone() throws {
        _ = ledger.finish(try call(7), Self.yes, now: 0, random: &random)
        try open()
        #expect(ledger.find(identity(1), now: 0) == .refused(.backendBreakerOpen))
        #expect(ledger.find(identity(7), now: 0) == .kept(.allowed))
        #expect(Ledger.Finding.refused(.backendBreakerOpen).answer == .undecided(.backendBreakerOpen))
    }

    @Test mutating func theBreakerTellsOnceThatItHasOpened() throws {
        var told: [Ledger.Change?] = []
        for person: UInt128 in 1...5 { told.append(ledger.finish(try call(person), Self.failure, now: 0, random: &random).change) }
        #expect(told == [nil, nil, nil, nil, .opened])
        // Only as many as the clock needs to show the longest first wait.
        let probe = try call(6, now: 1000)
        #expect(ledger.find(identity(7), now: 1000) == .refused(.backendBreakerOpen))
        #expect(ledger.finish(probe, Self.failure, now: 1000, random: &random).change == nil)
        #expect(ledger.find(identity(6), now: 2999) == .refused(.backendBreakerOpen))
        let next = try call(6, now: 3000)
        #expect(ledger.finish(next, Self.no, now: 3000, random: &random).change == .closed)
        _ = try call(7, now: 3000)
    }

    @Test mutating func whoAsksAsTheProbeDoesWaitsForIt() throws {
        try open()
        let probe = try call(1, waiter: 1, now: 1000)
        #expect(ledger.ask(identity(1), 2, now: 1000) == .wait)
        #expect(ledger.finish(probe, Self.yes, now: 1001, random: &random).waiters == [1, 2])
        #expect(!ledger.isOpen)
    }

    @Test mutating func waitsAreNeverLongerThanTenSeconds() throws {
        try open()
        var now: MonotonicMilliseconds = 0
        for person: UInt128 in 1...20 {
            now += 10_000
            _ = ledger.finish(try call(person, now: now), Self.failure, now: now, random: &random)
        }
        #expect(ledger.find(identity(1), now: now + 9999) == .refused(.backendBreakerOpen))
        #expect(ledger.find(identity(1), now: now + 10_000) == nil)
    }

    @Test mutating func anAnswerOfAnyKindEndsARowOfFailures() throws {
        for _ in 0..<3 {
            for person: UInt128 in 1...4 { _ = ledger.finish(try call(person), Self.failure, now: 0, random: &random) }
            _ = ledger.finish(try call(5), BackendReply(status: 400, cacheControl: nil), now: 0, random: &random)
        }
        #expect(!ledger.isOpen)
    }

    @Test mutating func whatDidNotReachItProvesNothing() throws {
        try open()
        let probe = try call(1, now: 1000)
        #expect(ledger.finish(probe, BackendReply(.backendOverloaded, .unknown), now: 1000, random: &random).change == nil)
        #expect(ledger.isOpen)
        _ = try call(1, now: 1000)
    }

    @Test mutating func forgettingIncludesCallsUnderWay() throws {
        let (one, two) = (try call(1, waiter: 1), try call(2, waiter: 2))
        ledger.forget(person: 1)
        let again = try call(1, waiter: 3)
        let former = ledger.finish(one, Self.yes, now: 0, random: &random)
        #expect(former.waiters == [1] && former.isForgotten)
        #expect(ledger.ask(identity(1), 4, now: 0) == .wait)
        let later = ledger.finish(again, Self.no, now: 0, random: &random)
        #expect(later.waiters == [3, 4] && !later.isForgotten)
        #expect(ledger.find(identity(1), now: 1) == .kept(.denied))
        #expect(!ledger.finish(two, Self.yes, now: 0, random: &random).isForgotten)
        #expect(ledger.find(identity(2), now: 1) == .kept(.allowed))
        ledger.forget(person: nil)
        #expect(ledger.find(identity(2), now: 1) == nil)
    }
}
