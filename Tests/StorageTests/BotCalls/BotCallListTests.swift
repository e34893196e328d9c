import Core
import Storage
import TestSupport
import Testing
import Time

@Suite struct BotCallListTests {
    private static let outcomes: [BotCall.Outcome] = [.succeeded, .refused, .failed, .limited]

    /// Calls with names and times in all combinations, several at one time, and not ordered by time.
    private static let calls: [BotCall] = (0..<240).map { number in
        let at = UnixMilliseconds(rawValue: 1000 + UInt64(number * 7 % 60))
        let outcome = outcomes[number % 4]
        return BotCall.sample(
            number, app: number % 5 == 0 ? "other" : "app", user: "user-\(number % 3)", bot: number % 2 == 0 ? "shop" : "help",
            function: "f-\(number % 7)", at: at, number % 11 == 0 ? nil : BotCall.Ending(outcome, at: at))
    }

    private func filled(_ backend: Backend, eventsPerStep: Int64 = 20_000) throws -> StoreFixture {
        let fixture = try backend.store {
            $0.eventsPerStep = eventsPerStep
            $0.searchMilliseconds = WaitLimit.milliseconds
        }
        try fixture.store.beginAll(Self.calls)
        return fixture
    }

    /// The matches by the rule itself; of one time, the one that was stored later comes first.
    private func expected(_ filter: BotCallFilter) -> [BotCall] {
        Self.calls.enumerated().filter { matches(filter, $0.element) }.sorted { ($0.element.at, $0.offset) > ($1.element.at, $1.offset) }
            .map(\.element)
    }

    private func matches(_ filter: BotCallFilter, _ call: BotCall) -> Bool {
        (filter.appID ?? call.appID) == call.appID && (filter.userID ?? call.userID) == call.userID
            && (filter.bot ?? call.bot) == call.bot && (filter.function ?? call.function) == call.function
            && (filter.outcome ?? call.outcome) == call.outcome && call.at >= filter.since ?? 0
    }

    private static let filters: [BotCallFilter] = [nil, "app", "none"].flatMap { app in
        [nil, "user-1"].flatMap { user in
            [nil, "shop"].flatMap { bot in
                [nil, BotCall.Outcome.failed, .started].flatMap { outcome in
                    [nil, UnixMilliseconds(rawValue: 1030)].map { since in
                        var filter = BotCallFilter()
                        (filter.appID, filter.userID, filter.bot, filter.outcome, filter.since) = (app, user, bot, outcome, since)
                        filter.function = bot == nil ? nil : "f-2"
                        return filter
                    }
                }
            }
        }
    }

    @Test(arguments: Backend.allCases) func `finds matching calls`(_ backend: Backend) throws {
        let fixture = try filled(backend)
        for filter in Self.filters { #expect(try fixture.store.allCalls(filter) == expected(filter), "\(filter)") }
    }

    @Test(arguments: Backend.allCases, [1, 7, 240]) func `calls are listed page by page`(_ backend: Backend, limit: Int) throws {
        let fixture = try filled(backend)
        #expect(try fixture.store.allCalls(pages: limit) == expected(BotCallFilter()))
        var filter = BotCallFilter()
        filter.outcome = .refused
        #expect(try fixture.store.allCalls(filter, pages: limit) == expected(filter))
    }

    /// A step without a match is followed by the next one.
    @Test(arguments: Backend.allCases, [1, 3, 50]) func `a search continues in steps`(_ backend: Backend, rows: Int64) throws {
        let fixture = try filled(backend, eventsPerStep: rows)
        for filter in Self.filters.filter({ $0.function != nil || $0.outcome == .failed }) {
            #expect(try fixture.store.allCalls(filter, pages: 2) == expected(filter), "\(filter)")
        }
    }

    /// A search that reaches its time limit returns its next start.
    @Test(arguments: [Backend.sqlite, .postgres]) func `a long search ends its page`(_ backend: Backend) throws {
        let fixture = try backend.store {
            $0.eventsPerStep = 10
            $0.searchMilliseconds = 0
        }
        try fixture.store.beginAll(Self.calls)
        var filter = BotCallFilter()
        filter.bot = "none"
        let page = try fixture.store.botCalls(filter, after: nil, limit: 5)
        #expect(page.calls == [])
        #expect(page.next != nil)
        #expect(try fixture.store.allCalls(filter) == [])
        filter.bot = "shop"
        #expect(try fixture.store.allCalls(filter) == expected(filter))
    }

    @Test(arguments: Backend.allCases) func `keeps its position when calls are added`(_ backend: Backend) throws {
        let fixture = try filled(backend)
        let first = try fixture.store.botCalls(BotCallFilter(), after: nil, limit: 100)
        try fixture.store.begin(.sample(900, at: 9000))
        let cursor = try #require(first.next.flatMap { BotCallCursor($0.description) })
        let second = try fixture.store.botCalls(BotCallFilter(), after: cursor, limit: 140)
        #expect(first.calls + second.calls == expected(BotCallFilter()))
        #expect(second.next == nil)
    }

    @Test(arguments: ["", "1", "1-", "-1-2", "1-2-3", "a-b", "1--2", "99999999999999999999-1"]) func `refuses another cursor`(
        _ text: String
    ) {
        #expect(BotCallCursor(text) == nil)
    }
}
