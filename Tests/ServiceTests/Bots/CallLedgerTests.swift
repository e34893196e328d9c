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

/// Who performs a change, who waits, and what is kept.
@Suite struct CallLedgerTests {
    private typealias Ledger = CallLedger<Int>
    private static let person = CallWindows.Person(appID: "shop", userID: "user-1")
    private static let key: [UInt8] = [1]

    private func refusal(_ bytes: Int) -> CallReply {
        .refusal(
            CallRefusal(
                Response(status: 502, body: [UInt8](repeating: 120, count: bytes)), .failed, reason: "test")
        )
    }

    private func admit(
        _ ledger: inout Ledger, _ key: [UInt8]?, _ waiter: Int = 0, now: UnixMilliseconds = 1000
    ) -> String {
        switch ledger.admit("f", Self.person, key: key, waiter, now: now) {
        case .perform: "perform"
        case .wait: "wait"
        case .repeated: "repeated"
        case .limited: "limited"
        case .busy: "busy"
        }
    }

    @Test func performsAChangeOnce() {
        var ledger = Ledger()
        #expect(admit(&ledger, Self.key) == "perform")
        #expect(admit(&ledger, Self.key, 1) == "wait")
        #expect(admit(&ledger, Self.key, 2) == "wait")
        #expect(admit(&ledger, [2]) == "perform")
        #expect(ledger.finish(Self.key, Self.person, refusal(1), keepingUntil: 5, now: 1) == [1, 2])
        #expect(admit(&ledger, Self.key) == "repeated")
        // What is not kept may be performed again; the store knows better.
        #expect(ledger.finish([2], Self.person, refusal(1), keepingUntil: nil, now: 1) == [])
        #expect(admit(&ledger, [2]) == "perform")
    }

