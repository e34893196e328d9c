import Core
import Crypto
import HTTPServer
import JSON
import Observability
import TestSupport
import Testing
import Threading
import Time

@testable import Bots
@testable import Configuration
@testable import HelpDesk
@testable import Service

@Suite struct BotCallCoalescerTests {
    private typealias Coalescer = BotCallCoalescer<Int>
    private static let person = CallWindows.Person(appID: "shop", userID: "user-1")
    private static let key: [UInt8] = [1]

    private func refusal(_ bytes: Int) -> CallReply {
        .refusal(
            CallRefusal(
                Response(status: 502, body: [UInt8](repeating: 120, count: bytes)), .failed, reason: "test")
        )
    }

    private func admit(
        _ coalescer: inout Coalescer, key: [UInt8]?, waiter: Int = 0, now: UnixMilliseconds = 1000
    ) -> String {
        switch coalescer.admit("f", person: Self.person, key: key, waiter: waiter, now: now) {
        case .perform: "perform"
        case .wait: "wait"
        case .repeated: "repeated"
        case .limited: "limited"
        case .busy: "busy"
        }
    }

    @Test func `performs a change once`() {
        var coalescer = Coalescer()
        #expect(admit(&coalescer, key: Self.key) == "perform")
        #expect(admit(&coalescer, key: Self.key, waiter: 1) == "wait")
        #expect(admit(&coalescer, key: Self.key, waiter: 2) == "wait")
        #expect(admit(&coalescer, key: [2]) == "perform")
        #expect(coalescer.finish(Self.key, person: Self.person, reply: refusal(1), keepingUntil: 5, now: 1) == [1, 2])
        #expect(admit(&coalescer, key: Self.key) == "repeated")
        // A change that is not cached may be performed again; the store prevents it.
        #expect(coalescer.finish([2], person: Self.person, reply: refusal(1), keepingUntil: nil, now: 1) == [])
        #expect(admit(&coalescer, key: [2]) == "perform")
    }

