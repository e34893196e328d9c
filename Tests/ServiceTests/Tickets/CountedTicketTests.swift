import Core
import JSON
import Simulators
import TestSupport
import Testing

@testable import Sendbird

/// The tickets counted for a customer's limit: those that were created, or may have been.
@Suite struct CountedTicketTests {
    /// A ticket that was certainly not created is not one of the ten in an hour.
    @Test(arguments: ["find_customer", "create_ticket"]) func `a ticket that is not created uses no limit`(_ request: String) throws {
        try TicketSite.with { site throws in
            site.faults.add(Fault(.answer(.init(429, retryAfter: "9")), at: .sendbirdDesk, token: request))
            for _ in 0...TicketLimits.creations.max { #expect(try site.call("create", ["title": "T"]).retryAfter == "9") }
            site.pass(milliseconds: 9000)
            for _ in 0..<TicketLimits.creations.max { #expect(try site.call("create", ["title": "T"]).status == 201) }
            #expect(try site.call("create", ["title": "T"]).retryAfter == "3600")
        }
    }

    /// A ticket may exist although the request failed without a clear response, so it is counted.
    @Test func `a ticket that may have been created is counted`() throws {
        try TicketSite.with { site throws in
            site.faults.add(Fault(.answer(.init(503)), at: .sendbirdDesk, token: "create_ticket", times: nil))
            for _ in 0..<TicketLimits.creations.max { #expect(try site.call("create", ["title": "T"]).status == 503) }
            #expect(try site.call("create", ["title": "T"]).retryAfter == "3600")
        }
    }
}
