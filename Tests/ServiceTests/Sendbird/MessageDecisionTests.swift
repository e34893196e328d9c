import Core
import POSIX
import TestSupport
import Testing

@testable import Sendbird

@Suite struct MessageDecisionTests {
    private typealias Writer = MessageCases.Writer

    private static func inquiry(_ known: [InquiryAnswer]) -> Inquiry {
        var inquiry = Inquiry()
        for answer in known { _ = inquiry.take(answer) }
        return inquiry
    }

    private static func word(_ form: MessageCases.Form, from sender: MessageCases.Sender, _ memory: StoredChatFacts) throws -> String {
        try #require(try form.webhook(from: sender)).decision(memory).word
    }

    @Test(arguments: MessageCases.all.indices) func `each writer causes the results in the table`(_ index: Int) throws {
        let row = MessageCases.all[index]
        let memory = StoredChatFacts(owner: MessageCases.ticketOwner, isDeskAsked: false, inquiry: Self.inquiry(row.known))
        for (writer, expected) in zip(Writer.allCases, row.results) {
            for form in row.forms {
                for sender in writer.senders(form) {
                    #expect(try Self.word(form, from: sender, memory) == expected, "\(row.message): \(sender) \(form)")
                }
            }
        }
    }

    /// The rows of the tables below a heading of docs/SENDBIRD.md, without the table heads.
    private static func rows(below heading: String) throws -> [[String]] {
        let page = String(decoding: try File.read("\(packageRoot)/docs/SENDBIRD.md", limit: 1 << 20).bytes, as: UTF8.self)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let section = lines.drop { $0 != "### \(heading)" }.dropFirst().prefix { !$0.hasPrefix("#") }
        let tables = section.split { !$0.hasPrefix("|") }
        return tables.map { $0.dropFirst(2).map(String.init) }
    }

    @Test func `the page has the same tables`() throws {
        let tables = try Self.rows(below: "Allowed senders")
        #expect(tables.count == 2)
        #expect(tables.first == MessageCases.all.map(\.row))
        #expect(tables.last == Self.owners.map { "| \($0.message) | \($0.results.joined(separator: " | ")) |" })
    }

    private typealias OwnerCase = (message: String, form: MessageCases.Form, sender: MessageCases.Sender, results: [String])

    /// Knowledge of the owner: Desk has reported the ticket, only the members show a customer, or nothing does.
    private static let owners: [OwnerCase] = {
        let question = #"{"type":"SENDBIRD_DESK_INQUIRE_TICKET_CLOSURE","body":{"state":"WAITING"}}"#
        let urgent = #"{"type":"NOTIFICATION_ASSIGNMENT_DELAY"}"#
        let support = MessageCases.Sender(id: "sendbird_desk_agent_id_1", bots: nil)
        let nobody = MessageCases.Sender(id: nil, bots: nil)
        return [
            ("a text of support", .init(), support, ["told, pushed", "told, pushed", "told"]),
            (
                "a question of support", .init(customTypes: ("SENDBIRD_DESK_RICH_MESSAGE", ""), data: question), support,
                ["asked, pushed", "asked, pushed", "asked"]
            ),
            (
                "an urgent message of an administrator", .init(type: "ADMM", data: urgent), nobody,
                ["told, pushed", "told, pushed", "told"]
            ),
            (
                "a text of a bot that is named", .init(), MessageCases.Sender(id: "bot", bots: ["bot"]),
                ["told, pushed", "nothing", "nothing"]
            ),
            (
                "`SENDBIRD_DESK_BOT_MESSAGE` where no bots are named", .init(customTypes: ("SENDBIRD_DESK_BOT_MESSAGE", "")),
                MessageCases.Sender(id: "bot", bots: nil), ["told, pushed", "nothing", "nothing"]
            ),
            (
                "`SENDBIRD:AUTO_EVENT_MESSAGE` of an administrator", .init(type: "ADMM", customTypes: ("SENDBIRD:AUTO_EVENT_MESSAGE", "")),
                nobody, ["told", "nothing", "nothing"]
            ),
        ]
    }()

