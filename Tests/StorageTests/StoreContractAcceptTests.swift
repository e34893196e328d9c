import Core
import TestSupport
import Testing
import Threading
import Time

@Suite struct StoreContractAcceptTests {
    @Test(arguments: Backend.allCases) func `stores an event with its deliveries`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let sample = Sample(1).with { $0.data = [0, 255, 10] }
        #expect(try fixture.store.take(sample.incoming(to: ["log", "http"])) == .accepted)
        #expect(try fixture.store.all() == [sample.delivery(1, to: "http"), sample.delivery(0, to: "log")])
    }

    @Test(arguments: Backend.allCases) func `stores an event without deliveries`(_ backend: Backend) throws {
        let fixture = try backend.store()
        #expect(try fixture.store.take(Sample(1).incoming(to: [])) == .accepted)
        #expect(try fixture.store.take(Sample(1).incoming(to: [])) == .duplicate(of: Sample(1).event.id))
        #expect(try fixture.store.all() == [])
    }

    @Test(arguments: Backend.allCases) func `recognises a duplicate by its identity alone`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let first = try fixture.store.take(Sample(1).with { $0.comment = 7 })
        let again = Sample(2).with {
            $0.comment = 7
            $0.user = "other"
        }
        #expect(try fixture.store.take(again.incoming()) == .duplicate(of: first.event.id))
        #expect(try fixture.store.all() == [first])
    }

    @Test(arguments: Backend.allCases) func `detects concurrent duplicates`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let answers = Monitor<[Acceptance]>([])
        for number in 1...20 {
            let sample = Sample(number).with { $0.comment = 7 }
            fixture.store.accept(sample.incoming()) { result in
                answers.update { $0.append((try? result.get()) ?? .accepted) }
            }
        }
        let all = try #require(answers.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.count == 20 ? $0 : nil })
        #expect(all == [.accepted] + Array(repeating: .duplicate(of: Sample(1).event.id), count: 19))
        #expect(try fixture.store.all().count == 1)
    }

    @Test(arguments: Backend.allCases) func `each part of the identity distinguishes events`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let samples = [
            Sample(1).with { $0.comment = 5 }, Sample(2).with { $0.comment = 6 },
            Sample(3).with {
                $0.comment = 5
                $0.ticket = 2
            },
            Sample(4).with {
                $0.comment = 5
                $0.app = "other"
            },
            Sample(5).with {
                $0.comment = 5
                $0.device = "phone"
            },
        ]
        for sample in samples { #expect(try fixture.store.take(sample.incoming()) == .accepted) }
    }

    // Equal in Unicode but not in bytes, followed by a NUL and one more character.
    @Test(arguments: Backend.allCases) func `compares identifiers as bytes`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let spellings = ["caf\u{E9}", "cafe\u{301}", "caf\u{E9}\u{0}a", "caf\u{E9}\u{0}b"]
        for (number, spelling) in spellings.enumerated() {
            let sample = Sample(number).with {
                $0.comment = 1
                $0.device = spelling
                $0.notifier = spelling
            }
            #expect(try fixture.store.take(sample.incoming()) == .accepted)
        }
        #expect(try fixture.store.pending().map(\.count) == [1, 1, 1, 1])
        let claimed = try #require(try fixture.store.claim(spellings[1], at: 2000).first)
        #expect(claimed.event.identity.deviceID.utf8.elementsEqual(spellings[1].utf8))
    }

    @Test(arguments: Backend.allCases) func `stores extreme numbers`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for (number, value) in [Int64.min, -1, 0, Int64.max].enumerated() {
            let delivery = try fixture.store.take(
                Sample(number).with {
                    $0.ticket = HelpDeskID(value)
                    $0.comment = HelpDeskID(value)
                })
            #expect(try fixture.store.current(delivery) == delivery)
        }
    }

    @Test(arguments: Backend.allCases) func `compares the help desk's identities as bytes`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let long = try #require(HelpDeskID(String(repeating: "x", count: HelpDeskID.longest)))
        let identities = [7, "007", "+7", "caf\u{E9}", "cafe\u{301}", "CAF\u{E9}", long]
        for (number, identity) in identities.enumerated() {
            for (offset, (ticket, comment)) in [(identity, 1), (2, identity)].enumerated() {
                let sample = Sample(2 * number + offset).with {
                    ($0.ticket, $0.comment) = (ticket, comment)
                    $0.keepsOrder = true
                }
                let delivery = try fixture.store.take(sample)
                #expect(try fixture.store.current(delivery) == delivery)
                #expect(try fixture.store.take(sample.with { $0.number += 100 }.incoming()) == .duplicate(of: sample.event.id))
            }
        }
        for identity in identities {
            var filter = DeliveryFilter()
            filter.ticketID = identity
            #expect(try fixture.store.deliveries(filter, limit: 9).map(\.event.identity.ticketID) == [identity])
            filter = DeliveryFilter()
            (filter.appID, filter.commentID) = ("app", identity)
            #expect(try fixture.store.deliveries(filter, limit: 9).map(\.event.identity.commentID) == [identity])
        }
        // Each ticket has its own order: one delivery of ticket 2 is attempted, and all of the others.
        #expect(try fixture.store.claim(at: 2000).count == identities.count + 1)
    }

    @Test(arguments: Backend.allCases) func `rejects only an ID that is in use`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let first = Sample(1)
        try fixture.store.take(first)
        let thief = Event(
            id: first.event.id, kind: .commentCreated, identity: Sample(4).event.identity, userID: "user", occurredAt: 1, receivedAt: 1,
            expiresAt: 9, data: [])
        let answers = Monitor<[Bool]>([])
        for number in 2...6 {
            let incoming =
                number == 4 ? IncomingEvent(thief, to: Sample(4).incoming().subscriptions) : Sample(number).incoming(to: ["log", "log"])
            fixture.store.accept(incoming) { result in answers.update { $0.append((try? result.get()) == .accepted) } }
        }
        #expect(answers.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.count == 5 ? $0 : nil } == [true, true, false, true, true])
        #expect(try fixture.store.all().count == 9)
        #expect(try fixture.store.pending().map(\.count) == [9])
        #expect(try fixture.store.take(Sample(4).incoming(to: [])) == .accepted, "what was refused is not half there")
    }

    @Test(arguments: Backend.allCases) func `rejects events beyond the limit of pending deliveries`(_ backend: Backend) throws {
        let fixture = try backend.store(maxPending: 3)
        try fixture.store.take(Sample(1))
        let two = Sample(2)
        _ = try fixture.store.take(two.incoming(to: ["log", "log"]))
        #expect(fixture.store.refusal?.kind.rawValue == "queue_full")
        #expect(throws: StoreError.self) { try fixture.store.take(Sample(3)) }
        #expect(try fixture.store.take(Sample(1).incoming(to: [])) == .duplicate(of: Sample(1).event.id), "a duplicate needs no room")
        #expect(try fixture.store.take(Sample(4).incoming(to: [])) == .accepted, "neither does what nobody gets")
        let claimed = try #require(try fixture.store.claim(at: 2000, limit: 1).first)
        try fixture.store.report(claimed, next: .delivered, at: 2001)
        #expect(fixture.store.refusal == nil)
        try fixture.store.take(Sample(3))
        #expect(try fixture.store.pending().map(\.count) == [3])
    }
}