    @Test func `performs a call without changes for each request`() {
        var coalescer = Coalescer()
        for _ in 0..<3 { #expect(admit(&coalescer, key: nil) == "perform") }
        #expect(coalescer.finish(nil, person: Self.person, reply: refusal(1), keepingUntil: 5, now: 1) == [])
        #expect(admit(&coalescer, key: nil) == "perform")
    }

    @Test func `limits the number of running calls`() {
        var coalescer = Coalescer(CallBounds(underWay: 2))
        #expect(admit(&coalescer, key: nil) == "perform")
        #expect(admit(&coalescer, key: Self.key) == "perform")
        #expect(admit(&coalescer, key: nil) == "busy")
        // A caller that waits for a running call takes no room.
        #expect(admit(&coalescer, key: Self.key) == "wait")
        _ = coalescer.finish(nil, person: Self.person, reply: refusal(1), keepingUntil: nil, now: 1)
        #expect(admit(&coalescer, key: nil) == "perform")
    }

    @Test func `limits the calls of each person and app`() {
        var coalescer = Coalescer(CallBounds(underWay: 5, underWayOfApp: 3, underWayOfPerson: 2))
        let callers = [
            ("shop", "1"), ("shop", "1"), ("shop", "1"), ("shop", "2"), ("shop", "2"), ("bank", "1"), ("bank", "2"), ("post", "1"),
        ]
        let people = callers.map { CallWindows.Person(appID: $0.0, userID: $0.1) }
        let admitted = people.map { person in
            if case .perform = coalescer.admit("f", person: person, key: nil, waiter: 0, now: 1000) { true } else { false }
        }
        #expect(admitted == [true, true, false, true, false, true, true, false])
        #expect(coalescer.isFull)
        _ = coalescer.finish(nil, person: people[5], reply: refusal(1), keepingUntil: nil, now: 1)
        #expect(!coalescer.isFull)
        #expect(coalescer.isFull(for: people[0]))
        #expect(coalescer.isFull(for: people[3]))
        #expect(!coalescer.isFull(for: people[5]))
    }

    @Test func `a call rejected by a limit takes no room`() {
        var coalescer = Coalescer(CallBounds(underWay: 1))
        coalescer.use([("f", [LimitRule(per: .user, max: 1, windowMilliseconds: 1000)])])
        #expect(admit(&coalescer, key: nil) == "perform")
        _ = coalescer.finish(nil, person: Self.person, reply: refusal(1), keepingUntil: nil, now: 1)
        for _ in 0..<3 { #expect(admit(&coalescer, key: nil) == "limited") }
        #expect(!coalescer.isFull)
        #expect(admit(&coalescer, key: nil, now: 2000) == "perform")
    }

    @Test func `a rejected call is not counted`() {
        var coalescer = Coalescer(CallBounds(underWay: 1))
        coalescer.use([("f", [LimitRule(per: .user, max: 2, windowMilliseconds: 1000)])])
        #expect(admit(&coalescer, key: nil) == "perform")
        #expect(admit(&coalescer, key: nil) == "busy")
        _ = coalescer.finish(nil, person: Self.person, reply: refusal(1), keepingUntil: nil, now: 1)
        #expect(admit(&coalescer, key: Self.key) == "perform")
        #expect(admit(&coalescer, key: Self.key) == "wait")
        _ = coalescer.finish(Self.key, person: Self.person, reply: refusal(1), keepingUntil: 5, now: 1)
        #expect(admit(&coalescer, key: nil) == "limited")
        #expect(admit(&coalescer, key: Self.key) == "repeated")
        #expect(coalescer.refusal(of: "f", Self.person, now: 1999) != nil)
        #expect(coalescer.refusal(of: "f", Self.person, now: 2000) == nil)
        #expect(coalescer.refusal(of: "g", Self.person, now: 1999) == nil)
    }

    @Test func `keeps the counts of unchanged limits`() {
        var coalescer = Coalescer()
        let rules = [LimitRule(per: .user, max: 1, windowMilliseconds: 1000)]
        coalescer.use([("f", rules)])
        #expect(admit(&coalescer, key: nil) == "perform")
        coalescer.use([("f", rules), ("g", rules)])
        #expect(admit(&coalescer, key: nil) == "limited")
        coalescer.use([("f", [LimitRule(per: .user, max: 1, windowMilliseconds: 500)])])
        #expect(admit(&coalescer, key: nil) == "perform")
        coalescer.use([])
        #expect(admit(&coalescer, key: nil) == "perform")
    }

    @Test func `evicts responses by age, number and size`() {
        var coalescer = Coalescer(CallBounds(answers: 3, answeredBytes: 5000))
        func answer(
            _ number: UInt8, _ bytes: Int = 1, until end: UnixSeconds = 100, now: UnixSeconds = 1
        ) {
            #expect(admit(&coalescer, key: [number]) == "perform")
            _ = coalescer.finish([number], person: Self.person, reply: refusal(bytes), keepingUntil: end, now: now)
        }
        for number in 1...4 { answer(UInt8(number)) }
        #expect(
            (1...4).map { admit(&coalescer, key: [UInt8($0)]) } == [
                "perform", "repeated", "repeated", "repeated",
            ])
        _ = coalescer.finish([1], person: Self.person, reply: refusal(1), keepingUntil: nil, now: 1)
        answer(5, 4000)
        #expect(
            (2...5).map { admit(&coalescer, key: [UInt8($0)]) } == ["perform", "perform", "perform", "repeated"])
        for number in 2...4 {
            _ = coalescer.finish([UInt8(number)], person: Self.person, reply: refusal(1), keepingUntil: nil, now: 1)
        }
        // A response larger than the whole cache is not kept.
        answer(6, 6000)
        #expect(admit(&coalescer, key: [6]) == "perform")
        _ = coalescer.finish([6], person: Self.person, reply: refusal(1), keepingUntil: nil, now: 1)
        // It expires when the next call ends.
        answer(7, now: 101)
        #expect((5...7).map { admit(&coalescer, key: [UInt8($0)]) } == ["perform", "perform", "perform"])
    }

    @Test func `removes the responses for a person`() {
        var coalescer = Coalescer()
        let other = CallWindows.Person(appID: "shop", userID: "user-2")
        for (key, person) in [([1], Self.person), ([2], other), ([3], Self.person)]
            as [([UInt8], CallWindows.Person)]
        {
            #expect(admit(&coalescer, key: key) == "perform")
            _ = coalescer.finish(key, person: person, reply: refusal(1), keepingUntil: 100, now: 1)
        }
        coalescer.forgetAnswers(to: Self.person)
        #expect([1, 2, 3].map { admit(&coalescer, key: [$0]) } == ["perform", "repeated", "perform"])
        coalescer.forgetAnswers(to: nil)
        #expect(admit(&coalescer, key: [2]) == "perform")
    }
}
