import Core
import Testing
import Time

/// When a backend is called, with a clock that the test sets.
@Suite struct BackendCallCoalescerTests {
    private typealias Coalescer = BackendCallCoalescer<Int>
    private static let lifetimes = AnswerLifetimes(positiveSeconds: 60, negativeSeconds: 10)
    private static let failure = BackendReply(.backendTimeout, .fails)
    private static let yes = BackendReply(status: 200, cacheControl: nil)
    private static let no = BackendReply(status: 403, cacheControl: nil)
    private var random = LargestGenerator()
    private var coalescer = Coalescer(lifetimes: lifetimes, keysAreChecked: true, callLimit: 3)

    private func identity(_ person: UInt128) -> CheckIdentity { CheckIdentity(person: person, credential: person) }

    /// Requests a decision about a user, which must start a call.
    private mutating func call(_ person: UInt128, waiter: Int = 0, now: MonotonicMilliseconds = 0) throws -> UInt64 {
        guard case .call(let number, _) = coalescer.ask(identity(person), waiter, now: now) else {
            throw Unexpected()
        }
        return number
    }

    private struct Unexpected: Error {}

    /// Makes calls fail until the breaker opens.
    private mutating func open(now: MonotonicMilliseconds = 0) throws {
        for person: UInt128 in 1001...1005 { _ = coalescer.finish(try call(person, now: now), Self.failure, now: now, random: &random) }
        #expect(coalescer.isOpen)
    }

    @Test mutating func `equal requests share a call`() throws {
        let number = try call(1, waiter: 1)
        #expect(coalescer.find(identity(1), now: 0) == nil)
        #expect(coalescer.ask(identity(1), 2, now: 1) == .wait)
        #expect(coalescer.ask(identity(1), 3, now: 2) == .wait)
        let end = coalescer.finish(number, Self.yes, now: 3, random: &random)
        #expect(end.waiters == [1, 2, 3])
        #expect(end.change == nil)
    }

    @Test mutating func `another key is another call`() throws {
        _ = try call(1)
        guard case .call = coalescer.ask(CheckIdentity(person: 1, credential: 2), 0, now: 0) else { throw Unexpected() }
    }

    @Test mutating func `responses are cached for their lifetime`() throws {
        _ = coalescer.finish(try call(1), Self.yes, now: 100, random: &random)
        _ = coalescer.finish(try call(2), Self.no, now: 100, random: &random)
        #expect(coalescer.find(identity(1), now: 60_099) == .kept(.allowed))
        #expect(coalescer.find(identity(1), now: 60_100) == nil)
        #expect(coalescer.find(identity(2), now: 10_099) == .kept(.denied))
        #expect(coalescer.ask(identity(2), 0, now: 10_099) == .answer(.kept(.denied)))
        #expect(coalescer.find(identity(2), now: 10_100) == nil)
    }

    @Test mutating func `a failure is not cached`() throws {
        let end = coalescer.finish(try call(1), BackendReply(status: 302, cacheControl: "max-age=60"), now: 0, random: &random)
        #expect(end.change == nil)
        #expect(coalescer.find(identity(1), now: 0) == nil)
    }

    @Test mutating func `the number of calls is limited`() throws {
        let first = try call(1)
        for person: UInt128 in 2...3 { _ = try call(person) }
        #expect(coalescer.find(identity(4), now: 0) == .refused(.backendOverloaded))
        #expect(coalescer.ask(identity(4), 0, now: 0) == .answer(.refused(.backendOverloaded)))
        #expect(coalescer.ask(identity(3), 0, now: 0) == .wait)
        _ = coalescer.finish(first, Self.yes, now: 0, random: &random)
        _ = try call(4)
    }

    @Test mutating func `a failing backend is not called`() throws {
        _ = coalescer.finish(try call(7), Self.yes, now: 0, random: &random)
        try open()
        #expect(coalescer.find(identity(1), now: 0) == .refused(.backendBreakerOpen))
        #expect(coalescer.find(identity(7), now: 0) == .kept(.allowed))
        #expect(Coalescer.Finding.refused(.backendBreakerOpen).answer == .undecided(.backendBreakerOpen))
    }

    @Test mutating func `the opening of the breaker is reported once`() throws {
        var reported: [Coalescer.Change?] = []
        for person: UInt128 in 1...5 { reported.append(coalescer.finish(try call(person), Self.failure, now: 0, random: &random).change) }
        #expect(reported == [nil, nil, nil, nil, .opened])
        // Only until the clock passes the longest first wait.
        let probe = try call(6, now: 1000)
        #expect(coalescer.find(identity(7), now: 1000) == .refused(.backendBreakerOpen))
        #expect(coalescer.finish(probe, Self.failure, now: 1000, random: &random).change == nil)
        #expect(coalescer.find(identity(6), now: 2999) == .refused(.backendBreakerOpen))
        let next = try call(6, now: 3000)
        #expect(coalescer.finish(next, Self.no, now: 3000, random: &random).change == .closed)
        _ = try call(7, now: 3000)
    }

    @Test mutating func `a request equal to the probe's waits for it`() throws {
        try open()
        let probe = try call(1, waiter: 1, now: 1000)
        #expect(coalescer.ask(identity(1), 2, now: 1000) == .wait)
        #expect(coalescer.finish(probe, Self.yes, now: 1001, random: &random).waiters == [1, 2])
        #expect(!coalescer.isOpen)
    }

    @Test mutating func `waits are never longer than ten seconds`() throws {
        try open()
        var now: MonotonicMilliseconds = 0
        for person: UInt128 in 1...20 {
            now += 10_000
            _ = coalescer.finish(try call(person, now: now), Self.failure, now: now, random: &random)
        }
        #expect(coalescer.find(identity(1), now: now + 9999) == .refused(.backendBreakerOpen))
        #expect(coalescer.find(identity(1), now: now + 10_000) == nil)
    }

    @Test mutating func `any response resets the count of failures`() throws {
        for _ in 0..<3 {
            for person: UInt128 in 1...4 { _ = coalescer.finish(try call(person), Self.failure, now: 0, random: &random) }
            _ = coalescer.finish(try call(5), BackendReply(status: 400, cacheControl: nil), now: 0, random: &random)
        }
        #expect(!coalescer.isOpen)
    }

    @Test mutating func `a call that did not reach the backend is ignored`() throws {
        try open()
        let probe = try call(1, now: 1000)
        #expect(coalescer.finish(probe, BackendReply(.backendOverloaded, .unknown), now: 1000, random: &random).change == nil)
        #expect(coalescer.isOpen)
        _ = try call(1, now: 1000)
    }

    @Test mutating func `removing a person's responses includes running calls`() throws {
        let (one, two) = (try call(1, waiter: 1), try call(2, waiter: 2))
        coalescer.forget(person: 1)
        let again = try call(1, waiter: 3)
        let former = coalescer.finish(one, Self.yes, now: 0, random: &random)
        #expect(former.waiters == [1])
        #expect(former.isForgotten)
        #expect(coalescer.ask(identity(1), 4, now: 0) == .wait)
        let later = coalescer.finish(again, Self.no, now: 0, random: &random)
        #expect(later.waiters == [3, 4])
        #expect(!later.isForgotten)
        #expect(coalescer.find(identity(1), now: 1) == .kept(.denied))
        #expect(!coalescer.finish(two, Self.yes, now: 0, random: &random).isForgotten)
        #expect(coalescer.find(identity(2), now: 1) == .kept(.allowed))
        coalescer.forget(person: nil)
        #expect(coalescer.find(identity(2), now: 1) == nil)
    }
}
