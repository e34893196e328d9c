import Core
import Storage
import TestSupport
import Testing
import Time

@Suite struct ReportContractTests {
    private static let name = ConversationState.Name("ticket", "7")
    private static let person = AppUser(appID: "app", userID: "user")

    /// A report that counts the reports of its topic, with an event for each.
    private func report(
        _ number: Int, digest: String? = nil, at time: UnixMilliseconds = 1000, user: String = "user", remark: String? = nil,
        rating: Int64? = nil
    ) throws -> Report {
        let identity = try #require(Report.identity(appID: "app", digest: digest ?? "digest-\(number)"))
        var sample = Sample(number)
        (sample.user, sample.received) = (user, time)
        let incoming = sample.incoming()
        return Report(
            appID: "app", identity: identity, events: [incoming.event.identity], id: incoming.event.id, receivedAt: time,
            conversations: [Self.name],
            userID: user
        ) { conversations in
            if conversations[Self.name]?.isOfForgottenPerson == true { return .ignored(reason: nil) }
            let count = conversations[Self.name]?.data ?? []
            return .decided(
                conversations: [ConversationState(Self.name, userID: user, data: count + [UInt8(ascii: "x")])], incomingEvents: [incoming],
                remark: remark,
                rating: rating)
        }
    }

    private func asked(_ store: any Store) throws -> ConversationState? {
        let seen = Answer<ConversationState?>()
        let identity = try #require(Report.identity(appID: "app", digest: "question"))
        let report = Report(
            appID: "app", identity: identity, id: Sample(999).event.id, receivedAt: 1, conversations: [Self.name], userID: nil
        ) {
            seen.set(.success($0[Self.name]))
            return .undecided
        }
        #expect(try store.take(report) == .undecided)
        return try seen.get()
    }

    @Test(arguments: Backend.allCases) func `decides on the stored state`(_ backend: Backend) throws {
        let fixture = try backend.store()
        #expect(try asked(fixture.store) == nil)
        #expect(try fixture.store.take(report(1)) == .accepted(events: [Sample(1).event.id], remark: nil))
        let odd = try fixture.store.take(report(2, remark: "odd", rating: 4))
        #expect(odd == .accepted(events: [Sample(2).event.id], remark: "odd", rating: 4))
        #expect(try asked(fixture.store) == ConversationState(Self.name, userID: "user", data: Array("xx".utf8)))
        #expect(try fixture.store.all().map(\.event.id) == [Sample(2).event.id, Sample(1).event.id])
    }

    /// The route's cached snapshot did not have the revocation yet, and only the decision may have the person.
    @Test(arguments: Backend.allCases, [true, false]) func `a report about a forgotten user is ignored`(_ backend: Backend, _ isNamed: Bool)
        throws
    {
        let fixture = try backend.store()
        let former = try FormerUser(Self.person, salt: [UInt8](0..<32))
        try fixture.store.revoke(.sample(1, .formerUser(former)))
        let (made, other) = (try report(1), try report(2, user: "other"))
        let given = Report(
            appID: "app", identity: made.identity, events: made.events, id: made.id, receivedAt: 1000, conversations: made.conversations,
            userID: isNamed ? "user" : nil, decide: made.decide)
        #expect(try fixture.store.take(given) == .ignored(reason: nil))
        #expect(try asked(fixture.store) == nil)
        #expect(try fixture.store.all().isEmpty)
        #expect(try fixture.store.take(other) == .accepted(events: [Sample(2).event.id], remark: nil))
    }

    @Test(arguments: Backend.allCases) func `an ignored report has a reason and stores nothing`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let made = try report(1)
        let ignored = Report(
            appID: "app", identity: made.identity, events: made.events, id: made.id, receivedAt: 1000, conversations: made.conversations,
            userID: "user"
        ) { _ in .ignored(reason: "odd") }
        for _ in 1...2 { #expect(try fixture.store.take(ignored) == .ignored(reason: "odd")) }
        #expect(try asked(fixture.store) == nil)
        #expect(try fixture.store.take(made) == .accepted(events: [Sample(1).event.id], remark: nil))
    }

