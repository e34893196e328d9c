import Core
import JSON
import TestSupport
import Testing

@Suite struct TicketTests {
    private func draft(
        title: String? = "T", group: String? = nil, priority: String? = nil, fields: [TicketField] = [], related: [String] = [],
        message: String? = nil, userName: String? = nil
    ) throws -> TicketDraft {
        try TicketDraft(
            userID: "user-1", userName: userName, title: title, groupKey: group, priority: priority, fields: fields,
            relatedChannels: related,
            message: message)
    }

    private func problem(_ make: () throws -> TicketDraft) -> String? {
        do {
            _ = try make()
            return nil
        } catch {
            return (error as? TicketProblem)?.field
        }
    }

    @Test(arguments: [
        ("done", true), ("", false), ("a\nb", false), (String(repeating: "\u{1F600}", count: 250), true),
        (String(repeating: "\u{1F600}", count: 251), false),
    ])
    func `a comment of a closing is a short line`(_ comment: String, _ isGood: Bool) {
        #expect((try? Ticket.closeComment(wanted: comment)) == (isGood ? comment : nil))
    }

    @Test(arguments: [
        "", "a\nb", "a\u{0}b", String(repeating: "a", count: 81), String(repeating: "\u{1F600}", count: 41),
    ])
    func `a customer's name is a short line`(_ name: String) {
        #expect(problem { try draft(userName: name) } == "user_name")
    }

    @Test(arguments: ["M", "Мария", String(repeating: "\u{1F600}", count: 40)]) func `a customer's name is kept unchanged`(_ name: String)
        throws
    {
        #expect(try draft(userName: name).userName == name)
    }

    private static func fields(_ count: Int, key: String = "k", value: String = "v") -> [TicketField] {
        (0..<count).map { TicketField(key: "\(key)\($0)", value: value) }
    }

    @Test func `checks each part`() throws {
        #expect(problem { try draft(title: nil) } == "title")
        #expect(problem { try draft(title: "") } == "title")
        #expect(problem { try draft(title: "a\nb") } == "title")
        #expect(problem { try draft(title: String(repeating: "x", count: 101)) } == "title")
        #expect(problem { try draft(title: String(repeating: "x", count: 100)) } == nil)
        for group in ["", "CS", "a b", "ü", String(repeating: "x", count: 101)] {
            #expect(problem { try draft(group: group) } == "group_key")
        }
        #expect(problem { try draft(group: "cs-team_1") } == nil)
        #expect(problem { try draft(priority: "high") } == "priority")
        #expect(problem { try draft(priority: "URGENT") } == nil)
        #expect(problem { try draft(related: ["a", "b", "c", "d"]) } == "related_channels")
        #expect(problem { try draft(related: ["a,b"]) } == "related_channels")
        #expect(problem { try draft(related: [""]) } == "related_channels")
        #expect(problem { try draft(related: ["a", "b", "c"]) } == nil)
        #expect(problem { try draft(message: "") } == "message")
        #expect(problem { try draft(message: "a\u{0}") } == "message")
        #expect(problem { try draft(message: String(repeating: "x", count: 3001)) } == "message")
        #expect(problem { try draft(message: "two\nlines") } == nil)
    }

