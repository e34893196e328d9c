import Core
import Testing
import Time

/// The effect of failures on other users, especially in backend mode.
@Suite struct BackendCallCoalescerNewKeyTests {
    private typealias Coalescer = BackendCallCoalescer<Int>

    /// Failures of a call that any client can cause.
    private static let failures = [
        BackendReply(status: 429, cacheControl: nil), BackendReply(status: 500, cacheControl: nil),
        BackendReply(status: 502, cacheControl: nil), BackendReply(status: 503, cacheControl: nil),
        BackendReply(.backendTimeout, .fails), BackendReply(.backendUnreachable, .fails),
    ]
    /// The response is not cached, so each request needs a call.
    private static let yes = BackendReply(status: 200, cacheControl: "no-store")
    private static let no = BackendReply(status: 403, cacheControl: "no-store")
    private static let failure = failures[0]

    private var random = LargestGenerator()
    private var coalescer = Self.coalescer()

    private static func coalescer(keysAreChecked: Bool = false) -> Coalescer {
        Coalescer(
            lifetimes: AnswerLifetimes(positiveSeconds: 60, negativeSeconds: 10), keysAreChecked: keysAreChecked, callLimit: 3)
    }

    private func identity(_ person: UInt128, _ key: UInt128 = 0) -> CheckIdentity {
        CheckIdentity(person: person, credential: person << 64 | key)
    }

    private mutating func start(_ identity: CheckIdentity, now: MonotonicMilliseconds = 0) throws -> (number: UInt64, isKnown: Bool) {
        guard case .call(let number, let isKnown) = coalescer.ask(identity, 0, now: now) else { throw Unexpected() }
        return (number, isKnown)
    }

    /// Requests a decision about a key, which must start a call, and ends the call.
    @discardableResult
    private mutating func call(
        _ identity: CheckIdentity, _ reply: BackendReply, now: MonotonicMilliseconds = 0
    ) throws -> Coalescer.Change? {
        coalescer.finish(try start(identity, now: now).number, reply, now: now, random: &random).change
    }

    private struct Unexpected: Error {}

    @Test(arguments: failures) mutating func `failures for new keys never open the breaker`(reply: BackendReply) throws {
        try call(identity(1), Self.yes)
        for number: UInt64 in 1...100 {
            try call(identity(100 + UInt128(number)), reply, now: MonotonicMilliseconds(rawValue: number * 100))
        }
        #expect(!coalescer.isOpen)
        #expect(coalescer.find(identity(1), now: 10_000) == nil, "the user is asked about at once")
        try call(identity(1), Self.yes, now: 10_000)
    }

    /// Anyone may have the ids of users, or be a user.
    @Test mutating func `another key of an allowed person is new`() throws {
        try call(identity(1), Self.yes)
        for key: UInt128 in 1...5 { try call(identity(1, key), Self.failure) }
        #expect(!coalescer.isOpen)
        #expect(coalescer.find(identity(1, 6), now: 0) == .refused(.backendNewKeysLimited))
        #expect(coalescer.find(identity(1), now: 0) == nil)
    }

    @Test(arguments: failures) mutating func `failures for keys that were allowed open it`(reply: BackendReply) throws {
        for person: UInt128 in 1...6 { try call(identity(person), Self.yes) }
        var changes: [Coalescer.Change?] = []
        for person: UInt128 in 1...5 { changes.append(try call(identity(person), reply)) }
        #expect(changes == [nil, nil, nil, nil, .opened])
        #expect(coalescer.find(identity(6), now: 0) == .refused(.backendBreakerOpen))
    }

    /// A call for a user whom the backend limits, or whose record it cannot read, fails for that user only.
    @Test(arguments: [true, false]) mutating func `one person's failures do not open it`(keysAreChecked: Bool) throws {
        coalescer = Self.coalescer(keysAreChecked: keysAreChecked)
        for key: UInt128 in 1...20 { try call(identity(1, key), Self.yes) }
        for key: UInt128 in 1...20 { try call(identity(1, key), Self.failure) }
        #expect(!coalescer.isOpen)
        for person: UInt128 in 2...5 { try call(identity(person), Self.yes) }
        #expect(!coalescer.isOpen)
    }

    /// After an outage, a person for whom the backend still fails may send more requests than all others.
    @Test(arguments: [true, false]) mutating func `one person's probes do not keep it open`(keysAreChecked: Bool) throws {
        coalescer = Self.coalescer(keysAreChecked: keysAreChecked)
        for key: UInt128 in 0...20 { try call(identity(5, key), Self.yes) }
        for person: UInt128 in 1...4 { try call(identity(person), Self.yes) }
        for person: UInt128 in 1...5 { try call(identity(person), Self.failure) }
        #expect(coalescer.isOpen)
        // The longest time of the first opening.
        for key: UInt128 in 0...20 { try call(identity(5, key), Self.failure, now: 1000) }
        #expect(coalescer.isOpen)
        #expect(try call(identity(1), Self.yes, now: 1000) == .closed)
    }

    @Test mutating func `a probe that fails for another person opens it again`() throws {
        coalescer = Self.coalescer(keysAreChecked: true)
        for person: UInt128 in 1...5 { try call(identity(person), Self.failure) }
        for person: UInt128 in [5, 6] { try call(identity(person), Self.failure, now: 1000) }
        #expect(coalescer.find(identity(7), now: 1000) == .refused(.backendBreakerOpen))
    }