    @Test(arguments: Backend.allCases) func `deduplicates a body`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(report(1))
        #expect(try fixture.store.take(report(2, digest: "digest-1")) == .duplicate(of: [Sample(1).event.id]))
        // The event is a duplicate although the body differs: its topic changes, and it is not delivered again.
        #expect(try fixture.store.take(report(1, digest: "other")) == .accepted(events: [], remark: nil))
        #expect(try fixture.store.all().count == 1)
        #expect(try asked(fixture.store)?.data == Array("xx".utf8))
    }

    @Test(arguments: Backend.allCases) func `decides in order in one transaction`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let answers = try (1...20).map { number in
            let answer = Answer<ReportOutcome>()
            fixture.store.accept(try report(number), isAwaited: { true }) { answer.set($0) }
            return answer
        }
        for (index, answer) in answers.enumerated() {
            #expect(try answer.get() == .accepted(events: [Sample(index + 1).event.id], remark: nil))
        }
        #expect(try asked(fixture.store)?.data.count == 20)
    }

    @Test(arguments: Backend.allCases) func `changes nothing when the queue is full`(_ backend: Backend) throws {
        let fixture = try backend.store(maxPending: 1)
        _ = try fixture.store.take(report(1))
        #expect(throws: StoreError.self) { try fixture.store.take(report(2)) }
        #expect(try asked(fixture.store)?.data == Array("x".utf8))
        #expect(try fixture.store.take(report(3, digest: "digest-1")) == .duplicate(of: [Sample(1).event.id]))
    }

    @Test(arguments: Backend.allCases) func `changes nothing when no notifier would receive the event`(_ backend: Backend) throws {
        let fixture = try backend.store(perNotifier: 1)
        _ = try fixture.store.take(report(1))
        #expect(throws: StoreError.self) { try fixture.store.take(report(2)) }
        #expect(try asked(fixture.store)?.data == Array("x".utf8))
        #expect(try fixture.store.all().map(\.state) == [.pending])
    }

    /// Later reports about a forgotten user store nothing, although the store no longer has the user's name.
    @Test(arguments: Backend.allCases) func `removes the topics of a forgotten user`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(report(1))
        _ = try fixture.store.erase(Self.person, now: 2000, telling: .nobody)
        #expect(try asked(fixture.store) == ConversationState(Self.name, userID: "", data: ConversationState.forgottenPersonData))
        #expect(try fixture.store.proveErasure(of: PersonTraces(Self.person)).tables == [])
        #expect(try fixture.store.take(report(2)) == .ignored(reason: nil))
        #expect(try fixture.store.all() == [])
    }

    @Test(arguments: Backend.allCases) func `removes topics without recent reports`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(report(1))
        func purge(at now: UnixMilliseconds) throws -> Int {
            try fixture.store.purge(now: now, deliveredBefore: 0, deadBefore: 0, limit: 9)
        }
        #expect(try purge(at: 1000 + Deduplication.milliseconds) == 0)
        #expect(try asked(fixture.store) != nil)
        // PostgreSQL has a row for a topic that was only read.
        #expect(try purge(at: 1001 + Deduplication.milliseconds) >= 2, "the topic and the body")
        #expect(try asked(fixture.store) == nil)
    }

    @Test(arguments: Backend.allCases) func `an event without a user needs no device`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(report(1, user: ""))
        #expect(try fixture.store.all().map(\.state) == [.pending])
        #expect(try fixture.store.all().map(\.event.userID) == [""])
    }
}

extension Store {
    func take(_ report: Report) throws(StoreError) -> ReportOutcome {
        let answer = Answer<ReportOutcome>()
        accept(report, isAwaited: { true }) { answer.set($0) }
        return try answer.get()
    }
}
