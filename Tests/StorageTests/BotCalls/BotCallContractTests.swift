import Core
import Storage
import TestSupport
import Testing
import Threading
import Time

/// Calls of bots: every kind of store records, repeats, ends and gives them up in the same way.
@Suite struct BotCallContractTests {
    private static let ending = BotCall.Ending(.refused, statusCode: 404, reason: "no_order", at: 1500)

    @Test(arguments: Backend.allCases) func `stores a call unchanged`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let strange = "a\u{0}b\u{1}ü"
        let calls = [
            BotCall.sample(1), .sample(2, key: 2, arguments: #"{"id":7}"#), .sample(3, user: strange, bot: strange, function: strange),
            .sample(4, BotCall.Ending(.limited, at: 1000)), .sample(5, Self.ending),
        ]
        for call in calls {
            #expect(try fixture.store.begin(call) == .new)
            #expect(try fixture.store.botCall(call.id) == call)
        }
        #expect(try fixture.store.botCall(UUIDv7(milliseconds: 1, number: 99)) == nil)
        #expect(try Set(fixture.store.allCalls().map(\.id)) == Set(calls.map(\.id)))
    }

    @Test(arguments: Backend.allCases) func `the same call begins once`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let first = BotCall.sample(1, key: 1)
        #expect(try fixture.store.begin(first) == .new)
        #expect(try fixture.store.begin(.sample(2, key: 1, user: "other", at: 1600)) == .repeated(first))
        try fixture.store.end(first, Self.ending)
        #expect(try fixture.store.begin(.sample(3, key: 1)) == .repeated(first.ended(Self.ending)))
        #expect(try fixture.store.begin(.sample(4, key: 2)) == .new)
        #expect(try fixture.store.begin(.sample(5)) == .new, "nothing makes these the same")
        #expect(try fixture.store.begin(.sample(6)) == .new)
        #expect(try Set(fixture.store.allCalls().map(\.id)) == Set([1, 4, 5, 6].map { BotCall.sample($0).id }))
    }

    /// The call with which nothing was done stays in the audit, and the new one gets its key.
    @Test(arguments: Backend.allCases) func `a call with nothing done begins again`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let nothingDone = BotCall.Ending(.failed, reason: "unreachable", releasesKey: true, at: 1500)
        let (first, second, third) = (BotCall.sample(1, key: 1, user: "first"), BotCall.sample(2, key: 1), BotCall.sample(3, key: 1))
        try fixture.store.begin(first)
        #expect(try fixture.store.begin(second) == .repeated(first))
        try fixture.store.end(first, nothingDone)
        #expect(try fixture.store.botCall(first.id) == first.ended(nothingDone))
        #expect(try fixture.store.botCall(first.id)?.key == nil)
        #expect(try fixture.store.begin(second) == .new)
        #expect(try fixture.store.begin(third) == .repeated(second))
        // A second end of the first one changes nothing, nor does its deletion below.
        try fixture.store.end(first, nothingDone)
        #expect(try fixture.store.begin(third) == .repeated(second))
        try fixture.store.end(second, Self.ending)
        #expect(try fixture.store.begin(third) == .repeated(second.ended(Self.ending)))
        #expect(try Set(fixture.store.allCalls().map(\.id)) == Set([first.id, second.id]))
        let person = AppUser(appID: "app", userID: "first")
        #expect(try fixture.store.erase(person, now: 2000, telling: .nobody).botCalls == 1)
        #expect(try fixture.store.begin(third) == .repeated(second.ended(Self.ending)))
    }

    /// A call that was given up, or whose end is reported twice.
    @Test(arguments: Backend.allCases) func `only the first end releases the key`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let nothingDone = BotCall.Ending(.failed, reason: "unreachable", releasesKey: true, at: 9500)
        let (done, lost) = (BotCall.sample(1, key: 1), BotCall.sample(2, key: 2))
        for call in [done, lost] { try fixture.store.begin(call) }
        try fixture.store.end(done, Self.ending)
        try fixture.store.end(done, nothingDone)
        #expect(try fixture.store.begin(.sample(3, key: 1)) == .repeated(done.ended(Self.ending)))
        #expect(try fixture.store.markLostBotCalls(startedBefore: 4000, now: 9000, limit: 9).map(\.key) == [lost.key])
        try fixture.store.end(lost, nothingDone)
        #expect(try fixture.store.begin(.sample(4, key: 2)) == .new)
    }

    /// Also when one transaction ends them.
    @Test(arguments: Backend.allCases) func `each of many ends releases its own key`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let calls = (0..<20).map { BotCall.sample($0, key: $0) }
        try fixture.store.beginAll(calls)
        let answers = calls.enumerated().map { number, call in
            let answer = Answer<Bool>()
            let ending = BotCall.Ending(.failed, releasesKey: number.isMultiple(of: 2), at: 1500)
            fixture.store.end(call.id, ending) { answer.set($0.map { true }) }
            return answer
        }
        for answer in answers { #expect(try answer.get()) }
        for (number, call) in calls.enumerated() {
            let again = BotCall.sample(100 + number, key: number)
            let ended = call.ended(BotCall.Ending(.failed, at: 1500))
            #expect(try fixture.store.begin(again) == (number.isMultiple(of: 2) ? .new : .repeated(ended)))
        }
    }

    /// Also when one transaction stores them.
    @Test(arguments: Backend.allCases) func `one of many concurrent calls is new`(_ backend: Backend) throws {
        let store = try backend.store()
        let answers = (0..<200).map { number in
            let answer = Answer<BotCallBeginning>()
            store.store.begin(.sample(number, key: number % 10), isAwaited: { true }) { answer.set($0) }
            return answer
        }
        let begun = try answers.map { try $0.get() }
        for key in 0..<10 {
            let ofKey = (0..<200).filter { $0 % 10 == key }
            let new = ofKey.filter { begun[$0] == .new }
            let first = BotCall.sample(try #require(new.first), key: key)
            #expect(new.count == 1)
            #expect(ofKey.allSatisfy { begun[$0] == .new || begun[$0] == .repeated(first) })
        }
        #expect(try store.store.allCalls().count == 10)
    }

    @Test(arguments: Backend.allCases) func `the first end is final`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let call = BotCall.sample(1, key: 1)
        try fixture.store.begin(call)
        try fixture.store.end(call, Self.ending)
        try fixture.store.end(call, BotCall.Ending(.succeeded, statusCode: 200, at: 1700))
        #expect(try fixture.store.botCall(call.id) == call.ended(Self.ending))
        try fixture.store.end(.sample(9), Self.ending)
        #expect(try fixture.store.allCalls().count == 1, "nothing is made of the end of an unknown call")
    }

    /// A process may end before its calls; the store then does not know whether the backend has performed them.
    @Test(arguments: Backend.allCases) func `gives up calls without an end`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let calls = (1...4).map { BotCall.sample($0, key: $0, at: UnixMilliseconds(rawValue: 1000 * UInt64($0))) }
        for call in calls { try fixture.store.begin(call) }
        try fixture.store.end(calls[0], Self.ending)
        let lost = BotCall.Ending(.unknown, reason: BotCall.interrupted, at: 9000)
        #expect(try fixture.store.markLostBotCalls(startedBefore: 4000, now: 9000, limit: 1) == [calls[1].ended(lost)])
        #expect(try fixture.store.markLostBotCalls(startedBefore: 4000, now: 9000, limit: 9) == [calls[2].ended(lost)])
        #expect(try fixture.store.markLostBotCalls(startedBefore: 4000, now: 9000, limit: 9) == [])
        #expect(try fixture.store.allCalls() == [calls[3], calls[2].ended(lost), calls[1].ended(lost), calls[0].ended(Self.ending)])
        #expect(try fixture.store.begin(.sample(9, key: 2)) == .repeated(calls[1].ended(lost)))
        // The process was alive after all, for example on a machine after suspend.
        try fixture.store.end(calls[1], Self.ending)
        #expect(try fixture.store.botCall(calls[1].id) == calls[1].ended(Self.ending))
    }

    /// The end may be reported before the beginning is durable, and one transaction may contain both.
    @Test(arguments: Backend.allCases) func `ends a call whose beginning is not yet durable`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let (begun, ended) = (Answer<BotCallBeginning>(), Answer<Bool>())
        let call = BotCall.sample(1)
        fixture.store.begin(call, isAwaited: { true }) { begun.set($0) }
        fixture.store.end(call.id, Self.ending) { ended.set($0.map { true }) }
        #expect(try begun.get() == .new)
        #expect(try ended.get())
        #expect(try fixture.store.botCall(call.id) == call.ended(Self.ending))
    }

    @Test(arguments: Backend.allCases) func `a forgotten person's calls are deleted`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...1203 { fixture.store.begin(.sample(number), isAwaited: { true }) { _ in } }
        try fixture.store.begin(.sample(2000, user: "other"))
        try fixture.store.begin(.sample(2001, app: "other"))
        let person = AppUser(appID: "app", userID: "user")
        #expect(try fixture.store.proveErasure(of: PersonTraces(person)).tables == [ErasureProof.Table(name: "bot_calls", rows: 1203)])
        #expect(try fixture.store.erase(person, now: 2000, telling: .nobody).botCalls == 1203)
        #expect(try fixture.store.proveErasure(of: PersonTraces(person)).tables == [])
        #expect(try Set(fixture.store.allCalls().map(\.id)) == Set([2000, 2001].map { BotCall.sample($0).id }))
        // The call was running when the person was forgotten.
        try fixture.store.end(.sample(1), Self.ending)
        #expect(try fixture.store.botCall(BotCall.sample(1).id) == nil)
    }

    /// As long as deliveries; calls that an operator may look for are kept as long as dead deliveries. A key outlives its ticket in any
    /// case.
    @Test(arguments: Backend.allCases) func `is deleted when it is old`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let day: UInt64 = 86_400_000
        let now = UnixMilliseconds(rawValue: 100 * day)
        for (number, outcome) in BotCall.Outcome.allCases.enumerated() where outcome != .started {
            for (place, age) in [day, 3 * day, 9 * day].enumerated() {
                let at = now.saturating(subtracting: age)
                try fixture.store.begin(.sample(10 * number + place, at: at, BotCall.Ending(outcome, at: at)))
            }
        }
        let ended = BotCall.Outcome.allCases.count - 1
        func purge(_ delivered: UInt64, _ dead: UInt64, limit: Int = 1000) throws -> Int {
            try fixture.store.purge(
                now: now, deliveredBefore: now.saturating(subtracting: delivered), deadBefore: now.saturating(subtracting: dead),
                limit: limit)
        }
        #expect(try purge(2 * day, 5 * day, limit: 4) == 4)
        #expect(try purge(2 * day, 5 * day) == 2 * (ended - 3) + 3 - 4)
        #expect(try purge(2 * day, 5 * day) == 0)
        #expect(try fixture.store.allCalls().count == ended + 3)
        #expect(try fixture.store.allCalls().filter(\.outcome.isFailure).count == 6)
        let young = BotCall.sample(900, key: 1, at: now.saturating(subtracting: BotCall.minimumKeptMilliseconds), Self.ending)
        try fixture.store.begin(young)
        #expect(try purge(0, 0) == ended + 3)
        #expect(try fixture.store.allCalls() == [young])
    }

    @Test(arguments: Backend.allCases) func `a closed store reports that it is closed`(_ backend: Backend) throws {
        let fixture = try backend.store()
        fixture.store.close()
        #expect(throws: StoreError.self) { try fixture.store.begin(.sample(1)) }
        #expect(throws: StoreError.self) { try fixture.store.end(.sample(1), Self.ending) }
        #expect(throws: StoreError.self) { try fixture.store.botCall(BotCall.sample(1).id) }
        #expect(throws: StoreError.self) { try fixture.store.allCalls() }
    }
}