    @Test mutating func `five persons open it for any mix of failures`() throws {
        for person: UInt128 in 1...5 { try call(identity(person), Self.yes) }
        for person: UInt128 in [1, 1, 2, 1, 3, 2, 4, 4] { try call(identity(person), Self.failure) }
        #expect(!coalescer.isOpen)
        #expect(try call(identity(5), Self.failure) == .opened)
    }

    @Test mutating func `a key that is denied becomes new`() throws {
        try call(identity(1), Self.yes)
        try call(identity(1), Self.no)
        #expect(try !start(identity(1)).isKnown)
    }

    @Test mutating func `a key becomes new when its person is forgotten`() throws {
        for person: UInt128 in 1...2 { try call(identity(person), Self.yes) }
        coalescer.forget(person: 1)
        #expect(try !start(identity(1)).isKnown)
        #expect(try start(identity(2)).isKnown)
    }

    /// This happens, for example, after a failure of the store.
    @Test mutating func `keys stay known when all responses are removed`() throws {
        try call(identity(1), BackendReply(status: 200, cacheControl: nil))
        coalescer.forget(person: nil)
        #expect(try start(identity(1)).isKnown)
    }

    @Test mutating func `a failure keeps a key known`() throws {
        try call(identity(1), Self.yes)
        try call(identity(1), Self.failure)
        #expect(try start(identity(1)).isKnown)
    }

    @Test mutating func `a valid key is known from its first request`() throws {
        coalescer = Self.coalescer(keysAreChecked: true)
        #expect(try start(identity(1)).isKnown)
    }

    @Test mutating func `the rate limit is reported once and does not open the breaker`() throws {
        var changes: [Coalescer.Change?] = []
        for person: UInt128 in 101...105 { changes.append(try call(identity(person), Self.failure)) }
        #expect(changes == [nil, nil, nil, nil, .limitedNewKeys])
        #expect(try call(identity(106), Self.failure, now: 100) == nil)
        #expect(try call(identity(107), Self.yes, now: 200) == nil)
    }

    @Test mutating func `the last failure about a known key is reported`() throws {
        try call(identity(1), Self.failure)
        #expect(coalescer.status(now: 0).lastFailure == nil, "a stranger may cause it")
        coalescer = Self.coalescer(keysAreChecked: true)
        try call(identity(1), BackendReply(.backendTimeout, .fails))
        #expect(coalescer.status(now: 0).lastFailure?.reason == .backendTimeout)
        try call(identity(2), BackendReply(.backendOverloaded, .unknown))
        #expect(coalescer.status(now: 0).lastFailure?.reason == .backendTimeout)
        try call(identity(3), BackendReply(status: 500, cacheControl: nil))
        #expect(coalescer.status(now: 0).lastFailure?.reason == .backendStatus)
        var refusal = BackendReply(status: 400, cacheControl: nil)
        refusal.cause = "status_400"
        try call(identity(4), refusal)
        #expect(coalescer.status(now: 0).lastFailure == BackendFailure(.backendStatus, cause: "status_400"))
    }

    @Test mutating func `the last failure for a new key is reported separately`() throws {
        try call(identity(1), Self.yes)
        try call(identity(2), BackendReply(.backendUnreachable, .fails))
        #expect(coalescer.status(now: 0).lastNewKeyFailure?.reason == .backendUnreachable)
        try call(identity(1), BackendReply(.backendTimeout, .fails))
        #expect(coalescer.status(now: 0).lastNewKeyFailure?.reason == .backendUnreachable)
        try call(identity(3), BackendReply(status: 500, cacheControl: nil))
        #expect(coalescer.status(now: 0).lastNewKeyFailure?.reason == .backendStatus)
        #expect(coalescer.status(now: 0).lastFailure?.reason == .backendTimeout, "a stranger does not change it")
    }

    @Test mutating func `a failure ends when a later call of its kind decides`() throws {
        try call(identity(1), Self.yes)
        try call(identity(1), Self.failure)
        try call(identity(2), Self.failure)
        #expect(!coalescer.status(now: 0).hasRecovered)
        try call(identity(3), Self.no)
        #expect(coalescer.status(now: 0).lastNewKeyFailure?.isOver == true)
        #expect(coalescer.status(now: 0).lastFailure?.isOver == false, "a decision about a new key says nothing about known ones")
        #expect(!coalescer.status(now: 0).hasRecovered)
        try call(identity(1), Self.yes)
        #expect(coalescer.status(now: 0).hasRecovered)
        try call(identity(1), BackendReply(.backendOverloaded, .unknown))
        #expect(coalescer.status(now: 0).hasRecovered, "the call did not reach the backend")
        try call(identity(1), Self.failure)
        #expect(coalescer.status(now: 0).lastFailure?.isOver == false)
    }

    /// The call did not reach the backend.
    @Test mutating func `a call that did not reach the backend affects neither state`() throws {
        for person: UInt128 in 1...10 { try call(identity(person), BackendReply(.backendOverloaded, .unknown)) }
        #expect(coalescer.find(identity(11), now: 0) == nil)
        #expect(coalescer.status(now: 0) == BackendStatus(breaker: .working, limitsNewKeys: false))
    }

    @Test(
        arguments: [
            (.working, false, .working), (.working, true, .failing), (.failing, false, .failing), (.failing, true, .failing),
            (.open, false, .open), (.open, true, .open), (.halfOpen, false, .halfOpen), (.halfOpen, true, .halfOpen),
        ] as [(BreakerStatus, Bool, BreakerStatus)])
    func `the state combines the breaker and the rate limit of new keys`(breaker: BreakerStatus, paces: Bool, state: BreakerStatus) {
        #expect(BackendStatus(breaker: breaker, limitsNewKeys: paces).state == state)
    }
}
