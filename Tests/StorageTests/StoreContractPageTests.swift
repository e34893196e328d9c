import Core
import Storage
import Testing
import Time

@Suite struct StoreContractPageTests {
    private func pages(_ store: any Store, _ filter: DeliveryFilter, limit: Int) throws -> [[UUIDv7]] {
        var pages: [[UUIDv7]] = []
        var after: DeliveryCursor?
        repeat {
            let page = try store.page(of: filter, after: after, limit: limit)
            pages.append(page.deliveries.map(\.id))
            after = page.next
        } while after != nil
        return pages
    }

    /// Each event has three deliveries, so that pages end within events.
    private func fill(_ store: any Store) throws {
        for number in 1...7 { _ = try store.take(Sample(number).incoming(to: ["a", "b", "c"])) }
    }

    private static let filters: [(DeliveryFilter, count: Int)] = {
        var (notifier, comment, ticket, delivery, state) =
            (DeliveryFilter(), DeliveryFilter(), DeliveryFilter(), DeliveryFilter(), DeliveryFilter())
        notifier.notifier = "b"
        (comment.appID, comment.commentID) = ("app", 4)
        (ticket.appID, ticket.ticketID) = ("app", 1)
        delivery.id = Sample(3).delivery(1).id
        state.state = .dead
        return [(DeliveryFilter(), 21), (notifier, 7), (comment, 3), (ticket, 21), (delivery, 1), (state, 0)]
    }()

    @Test(arguments: Backend.allCases, filters.indices)
    func `contain each delivery once in the order of the whole list`(_ backend: Backend, _ index: Int) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        let (filter, count) = Self.filters[index]
        let whole = try fixture.store.deliveries(filter, limit: 100).map(\.id)
        #expect(whole.count == count)
        for limit in [1, 2, 5, 21, 22] {
            let pages = try pages(fixture.store, filter, limit: limit)
            #expect(pages.flatMap { $0 } == whole, "\(limit) a page")
            #expect(pages.count == max(1, (count + limit - 1) / limit), "none is empty but the only one")
        }
    }

    /// A search with few matches ends its page after a step, here of two events: pages may be short or empty, but omit nothing.
    @Test(arguments: Backend.allCases, filters.indices)
    func `of a long search are short and contain each delivery once`(_ backend: Backend, _ index: Int) throws {
        let fixture = try backend.store {
            $0.searchMilliseconds = 0
            $0.eventsPerStep = 2
        }
        try fill(fixture.store)
        let (filter, count) = Self.filters[index]
        let reference = try Backend.memory.store()
        try fill(reference.store)
        let whole = try reference.store.deliveries(filter, limit: 100).map(\.id)
        #expect(whole.count == count)
        for limit in [1, 2, 5, 7, 21, 22] {
            let found = try pages(fixture.store, filter, limit: limit).flatMap { $0 }
            #expect(found == whole, "\(limit) a page")
        }
    }

    @Test(arguments: Backend.allCases) func `of a long search contain the next start`(_ backend: Backend) throws {
        let fixture = try backend.store {
            $0.searchMilliseconds = 0
            $0.eventsPerStep = 2
        }
        try fill(fixture.store)
        var filter = DeliveryFilter()
        filter.userID = "nobody"
        let first = try fixture.store.page(of: filter, after: nil, limit: 5)
        #expect(first.deliveries.isEmpty)
        // The reference store finds everything on one page.
        #expect((first.next == nil) == (backend == .memory))
        #expect(try pages(fixture.store, filter, limit: 5).allSatisfy(\.isEmpty))
    }

    @Test(arguments: Backend.allCases) func `are stable when deliveries are added or removed`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        let whole = try fixture.store.all().map(\.id)
        let first = try fixture.store.page(of: DeliveryFilter(), after: nil, limit: 4)
        #expect(first.deliveries.map(\.id) == Array(whole.prefix(4)))
        for name in ["a", "b", "c"] {
            #expect(try fixture.store.giveUpPending(notifier: name, now: 2000, limit: 5) == 5)
        }
        #expect(try fixture.store.forget(.dead, endedBefore: 3000, limit: 1000) == 15)
        _ = try fixture.store.take(Sample(8).incoming(to: ["a"]))
        let second = try fixture.store.page(of: DeliveryFilter(), after: first.next, limit: 4)
        #expect(second.deliveries.map(\.id) == Array(whole[4..<6]))
        #expect(second.next == nil)
    }

    @Test func `have a cursor that survives a round trip`() {
        let cursor = DeliveryCursor(event: 12, position: 3)
        #expect(DeliveryCursor(cursor.description) == cursor)
        for text in ["", "12", "12-", "-3", "12-3-4", "a-3", "12--3", "99999999999999999999-1"] {
            #expect(DeliveryCursor(text) == nil, "\(text)")
        }
    }
}