    @Test func performsWhatChangesNothingAsOftenAsItIsAsked() {
        var ledger = Ledger()
        for _ in 0..<3 { #expect(admit(&ledger, nil) == "perform") }
        #expect(ledger.finish(nil, Self.person, refusal(1), keepingUntil: 5, now: 1) == [])
        #expect(admit(&ledger, nil) == "perform")
    }

    @Test func boundsWhatIsUnderWay() {
        var ledger = Ledger(CallBounds(underWay: 2))
        #expect(admit(&ledger, nil) == "perform")
        #expect(admit(&ledger, Self.key) == "perform")
        #expect(admit(&ledger, nil) == "busy")
        // Who waits for what is under way takes no room.
        #expect(admit(&ledger, Self.key) == "wait")
        _ = ledger.finish(nil, Self.person, refusal(1), keepingUntil: nil, now: 1)
        #expect(admit(&ledger, nil) == "perform")
    }

    @Test func leavesRoomForOtherPeopleAndApps() {
        var ledger = Ledger(CallBounds(underWay: 5, underWayOfApp: 3, underWayOfPerson: 2))
        let callers = [
            ("shop", "1"), ("shop", "1"), ("shop", "1"), ("shop", "2"), ("shop", "2"), ("bank", "1"), ("bank", "2"), ("post", "1"),
        ]
        let people = callers.map { CallWindows.Person(appID: $0.0, userID: $0.1) }
        let admitted = people.map { person in
            if case .perform = ledger.admit("f", person, key: nil, 0, now: 1000) { true } else { false }
        }
        #expect(admitted == [true, true, false, true, false, true, true, false])
        #expect(ledger.isFull)
        _ = ledger.finish(nil, people[5], refusal(1), keepingUntil: nil, now: 1)
        #expect(!ledger.isFull)
        #expect(ledger.isFull(for: people[0]))
        #expect(ledger.isFull(for: people[3]))
        #expect(!ledger.isFull(for: people[5]))
    }

    @Test func takesNoRoomForWhatALimitRefuses() {
        var ledger = Ledger(CallBounds(underWay: 1))
        ledger.use([("f", [LimitRule(per: .user, max: 1, windowMilliseconds: 1000)])])
        #expect(admit(&ledger, nil) == "perform")
        _ = ledger.finish(nil, Self.person, refusal(1), keepingUntil: nil, now: 1)
        for _ in 0..<3 { #expect(admit(&ledger, nil) == "limited") }
        #expect(!ledger.isFull)
        #expect(admit(&ledger, nil, now: 2000) == "perform")
    }

    @Test func countsNothingThatItRefuses() {
        var ledger = Ledger(CallBounds(underWay: 1))
        ledger.use([("f", [LimitRule(per: .user, max: 2, windowMilliseconds: 1000)])])
        #expect(admit(&ledger, nil) == "perform")
        #expect(admit(&ledger, nil) == "busy")
        _ = ledger.finish(nil, Self.person, refusal(1), keepingUntil: nil, now: 1)
        #expect(admit(&ledger, Self.key) == "perform")
        #expect(admit(&ledger, Self.key) == "wait")
        _ = ledger.finish(Self.key, Self.person, refusal(1), keepingUntil: 5, now: 1)
        #expect(admit(&ledger, nil) == "limited")
        #expect(admit(&ledger, Self.key) == "repeated")
        #expect(ledger.refusal(of: "f", Self.person, now: 1999) != nil)
        #expect(ledger.refusal(of: "f", Self.person, now: 2000) == nil)
        #expect(ledger.refusal(of: "g", Self.person, now: 1999) == nil)
    }

    @Test func keepsTheCountsOfLimitsThatStay() {
        var ledger = Ledger()
        let rules = [LimitRule(per: .user, max: 1, windowMilliseconds: 1000)]
        ledger.use([("f", rules)])
        #expect(admit(&ledger, nil) == "perform")
        ledger.use([("f", rules), ("g", rules)])
        #expect(admit(&ledger, nil) == "limited")
        ledger.use([("f", [LimitRule(per: .user, max: 1, windowMilliseconds: 500)])])
        #expect(admit(&ledger, nil) == "perform")
        ledger.use([])
        #expect(admit(&ledger, nil) == "perform")
    }

    @Test func forgetsAnswersByTimeNumberAndSize() {
        var ledger = Ledger(CallBounds(answers: 3, answeredBytes: 5000))
        func answer(
            _ number: UInt8, _ bytes: Int = 1, until end: UnixSeconds = 100, now: UnixSeconds = 1
        ) {
            #expect(admit(&ledger, [number]) == "perform")
            _ = ledger.finish([number], Self.person, refusal(bytes), keepingUntil: end, now: now)
        }
        for number in 1...4 { answer(UInt8(number)) }
        #expect(
            (1...4).map { admit(&ledger, [UInt8($0)]) } == [
                "perform", "repeated", "repeated", "repeated",
            ])
        _ = ledger.finish([1], Self.person, refusal(1), keepingUntil: nil, now: 1)
        answer(5, 4000)
        #expect(
            (2...5).map { admit(&ledger, [UInt8($0)]) } == ["perform", "perform", "perform", "repeated"])
        for number in 2...4 {
            _ = ledger.finish([UInt8(number)], Self.person, refusal(1), keepingUntil: nil, now: 1)
        }
        // Larger than all together may be.
        answer(6, 6000)
        #expect(admit(&ledger, [6]) == "perform")
        _ = ledger.finish([6], Self.person, refusal(1), keepingUntil: nil, now: 1)
        // Its time is over when the next call ends.
        answer(7, now: 101)
        #expect((5...7).map { admit(&ledger, [UInt8($0)]) } == ["perform", "perform", "perform"])
    }

    @Test func forgetsAPersonsAnswers() {
        var ledger = Ledger()
        let other = CallWindows.Person(appID: "shop", userID: "user-2")
        for (key, person) in [([1], Self.person), ([2], other), ([3], Self.person)]
            as [([UInt8], CallWindows.Person)]
        {
            #expect(admit(&ledger, key) == "perform")
            _ = ledger.finish(key, person, refusal(1), keepingUntil: 100, now: 1)
        }
        ledger.forgetAnswers(to: Self.person)
        #expect([1, 2, 3].map { admit(&ledger, [$0]) } == ["perform", "repeated", "perform"])
        ledger.forgetAnswers(to: nil)
        #expect(admit(&ledger, [2]) == "perform")
    }
}
