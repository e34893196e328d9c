import Core
import TestSupport
import Testing

@testable import Sendbird

/// Webhooks that arrive out of order, from the body to the events in the store.
@Suite struct LateWebhookTests {
    private static let again = SendbirdBody.ticket(at: "10:00:01")
    private static let assigned = SendbirdBody.ticket(
        "TICKET.STATUS.UPDATED", status: "ACTIVE", at: "10:01:00", extra: #""recentAssignment":{"agent":{"id":5}},"#)

    @Test func `a late creation of a ticket is reported`() throws {
        let fixture = try SendbirdFixture()
        for body in [Self.assigned, SendbirdBody.ticket()] { #expect(shown(try fixture.desk(body)) == SendbirdFixture.accepted) }
        #expect(try fixture.events() == SendbirdFixture.created)
        #expect(shown(try fixture.desk(Self.again)) == SendbirdFixture.accepted)
        #expect(try fixture.events() == SendbirdFixture.created, "once")
        #expect(fixture.counts().contains(#"{app="APP",result="stale"} 1"#), "only the second one")
    }

    @Test(arguments: SharedStoreFixture.Kind.allCases) func `replicas report a late creation once`(_ kind: SharedStoreFixture.Kind) throws {
        let place = try SharedStoreFixture(kind)
        defer { place.close() }
        let first = try SendbirdFixture(shared: place.store())
        let second = try SendbirdFixture(shared: place.store())
        #expect(shown(try first.desk(Self.assigned)) == SendbirdFixture.accepted)
        #expect(try second.events() == [])
        #expect(shown(try second.desk(SendbirdBody.ticket())) == SendbirdFixture.accepted)
        #expect(try first.events() == SendbirdFixture.created)
        #expect(shown(try first.desk(Self.again)) == SendbirdFixture.accepted)
        #expect(try second.events() == SendbirdFixture.created, "once")
        #expect(first.counts().contains(#"{app="APP",result="stale"} 1"#))
    }

    @Test(arguments: SharedStoreFixture.Kind.allCases) func `a late creation is reported once across restarts`(
        _ kind: SharedStoreFixture.Kind
    )
        throws
    {
        let place = try SharedStoreFixture(kind)
        defer { place.close() }
        var reported: [[String]] = []
        for body in [Self.assigned, SendbirdBody.ticket(), Self.again] {
            let fixture = try SendbirdFixture(shared: place.store())
            #expect(shown(try fixture.desk(body)) == SendbirdFixture.accepted)
            reported.append(try fixture.events())
            place.restart()
        }
        #expect(reported == [[], SendbirdFixture.created, SendbirdFixture.created])
    }

    /// Receivers sort by id: a question that arrives after its answer gets the lower id.
    @Test func `the events of one webhook have ascending IDs`() throws {
        let fixture = try SendbirdFixture.known()
        for number in 1...20 {
            let id = "\(8_000_000_100 + number)"
            for (state, category) in [("CONFIRMED", "message_update"), ("WAITING", "message_send")] {
                #expect(shown(try fixture.chat(SendbirdBody.closure(state, category: category, id: id))) == SendbirdFixture.accepted)
            }
            let reported = try fixture.store.deliveries(DeliveryFilter(), limit: 1000).map(\.event)
                .filter { String(decoding: $0.data, as: UTF8.self).contains(id) }
            let asked = try #require(reported.first { $0.kind == .closureRequested })
            let confirmed = try #require(reported.first { $0.kind == .closureConfirmed })
            #expect(asked.id < confirmed.id)
        }
    }
}
