import Core
import HTTPServer
import TestSupport
import Testing

@testable import Sendbird

/// Questions and ratings on several replicas and across restarts, with every kind of store.
@Suite struct RatingReplicaTests {
    private static func rating(_ score: Int, sender: String? = "sendbird_desk_agent_id_1", id: String = "8000000003") -> String {
        let body = #""state":"CONFIRMED","customerSatisfactionScore":\#(score)"#
        return SendbirdBody.satisfaction(body, category: "message_update", id: id, sender: sender)
    }

    private static func question(sender: String? = "sendbird_desk_agent_id_1", id: String = "8000000003") -> String {
        SendbirdBody.satisfaction(#""state":"WAITING""#, id: id, sender: sender)
    }

    private func counted(_ fixture: SendbirdFixture) -> Int {
        let lines = fixture.metricsText().split(separator: "\n").filter { $0.hasPrefix("deskgate_ticket_ratings_total{app=\"APP\"") }
        return lines.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }

    private func ratings(_ fixture: SendbirdFixture) throws -> Int {
        try fixture.events().filter { $0.hasPrefix("ticket.rated ") && $0.contains(" log ") }.count
    }

    @Test(arguments: SharedStoreFixture.Kind.allCases) func `a rating follows support's question, once`(
        _ shared: SharedStoreFixture.Kind
    ) throws {
        let place = try SharedStoreFixture(shared)
        defer { place.close() }
        let first = try SendbirdFixture(shared: place.store())
        let second = try SendbirdFixture(shared: place.store())
        #expect(shown(try first.desk(SendbirdBody.ticket())) == SendbirdFixture.accepted)
        // The customer sends the question, and answers it.
        #expect(shown(try first.chat(Self.question(sender: "user-1", id: "1"))) == SendbirdFixture.ignored)
        for score in 1...5 {
            #expect(shown(try second.chat(Self.rating(score, sender: "user-1", id: "1"))) == SendbirdFixture.accepted)
        }
        #expect(try ratings(first) == 0)
        #expect(shown(try first.chat(Self.question())) == SendbirdFixture.accepted)
        #expect(shown(try second.chat(Self.rating(4))) == SendbirdFixture.accepted)
        // Sendbird repeats both webhooks, and the customer rates again.
        #expect(shown(try second.chat(Self.question())) == SendbirdFixture.duplicate)
        #expect(shown(try first.chat(Self.rating(4))) == SendbirdFixture.duplicate)
        #expect(shown(try first.chat(Self.rating(5))) == SendbirdFixture.accepted)
        #expect(try ratings(second) == 1)
        #expect(counted(first) + counted(second) == 1)
    }

    @Test(arguments: SharedStoreFixture.Kind.allCases) func `a question and its rating survive a restart`(
        _ shared: SharedStoreFixture.Kind
    )
        throws
    {
        let place = try SharedStoreFixture(shared)
        defer { place.close() }
        do {
            let fixture = try SendbirdFixture(shared: place.store())
            #expect(shown(try fixture.desk(SendbirdBody.ticket())) == SendbirdFixture.accepted)
            #expect(shown(try fixture.chat(Self.question())) == SendbirdFixture.accepted)
        }
        place.restart()
        do {
            let fixture = try SendbirdFixture(shared: place.store())
            #expect(shown(try fixture.chat(Self.rating(4))) == SendbirdFixture.accepted)
            #expect(try ratings(fixture) == 1)
        }
        place.restart()
        let fixture = try SendbirdFixture(shared: place.store())
        #expect(shown(try fixture.chat(Self.rating(1))) == SendbirdFixture.accepted)
        #expect(try ratings(fixture) == 1)
        #expect(fixture.counts().contains(#"{app="APP",result="conflict"} 1"#))
        #expect(counted(fixture) == 0)
    }
}
