import Core
import JSON
import Simulators
import TestSupport
import Testing

@testable import Sendbird

/// The tickets that count for a customer's limit: those that were made, or may have been.
@Suite struct CountedTicketTests {
    /// A ticket that was surely not made is none of the ten of an hour.
    @Test(arguments: ["find_customer", "create_ticket"]) func `a ticket that is not made counts for no limit`(_ request: String) throws {
        try TicketSite.with { site throws in
            site.faults.add(Fault(.answer(.init(429, retryAfter: "9")), at: .sendbirdDesk, token: request))
            for _ in 0...TicketLimits.creations.max { #expect(try site.call("create", ["title": "T"]).retryAfter == "9") }
            site.pass(milliseconds: 9000)
            for _ in 0..<TicketLimits.creations.max { #expect(try site.call("create", ["title": "T"]).status == 201) }
            #expect(try site.call("create", ["title": "T"]).retryAfter == "3600")
        }
    }

    /// A ticket may exist although the request failed without a clear answer, so it counts.
    @Test func `a ticket that may have been made counts`() throws {
        try TicketSite.with { site throws in
            site.faults.add(Fault(.answer(.init(503)), at: .sendbirdDesk, token: "create_ticket", times: nil))
            for _ in 0..<TicketLimits.creations.max { #expect(try site.call("create", ["title": "T"]).status == 503) }
            #expect(try site.call("create", ["title": "T"]).retryAfter == "3600")
        }
    }
}
