import Core
import Testing
import Time

@Suite struct StoreContractListTests {
    /// Ten deliveries that differ in every property that filters compare: pending, delivered and dead ones.
    private func filled(_ backend: Backend) throws -> StoreFixture {
        let fixture = try backend.store()
        for number in 0..<10 {
            try fixture.store.take(
                Sample(number).with {
                    $0.app = number < 5 ? "a" : "b"
                    $0.user = number < 3 ? "ann" : "bob"
                    $0.ticket = HelpDeskID(Int64(number / 2))
                    $0.notifier = number.isMultiple(of: 2) ? "log" : "http"
                    $0.received = 1000 + UInt64(number)
                    $0.kind = number % 3 == 0 ? .ticketRated : .commentCreated
                })
        }
        for delivery in try fixture.store.claim(at: 2000, limit: 3) {
            try fixture.store.report(delivery, next: .delivered, reason: "ok", at: 2001)
        }
        for delivery in try fixture.store.claim("http", at: 2000, limit: 2) {
            try fixture.store.report(delivery, next: .dead, reason: "no", at: 2001)
        }
        return fixture
    }

    private static let filters: [@Sendable (DeliveryFilter) -> DeliveryFilter] = [
        { $0 },
        { $0.with { $0.id = Sample(3).delivery().id } },
        {
            $0.with {
                $0.id = Sample(3).delivery().id
                $0.notifier = "log"
            }
        },
        { $0.with { $0.id = UUIDv7(milliseconds: 77, number: 7) } },
        { $0.with { $0.state = .pending } },
        { $0.with { $0.state = .delivered } },
        { $0.with { $0.state = .dead } },
        { $0.with { $0.kind = .commentCreated } },
        { $0.with { $0.kind = .ticketRated } },
        { $0.with { $0.kind = .ticketClosed } },
        {
            $0.with {
                $0.kind = .ticketRated
                $0.state = .dead
            }
        },
        { $0.with { $0.appID = "b" } },
        { $0.with { $0.userID = "ann" } },
        { $0.with { $0.ticketID = 2 } },
        { $0.with { $0.commentID = 8 } },
        { $0.with { $0.notifier = "http" } },
        { $0.with { $0.reason = "no" } },
        { $0.with { $0.reason = "" } },
        { $0.with { $0.receivedFrom = 1004 } },
        { $0.with { $0.receivedBefore = 1004 } },
        { $0.with { $0.receivedFrom = .max } },
        {
            $0.with {
                $0.appID = "a"
                $0.ticketID = 1
            }
        },
        {
            $0.with {
                $0.appID = "a"
                $0.commentID = 3
            }
        },
        {
            $0.with {
                $0.appID = "a"
                $0.ticketID = 2
                $0.notifier = "log"
                $0.receivedFrom = 1002
                $0.receivedBefore = 1009
            }
        },
        {
            $0.with {
                $0.state = .pending
                $0.userID = "bob"
                $0.notifier = "http"
            }
        },
    ]

    @Test(arguments: Backend.allCases, filters.indices) func `finds matching deliveries`(_ backend: Backend, filter: Int) throws {
        let fixture = try filled(backend)
        let filter = Self.filters[filter](DeliveryFilter())
        let expected = try fixture.store.all().filter { Self.matches(filter, $0) }
        #expect(try fixture.store.deliveries(filter, limit: 100) == expected)
        #expect(try fixture.store.deliveries(filter, limit: 1) == Array(expected.prefix(1)))
        #expect(try fixture.store.deliveries(filter, limit: 0) == [])
    }

    @Test(arguments: Backend.allCases) func `lists the newest first`(_ backend: Backend) throws {
        let fixture = try filled(backend)
        #expect(try fixture.store.all().map(\.event.identity.commentID) == (0..<10).reversed().map { HelpDeskID($0) })
        #expect(try fixture.store.deliveries(DeliveryFilter(), limit: 3).map(\.event.identity.commentID) == [9, 8, 7])
    }

    @Test(arguments: Backend.allCases, filters.indices) func `retries matching dead deliveries`(_ backend: Backend, filter: Int) throws {
        let fixture = try filled(backend)
        let filter = Self.filters[filter](DeliveryFilter())
        let dead = try fixture.store.all().filter { $0.state == .dead && Self.matches(filter, $0) }
        #expect(try fixture.store.retryAll(filter, now: 5000, expiresAt: 60_000).retried == dead.count)
        for delivery in dead {
            let revived = try #require(try fixture.store.current(delivery))
            #expect((revived.state, revived.dueAt, revived.endedAt, revived.attempts) == (.pending, 5000, nil, 1))
            #expect(revived.event.expiresAt == 60_000)
        }
        #expect(try fixture.store.all().count { $0.state == .dead } == 2 - dead.count)
    }

    @Test(arguments: Backend.allCases) func `returns no attempts of a missing delivery`(_ backend: Backend) throws {
        let fixture = try filled(backend)
        #expect(try fixture.store.story(of: UUIDv7(milliseconds: 77, number: 7)) == nil)
    }

    private static func matches(_ filter: DeliveryFilter, _ delivery: Delivery) -> Bool {
        let wanted: [(String?, String)] = [
            (filter.appID, delivery.event.identity.appID), (filter.userID, delivery.event.userID),
            (filter.kind?.rawValue, delivery.event.kind.rawValue), (filter.notifier, delivery.notifier), (filter.reason, delivery.reason),
            (filter.state?.rawValue, delivery.state.rawValue),
            (filter.id?.description, delivery.id.description),
            (filter.ticketID?.description, delivery.event.identity.ticketID?.description ?? ""),
            (filter.commentID?.description, delivery.event.identity.commentID?.description ?? ""),
        ]
        let received = delivery.event.receivedAt
        let isInTime = (filter.receivedFrom ?? 0) <= received && received < filter.receivedBefore ?? .max
        return isInTime && wanted.allSatisfy { wanted, actual in wanted == nil || wanted == actual }
    }
}

extension DeliveryFilter {
    fileprivate func with(_ change: (inout DeliveryFilter) -> Void) -> DeliveryFilter {
        var copy = self
        change(&copy)
        return copy
    }
}
