import Core
import HTTPServer
import JSON
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Service

/// `/v1/bots/calls`, and the calls in the explanation of a user.
@Suite struct BotCallRoutesTests {
    private let fixture: AdminDeliverFixture

    /// Stores calls 1 to 7 for `ann`, and 8 for a name that a query must escape, each a second after the previous one.
    init() throws {
        let store = MemoryStore()
        let outcomes: [BotCall.Outcome] = [
            .succeeded, .refused, .failed, .timedOut, .denied, .unknown, .confirmationRequired, .limited,
        ]
        for (index, outcome) in outcomes.enumerated() {
            let at = AdminDeliverFixture.time + UInt64(1000 * index)
            store.begin(
                BotCall(
                    id: Self.id(index + 1), appID: "shop", userID: index == 7 ? AdminDeliverFixture.oddUser : "ann",
                    bot: index % 2 == 0 ? "orders" : "help", function: "f\(index)", argumentsSHA256: "digest",
                    arguments: index == 0 ? #"{"order_id":7}"# : nil, at: at,
                    ending: BotCall.Ending(
                        outcome, statusCode: outcome == .refused ? 404 : nil, reason: outcome == .failed ? "not_json" : nil, at: at + 10)),
                isAwaited: { true }
            ) { _ in }
        }
        fixture = try AdminDeliverFixture(store: store)
    }

    private static func id(_ number: Int) -> UUIDv7 { UUIDv7(milliseconds: 7, random: InlineArray(repeating: UInt8(100 + number))) }

    private func functions(_ query: String) throws -> [String] {
        let answer = fixture.send(.get, "/v1/bots/calls?\(query)")
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.object()["calls"]?.elements.compactMap { $0["function"]?.text } ?? []
    }

    @Test func `shows a call`() throws {
        let reference = AdminDeliverFixture.userReference(app: "shop", user: "ann", fixture.configuration)
        let answer = fixture.send(.get, "/v1/bots/calls/\(Self.id(3))")
        #expect(
            answer.text == #"""
                {"id":"\#(Self.id(3))","app_id":"shop","user_id":"ann","user_ref":"\#(reference)","bot":"orders","function":"f2",\#
                "arguments_sha256":"digest","arguments":null,"outcome":"failed","status_code":null,"reason":"not_json",\#
                "meaning":"The company's backend gave no usable answer (not_json: its answer was not JSON).",\#
                "remedy":"Look at the company's backend, and whether it has done it: its log has the call's id as webhook-id.",\#
                "at":"2026-03-10T08:15:14.000Z","ended_at":"2026-03-10T08:15:14.010Z"}
                """#)
        #expect(try fixture.send(.get, "/v1/bots/calls/\(Self.id(1))").object()["arguments"] == #"{"order_id":7}"#)
        #expect(try fixture.send(.get, "/v1/bots/calls/\(Self.id(2))").object()["status_code"] == 404)
        for id in ["\(Self.id(99))", "x"] { #expect(fixture.send(.get, "/v1/bots/calls/\(id)").status == 404) }
    }

    @Test(arguments: [
        ("user_id=ann&app_id=shop", ["f6", "f5", "f4", "f3", "f2", "f1", "f0"]), ("bot=help", ["f7", "f5", "f3", "f1"]),
        ("bot=orders&function=f4", ["f4"]), ("outcome=timed_out", ["f3"]), ("since=2026-03-10T08:15:18Z", ["f7", "f6"]),
        ("user_id=a+b%2Bc%26d%3d%C3%a9%25", ["f7"]), ("app_id=shop&user_id=nobody", []), ("app_id=shop&limit=2&user_id=ann", ["f6", "f5"]),
    ])
    func `lists matching calls`(_ query: String, _ expected: [String]) throws {
        #expect(try functions(query) == expected)
    }

    @Test func `continues where a page ends`() throws {
        var (found, next): ([String], String?) = ([], nil)
        repeat {
            let query = "user_id=ann&app_id=shop&limit=3" + (next.map { "&after=\($0)" } ?? "")
            found += try functions(query)
            next = try fixture.send(.get, "/v1/bots/calls?\(query)").object()["next"]?.text
        } while next != nil
        #expect(found == ["f6", "f5", "f4", "f3", "f2", "f1", "f0"])
    }

    @Test(arguments: [
        "outcome=done", "since=yesterday", "after=7", "limit=0", "limit=1001", "user=ann", "bot=a&bot=b", "lang=fr",
    ])
    func `rejects an invalid query`(_ query: String) throws {
        let answer = fixture.send(.get, "/v1/bots/calls?\(query)")
        #expect(answer.status == 400)
        let name = try #require(query.split(separator: "=").first)
        #expect(answer.text.contains(name), "\(answer.text)")
    }

    @Test func `suggests a similar app for an unknown one`() {
        let answer = fixture.send(.get, "/v1/bots/calls?app_id=shoq")
        #expect(answer.status == 400 && answer.text.contains("shop"), "\(answer.text)")
    }

    @Test func `never shows the key`() throws {
        let call = BotCall(
            id: Self.id(50), key: Array("0123456789abcdef0123456789abcdef".utf8), appID: "shop", userID: "ann", bot: "orders",
            function: "f",
            argumentsSHA256: "", at: 1)
        fixture.store.begin(call, isAwaited: { true }) { _ in }
        let text = fixture.send(.get, "/v1/bots/calls/\(Self.id(50))").text
        #expect(!text.contains("key"))
        #expect(!text.contains("0123456789abcdef"))
        #expect(!text.contains("MDEy"))
    }

    @Test func `explain contains the latest calls`() throws {
        let answer = try fixture.send(.get, "/v1/explain?app_id=shop&user_id=ann").object()
        let steps = (answer["steps"]?.elements ?? []).filter { $0["step"] == "bot_call" }
        #expect(steps.count == 5)
        #expect(steps.compactMap { $0["outcome"]?.text } == ["note", "note", "note", "note", "note"])
        #expect(
            steps[4]["text"]
                == "The bot orders called f2: failed. The company's backend gave no usable answer (not_json: its answer was not JSON).")
        #expect(steps[4]["references"] == ["bot_call_id": .string("\(Self.id(3))")])
        let more = (answer["steps"]?.elements ?? []).compactMap { $0["remedy"]?.text }
        #expect(more.contains("For all: deskgate bots calls list --app shop --user ann."))
        let nobody = try fixture.send(.get, "/v1/explain?app_id=shop&user_id=nobody").object()
        #expect(nobody["steps"]?.elements.contains { $0["step"] == "bot_call" } == false)
    }

    @Test(arguments: BotCall.Outcome.allCases, ["f", "connect_to_person"])
    func `is reported in both languages`(_ outcome: BotCall.Outcome, _ function: String) {
        for reason in [
            nil, "not_json", "unreachable", "unauthorized", "arguments", "confirmation_user", "refused_bytes", "something_new",
            "help_desk_token", "help_desk_unavailable", "help_desk_away", "limit_per_user",
        ] {
            let call = BotCall(
                id: Self.id(1), appID: "shop", userID: "ann", bot: "b", function: function, argumentsSHA256: "", at: 1,
                ending: outcome == .started ? nil : BotCall.Ending(outcome, statusCode: 200, reason: reason, at: 2))
            let meaning = BotCallMeaning(call)
            for reported in [meaning.text, meaning.remedy].compactMap(\.self) {
                #expect(reported.isTranslated && reported.english.hasSuffix(".") && reported.russian.hasSuffix("."), "\(reported.russian)")
            }
        }
    }
}
