import Core
import Storage
import TestSupport
import Testing
import Time

/// The search for a name in all apps, for every kind of store.
@Suite struct NameSearchContractTests {
    private static let all = Set(NameMatch.Kind.allCases)

    /// All matches as sorted texts, and the number of pages.
    private func search(
        _ store: any Store, name: String, kinds: Set<NameMatch.Kind>? = nil, limit: Int = 100
    ) throws -> (found: [String], pages: Int) {
        var (found, pages) = (Set<String>(), 0)
        var after: NameCursor?
        repeat {
            let page = try store.search(for: NameQuery(name, kinds: kinds ?? Self.all), after: after, limit: limit)
            found.formUnion(page.matches.map { "\($0.kind) \($0.source) \($0.appID) \($0.userID ?? "-")" })
            (after, pages) = (page.next, pages + 1)
        } while after != nil
        return (found.sorted(), pages)
    }

    /// Stores the name as a different kind of object in each app.
    private func fill(_ store: any Store) throws {
        try store.put("T1", app: "app1", user: "ann", device: "phone")
        try store.revoke(.sample(1, appID: "app2", .user("ann")))
        try store.revoke(.sample(2, appID: "app3", .user("ann"), issuedBefore: 1_700_000_000))
        let name: HelpDeskID = "ann"
        try store.takeAll([
            Sample(1).with { ($0.app, $0.user) = ("app4", "ann") }, Sample(2).with { ($0.app, $0.comment) = ("app5", name) },
            Sample(3).with { ($0.app, $0.ticket) = ("app6", name) },
        ])
        try store.put("T2", app: "app7", user: "bob", device: "ann")
        // Objects without the name.
        try store.put("T3", app: "app7", user: "an", device: "anne")
        try store.revoke(.sample(3, appID: "app7", .user("anna")))
        try store.take(Sample(4))
    }

    private static let matches = [
        "comment delivery app5 -", "device device app7 bob", "ticket delivery app6 -", "user block app2 ann", "user delivery app4 ann",
        "user device app1 ann", "user revocation app3 ann",
    ]

    @Test(arguments: Backend.allCases) func `finds every object with the name`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        let (found, pages) = try search(fixture.store, name: "ann")
        #expect(found == Self.matches)
        #expect(pages == 1)
        #expect(try search(fixture.store, name: "nobody").found.isEmpty)
    }

    @Test(arguments: Backend.allCases, NameMatch.Kind.allCases)
    func `finds only the requested kind`(_ backend: Backend, _ kind: NameMatch.Kind) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        #expect(try search(fixture.store, name: "ann", kinds: [kind]).found == Self.matches.filter { $0.hasPrefix("\(kind) ") })
    }

    /// The first page contains the blocked user for any number of apps.
    @Test(arguments: Backend.allCases) func `finds a user who is blocked in one of many apps`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...30 as ClosedRange<UInt64> {
            try fixture.store.revoke(.sample(number, appID: "app\(number)", .user(number == 25 ? "ann" : "bob")))
        }
        let page = try fixture.store.search(for: NameQuery("ann", kinds: Self.all), after: nil, limit: 1)
        #expect(page == NamePage([NameMatch(.user, in: .block, appID: "app25", userID: "ann")], next: nil))
    }

    /// Pages end after a step of two rows here, and omit nothing.
    @Test(arguments: Backend.allCases) func `continues from page to page`(_ backend: Backend) throws {
        let fixture = try backend.store {
            $0.searchMilliseconds = 0
            $0.eventsPerStep = 2
        }
        try fill(fixture.store)
        for app in 1...3 {
            for user in 1...4 { try fixture.store.put("T\(app)\(user)", app: "app\(app)", user: "user\(user)", device: "shared") }
        }
        try fixture.store.takeAll((10...20).map { number in Sample(number).with { $0.user = number == 11 ? "ann" : "user" } })
        let (found, pages) = try search(fixture.store, name: "ann")
        #expect(found == (Self.matches + ["user delivery app ann"]).sorted())
        // The reference store finds everything on one page.
        #expect((pages > 1) == (backend != .memory))
        for limit in [1, 2, 5, 12, 13] {
            let (found, pages) = try search(fixture.store, name: "shared", kinds: [.device], limit: limit)
            let expected = (1...3).flatMap { app in (1...4).map { "device device app\(app) user\($0)" } }
            #expect(found == expected, "\(limit) a page")
            #expect(pages >= 12 / limit)
        }
    }

    @Test(arguments: Backend.allCases) func `a device that has signed out is not found`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("T1", user: "ann", device: "phone", at: 1000)
        try fixture.store.put(nil, user: "ann", device: "phone", at: 2000)
        let users = try search(fixture.store, name: "ann").found
        #expect(users == ["user delivery app ann"], "the news of the registrations")
        #expect(try search(fixture.store, name: "phone").found.isEmpty)
    }

    /// The digest of a forgotten user is not searched.
    @Test(arguments: Backend.allCases) func `a forgotten user is not found`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for revocation in Revocation.samples(appID: "app") { try fixture.store.revoke(revocation) }
        let former = try #require(
            Revocation.samples(appID: "app").compactMap { revocation in
                if case .formerUser(let former) = revocation.subject { former.name } else { nil }
            }.first)
        #expect(try search(fixture.store, name: former).found.isEmpty)
    }

    @Test(arguments: Backend.allCases) func `names are compared as bytes`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for (number, name) in ["e\u{301}", "\u{e9}", "a\u{0}\u{1}%_"].enumerated() {
            try fixture.store.revoke(.sample(UInt64(number + 1), appID: name, .user(name)))
        }
        for name in ["e\u{301}", "\u{e9}", "a\u{0}\u{1}%_"] {
            let page = try fixture.store.search(for: NameQuery(name, kinds: Self.all), after: nil, limit: 9)
            #expect(page == NamePage([NameMatch(.user, in: .block, appID: name, userID: name)], next: nil))
        }
    }
}