    @Test func `the result depends on the channel's owner and the writer`() throws {
        for (message, form, sender, results) in Self.owners {
            for (owner, expected) in zip([MessageCases.ticketOwner, MessageCases.memberOwner, nil], results) {
                let word = try Self.word(form, from: sender, StoredChatFacts(owner: owner, isDeskAsked: true))
                #expect(word == expected, "\(message): \(owner.map { "\($0)" } ?? "nobody")")
            }
        }
    }

    @Test func `Desk is called if its response matters`() throws {
        for (message, form, sender, results) in Self.owners {
            #expect(try Self.word(form, from: sender, StoredChatFacts()) == "Desk is asked", "\(message)")
            let members = try Self.word(form, from: sender, StoredChatFacts(owner: MessageCases.memberOwner))
            #expect(members == (results[1] == "nothing" ? "Desk is asked" : results[1]), "\(message)")
        }
    }

    /// Such messages are ignored before the store is read.
    @Test func `a message that is ignored without an owner is ignored with any owner`() throws {
        let answers = [[], [InquiryAnswer(.waiting)], [InquiryAnswer(.confirmed)], [InquiryAnswer(.waiting), InquiryAnswer(.declined)]]
        let owners = [nil, MessageCases.ticketOwner, MessageCases.memberOwner, ChannelOwner(userID: "other", ticketID: 1)]
        var count = 0
        for form in MessageCases.all.flatMap(\.forms) {
            for sender in Writer.allCases.flatMap({ $0.senders(form) }) {
                let webhook = try #require(try form.webhook(from: sender))
                let decision = webhook.decision(StoredChatFacts())
                guard case .ignored = decision else { continue }
                count += 1
                for owner in owners {
                    for known in answers {
                        let memory = StoredChatFacts(owner: owner, isDeskAsked: true, inquiry: Self.inquiry(known))
                        #expect(webhook.decision(memory) == decision, "\(sender) \(form)")
                    }
                }
            }
        }
        #expect(count > 100)
    }

    /// Desk's response decides, also when an agent has opened a ticket to try the app.
    @Test func `the customer is never taken for support, for any prefix of the id`() throws {
        let agent = "sendbird_desk_agent_id_1"
        let memory = StoredChatFacts(owner: ChannelOwner(userID: agent, ticketID: 101), isDeskAsked: true)
        for row in MessageCases.all {
            for form in row.forms where !form.isUpdate {
                let word = try Self.word(form, from: MessageCases.Sender(id: agent, bots: [agent]), memory)
                #expect(["nothing", "`malformed`"].contains(word), "\(row.message): \(form)")
            }
        }
    }

    @Test(
        arguments: [
            ([], nil), (["user-1"], "user-1"), (["sendbird_desk_agent_id_1", "user-1"], "user-1"), (["user-1", "user-2"], nil),
            (["sendbird_desk_agent_id_1"], nil), (["sendbird_desk_agent_id_1", "user-1", "bot"], nil),
        ] as [([String], String?)])
    func `members show a customer only if one is not support`(_ members: [String], _ customer: String?) throws {
        #expect(try MessageCases.webhook(SendbirdBody.message(members: members))?.customerID == customer)
    }

    @Test func `a named bot among the members is no customer`() throws {
        let body = SendbirdBody.message(members: ["bot", "sendbird_desk_agent_id_1", "user-1"])
        #expect(try MessageCases.webhook(body, bots: ["bot"])?.customerID == "user-1")
        #expect(try MessageCases.webhook(body, bots: ["other"])?.customerID == nil)
    }

    /// The member whose id is invalid may be the writer.
    @Test(arguments: ["7", "null", #""\ud800""#]) func `a member with an invalid id leaves the customer unknown`(_ id: String) throws {
        let body = SendbirdBody.message(members: ["user-1"]).replacing(#""members":["#, with: #""members":[{"user_id":\#(id)},"#)
        #expect(try MessageCases.webhook(body)?.customerID == nil)
    }
}