    @Test func `checks fields`() {
        let name = "custom_fields"
        #expect(problem { try draft(fields: Self.fields(20)) } == nil)
        #expect(problem { try draft(fields: Self.fields(21)) } == name)
        #expect(problem { try draft(fields: Self.fields(1, key: String(repeating: "k", count: 19))) } == nil)
        #expect(problem { try draft(fields: Self.fields(1, key: String(repeating: "k", count: 20))) } == name)
        #expect(problem { try draft(fields: Self.fields(1, value: String(repeating: "v", count: 190))) } == nil)
        #expect(problem { try draft(fields: Self.fields(1, value: String(repeating: "v", count: 191))) } == name)
        #expect(problem { try draft(fields: Self.fields(1, value: "")) } == nil)
        #expect(problem { try draft(fields: Self.fields(1, value: "a\nb")) } == name)
        for key in ["", "a:b", "a,b", "a\tb"] { #expect(problem { try draft(fields: [TicketField(key: key, value: "v")]) } == name) }
        #expect(problem { try draft(fields: [TicketField(key: "a", value: "1"), TicketField(key: "a", value: "2")]) } == name)
        // Equal in Unicode, but other bytes.
        #expect(problem { try draft(fields: [TicketField(key: "\u{e9}", value: "1"), TicketField(key: "e\u{301}", value: "2")]) } == nil)
    }

    @Test func `reports missing parts`() {
        let own = [TicketField(key: "a", value: "1"), TicketField(key: "b", value: "2")]
        #expect(own.missing(of: own).isEmpty)
        #expect(own.missing(of: [TicketField(key: "a", value: "2"), TicketField(key: "c", value: "1")]) == ["a", "c"])
        // A cleared field may be missing or empty, but must not have its former value.
        #expect(own.missing(of: [TicketField(key: "c", value: ""), TicketField(key: "b", value: "")]) == ["b"])
    }

    @Test func `its cursor survives a round trip`() {
        var cursor = TicketCursor()
        #expect(cursor.text == "0.0.0.0.0.0")
        #expect(TicketCursor(cursor.text) == cursor)
        cursor.pass(.idle)
        cursor.pass(.idle)
        cursor.pass(.closed)
        #expect(cursor.text == "0.0.0.2.0.1")
        #expect(TicketCursor(cursor.text) == cursor)
    }

    @Test(arguments: [
        ("SENDBIRD", true), ("FACEBOOK_CONVERSATION", true), ("next-2027", true), (String(repeating: "A", count: 64), true),
        (String(repeating: "A", count: 65), false), ("", false), ("A B", false), ("<b>", false), ("ВКонтакте", false), ("A\n", false),
        ("A\u{301}", false),
    ])
    func `the kind of a channel is a plain word`(_ text: String, _ isGood: Bool) {
        #expect(Ticket.channelType(text) == (isGood ? text : nil))
    }

    @Test func `related channels are compared as bytes, in any order`() {
        let related = [RelatedChannel("a", name: "A"), RelatedChannel("\u{e9}")]
        #expect(related.areExactly(["\u{e9}", "a"]))
        #expect(related.areExactly(["a", "\u{e9}", "a"]))
        #expect(!related.areExactly(["a"]))
        #expect(!related.areExactly(["a", "e\u{301}"]))
        #expect(!related.areExactly(["a", "\u{e9}", "c"]))
        #expect(!related.areExactly([]))
        #expect([RelatedChannel]().areExactly([]))
        #expect(related.at(["a", "c"]) == [related[0]])
    }

    @Test func `a customer sees the related channels of one ticket, if they are known`() {
        var ticket = Ticket(id: 1)
        ticket.relatedChannels = [RelatedChannel("not-joined", name: "Fraud")]
        let shown = ticket.customerJSON(related: [RelatedChannel("joined")])
        #expect(shown.members.map(\.key) == Ticket.shownMembers)
        #expect(shown["related_channels"] == [["channel": "joined", "name": .null]])
        #expect(ticket.customerJSON(related: nil)["related_channels"] == .null)
        #expect(ticket.json["related_channels"] == [["channel": "not-joined", "name": "Fraud"]])
    }

    /// A customer sees no notes of support or the company.
    @Test func `shows customers only permitted members`() {
        var ticket = Ticket(id: 9_007_199_254_740_993)
        ticket.userID = "user-1"
        ticket.fields = [TicketField(key: "note", value: "difficult")]
        ticket.groupKey = "fraud"
        ticket.channelType = "SENDBIRD"
        ticket.priority = .low
        let shown = String(decoding: JSONValue.object(ticket.customerJSON).serialized(), as: UTF8.self)
        #expect(ticket.customerJSON.members.map(\.key) == Ticket.customerMembers)
        #expect(ticket.json.members.map(\.key) == Ticket.members)
        for word in ["difficult", "fraud", "SENDBIRD", "LOW", "user-1"] { #expect(!shown.contains(word)) }
        #expect(shown.contains("9007199254740993"))
    }
}
