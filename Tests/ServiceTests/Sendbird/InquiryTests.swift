import Core
import Testing
import Time

@testable import Sendbird

/// The state machines of questions to the customer, with every cell of their tables.
@Suite struct InquiryTests {
    private static let waiting = InquiryAnswer(.waiting)
    private static let confirmed = InquiryAnswer(.confirmed)
    private static let declined = InquiryAnswer(.declined)
    private static let four = InquiryAnswer(.confirmed, score: 4, comment: "Fast")
    private static let two = InquiryAnswer(.confirmed, score: 2)

    private typealias Row = (known: [InquiryAnswer], arrives: InquiryAnswer, step: Inquiry.Step)

    private static let rows: [Row] = [
        ([], waiting, Inquiry.Step(isAsked: true)),
        ([], confirmed, Inquiry.Step(remark: .unasked)), ([], declined, Inquiry.Step(remark: .unasked)),
        ([waiting], waiting, Inquiry.Step(remark: .duplicate)),
        ([waiting], confirmed, Inquiry.Step(answer: confirmed)), ([waiting], declined, Inquiry.Step(answer: declined)),
        ([waiting, confirmed], waiting, Inquiry.Step(remark: .stale)),
        ([waiting, confirmed], confirmed, Inquiry.Step(remark: .duplicate)),
        ([waiting, confirmed], declined, Inquiry.Step(remark: .conflict)),
        ([waiting, declined], waiting, Inquiry.Step(remark: .stale)),
        ([waiting, declined], confirmed, Inquiry.Step(remark: .conflict)),
        ([waiting, declined], declined, Inquiry.Step(remark: .duplicate)),
        // Satisfaction.
        ([], four, Inquiry.Step(remark: .unasked)), ([waiting], four, Inquiry.Step(answer: four)),
        ([waiting, four], four, Inquiry.Step(remark: .duplicate)), ([waiting, four], two, Inquiry.Step(remark: .conflict)),
        ([waiting, four], InquiryAnswer(.confirmed, score: 4), Inquiry.Step(remark: .conflict)),
        ([waiting, four], waiting, Inquiry.Step(remark: .stale)),
        // The question arrived late: both are reported, in order.
        ([confirmed], waiting, Inquiry.Step(isAsked: true, answer: confirmed)),
        ([four], waiting, Inquiry.Step(isAsked: true, answer: four)),
        // The first answer is kept.
        ([confirmed, declined], waiting, Inquiry.Step(isAsked: true, answer: confirmed)),
        ([four, waiting], four, Inquiry.Step(remark: .duplicate)), ([four, waiting], waiting, Inquiry.Step(remark: .stale)),
    ]

    @Test(arguments: rows.indices) func `follows the table`(_ index: Int) {
        let row = Self.rows[index]
        var inquiry = Inquiry()
        for answer in row.known { _ = inquiry.take(answer) }
        // As the store returns it.
        var stored = Inquiry(ConversationState(ConversationState.Name("closure", "c/1"), userID: "", data: inquiry.data))
        #expect(stored == inquiry)
        #expect(stored.take(row.arrives) == row.step, "\(index)")
    }

    @Test func `unexpected answers become remarks`() {
        var inquiry = Inquiry()
        for answer in [Self.confirmed, Self.waiting, Self.waiting, Self.declined] { _ = inquiry.take(answer) }
        #expect(inquiry.remarks == 3)
    }

    @Test func `malformed data is ignored`() {
        for data in ["", "[]", #"{"state":7,"early":[]}"#, #"{"early":{"state":"LATER"}}"#] {
            #expect(Inquiry(ConversationState(ConversationState.Name("closure", "c/1"), userID: "", data: Array(data.utf8))) == Inquiry())
        }
    }
}

@Suite struct TicketStateTests {
    private struct LocalizedText {
        var type = "TICKET.STATUS.UPDATED"
        var status: String?
        var close: String?
        var group: HelpDeskID?
        var agent: HelpDeskID?
        var priority: String?
        var at: UnixMilliseconds?

        var ticket: ReportedTicket {
            ReportedTicket(id: 101, status: status, closeStatus: close, priority: priority, group: group, agent: agent)
        }
    }

    private static let created = LocalizedText(
        type: "TICKET.CREATED", status: "INITIALIZED", close: "NOT_CLOSED", group: "cs-team", at: 100)

