import Core
import TestSupport
import Testing

@testable import Sendbird

/// Webhooks that overtake each other, from the body to the events in the store.
@Suite struct LateWebhookTests {
    @Test func aTicketIsToldOfAsCreatedThoughItsCreationComesLate() throws {
        let fixture = try SendbirdFixture()
        let agent = #""recentAssignment":{"agent":{"id":5}},"#
        let assigned = SendbirdBody.ticket("TICKET.STATUS.UPDATED", status: "ACTIVE", at: "10:01:00", extra: agent)
        for body in [assigned, SendbirdBody.ticket()] { #expect(shown(try fixture.desk(body)) == SendbirdFixture.accepted) }
        #expect(try fixture.events() == SendbirdFixture.created)
        let again = SendbirdBody.ticket(at: "10:00:01")
        #expect(shown(try fixture.desk(again)) == SendbirdFixture.accepted)
        #expect(try fixture.events() == SendbirdFixture.created, "once")
        #expect(fixture.counts().contains(#"{app="APP",result="stale"} 1"#), "only the second one")
    }

    /// Receivers sort by ids: a question that was overtaken by its answer is told before it.
    @Test func theEventsOfOneWebhookHaveRisingIDs() throws {
        let fixture = try SendbirdFixture.known()
        for number in 1...20 {
            let id = "\(8_000_000_100 + number)"
            for (state, category) in [("CONFIRMED", "message_update"), ("WAITING", "message_send")] {
                #expect(shown(try fixture.chat(SendbirdBody.closure(state, category: category, id: id))) == SendbirdFixture.accepted)
            }
            let told = try fixture.store.deliveries(DeliveryFilter(), limit: 1000).map(\.event)
                .filter { String(decoding: $0.data, as: UTF8.self).contains(id) }
            let asked = try #require(told.first { $0.kind == .closureRequested })
            let confirmed = try #require(told.first { $0.kind == .closureConfirmed })
            #expect(asked.id < confirmed.id)
        }
    }
}