    private func kinds(_ before: [LocalizedText], _ last: LocalizedText) -> (kinds: [Event.Kind], remark: DurableWebhookResult?) {
        var state = KnownTicket()
        for reported in before { _ = state.take(reported.ticket, type: reported.type, reportedAt: reported.at) }
        if !before.isEmpty {
            state = KnownTicket(ConversationState(ConversationState.Name("ticket", "101"), userID: "u", data: state.data))
        }
        let step = state.take(last.ticket, type: last.type, reportedAt: last.at)
        return (step.kinds, step.remark)
    }

    @Test func `reports changes`() {
        let taken = LocalizedText(status: "ACTIVE", close: "NOT_CLOSED", group: "cs-team", agent: 5, at: 200)
        let closed = LocalizedText(type: "TICKET.CLOSED", status: "CLOSED", close: "CLOSED_BY_AGENT", at: 300)
        #expect(kinds([], Self.created).kinds == [.ticketCreated])
        #expect(kinds([Self.created], Self.created).kinds == [])
        #expect(kinds([Self.created], LocalizedText(status: "PENDING", at: 150)).kinds == [.ticketUpdated])
        #expect(kinds([Self.created], taken).kinds == [.ticketAssigned])
        #expect(
            kinds([Self.created, LocalizedText(status: "PENDING", at: 150)], LocalizedText(status: "ACTIVE", at: 160)).kinds == [
                .ticketAssigned
            ])
        #expect(kinds([Self.created, taken], LocalizedText(agent: 6, at: 250)).kinds == [.ticketAssigned])
        #expect(
            kinds([Self.created, taken], LocalizedText(type: "TICKET.TRANSFERRED", group: "vip", at: 250)).kinds == [.ticketTransferred])
        #expect(kinds([Self.created, taken], LocalizedText(status: "IDLE", at: 250)).kinds == [.ticketUpdated])
        #expect(kinds([Self.created, taken], LocalizedText(priority: "HIGH", at: 250)).kinds == [.ticketUpdated])
        #expect(kinds([Self.created, taken], closed).kinds == [.ticketClosed])
        #expect(
            kinds([Self.created, taken, closed], LocalizedText(status: "PENDING", close: "NOT_CLOSED", at: 400)).kinds == [.ticketReopened])
        #expect(kinds([], closed).kinds == [.ticketClosed], "though nothing was heard of the ticket before")
        #expect(kinds([], taken).kinds == [], "nothing is known to have changed")
    }

    /// Webhooks may arrive out of order: the creation is reported once, when it arrives.
    @Test(arguments: [100, 200, 400, nil] as [UnixMilliseconds?]) func `a late creation is reported once`(at time: UnixMilliseconds?) {
        var created = Self.created
        created.at = time
        let before: [(String, [LocalizedText])] = [
            ("a change", [LocalizedText(status: "PENDING", at: 300)]),
            ("an assignment", [LocalizedText(status: "ACTIVE", agent: 5, at: 300)]),
            ("the end", [LocalizedText(type: "TICKET.CLOSED", status: "CLOSED", close: "CLOSED_BY_AGENT", at: 300)]),
            ("an unknown type", [LocalizedText(type: "TICKET.MERGED", priority: "HIGH", at: 300)]),
        ]
        for (name, earlier) in before {
            let late = kinds(earlier, created)
            #expect(late.kinds == [.ticketCreated], "after \(name)")
            #expect(late.remark == nil, "after \(name)")
            #expect(!kinds(earlier + [created], created).kinds.contains(.ticketCreated), "again after \(name)")
        }
    }

    @Test func `a late creation does not change the known state`() {
        let taken = LocalizedText(status: "ACTIVE", close: "NOT_CLOSED", group: "vip", agent: 5, at: 300)
        var created = Self.created
        created.at = nil
        #expect(kinds([taken, created], taken).kinds == [])
        #expect(kinds([taken, created], LocalizedText(status: "IDLE", at: 200)).remark == .stale)
    }

    @Test func `an older webhook is stale`() {
        let closed = LocalizedText(type: "TICKET.CLOSED", status: "CLOSED", close: "CLOSED_BY_AGENT", at: 300)
        let late = kinds([Self.created, closed], LocalizedText(status: "ACTIVE", close: "NOT_CLOSED", at: 200))
        #expect(late.kinds == [])
        #expect(late.remark == .stale)
        #expect(kinds([Self.created, closed], LocalizedText(close: "NOT_CLOSED", at: nil)).kinds == [.ticketReopened])
    }
}
