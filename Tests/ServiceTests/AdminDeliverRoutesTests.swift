import Core
import HTTPServer
import JSON
import Storage
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// `/v1/deliveries` and the paths below it.
@Suite struct AdminDeliverRoutesTests {
    static let queries: [(String, [Int])] = [
        ("", [4, 3, 2, 1]), ("?", [4, 3, 2, 1]), ("?state=dead", [4, 2]), ("?state=pending", [3]), ("?state=delivered", [1]),
        ("?type=comment.created", [4, 3, 2, 1]), ("?type=ticket.rated", []), ("?type=comment.created&state=dead", [4, 2]),
        ("?app_id=shop", [3, 2, 1]), ("?app_id=sho%70&state=dead", [2]), ("?user_id=a+b%2Bc%26d%3d%C3%a9%25", [4]),
        ("?ticket_id=9007199254740993", [4, 3, 2, 1]), ("?ticket_id=9007199254740992", []), ("?comment_id=2", [2]),
        ("?ticket_id=x", []), ("?comment_id=02", []), ("?comment_id=9223372036854775808", []),
        ("?notifier=sink-1", [1]), ("?reason=expired", [4]), ("?reason=status_404", [2]), ("?limit=2", [4, 3]),
        ("?from=2026-03-10T08:15:11.993Z", [4, 3]), ("?before=2026-03-10T11:15:11.993%2B03:00", [2, 1]), ("?li%6Dit=1", [4]),
    ]

    @Test(arguments: queries)
    func `lists matching deliveries`(_ query: String, _ expected: [Int]) throws {
        let response = try AdminDeliverFixture().send(.get, "/v1/deliveries\(query)")
        #expect(response.status == 200)
        #expect(response.headers["cache-control"] == "no-store")
        #expect(try response.numbers() == expected)
    }

    @Test func `continues where a page has ended`() throws {
        let fixture = try AdminDeliverFixture()
        let first = fixture.send(.get, "/v1/deliveries?limit=3")
        #expect(try first.numbers() == [4, 3, 2])
        guard case .string(let next) = try first.object()["next"] else { throw SocketClient.Failure.closed }
        let second = fixture.send(.get, "/v1/deliveries?limit=3&after=\(next)")
        #expect(try second.numbers() == [1])
        #expect(try second.object()["next"] == .null)
    }

    @Test(arguments: ["notifier=", "notifier=sink-9", "app_id=Shop", "app_id=shop&notifier=shop"])
    func `reports an unknown name`(_ query: String) throws {
        let response = try AdminDeliverFixture().send(.get, "/v1/deliveries?\(query)")
        #expect(response.status == 400)
        #expect(response.text.hasPrefix(#"{"error":"unknown_name","message":""#))
    }

    @Test func `parses queries from a socket in the same way`() throws {
        let fixture = try AdminDeliverFixture()
        let server = try Server(
            .tcp(host: "127.0.0.1", port: 0), router: fixture.router, settings: ServerSettings(threads: 1), observer: { _, _ in })
        defer { server.stop(drainMilliseconds: 1000) }
        let client = try SocketClient(server.address)
        for (query, expected) in Self.queries {
            #expect(try get(client, "/v1/deliveries\(query)").numbers() == expected, "\(query)")
        }
        #expect(try get(client, "/v1/deliveries?limit=0").status == 400)
        #expect(try get(client, "/v1/deliveries?state").status == 400)
        #expect(try get(client, "/v1/deliveries/\(AdminDeliverFixture.id(2))").status == 200)
    }

    @Test(arguments: [
        ("stat=dead", "Unknown criterion stat; known are state, "), ("state=", "state: expected"), ("state=Dead", "state: expected"),
        ("type=", "type: expected"), ("type=Ticket.rated", "type: expected"),

        ("type=comment.created&type=comment.created", "type: given twice."),
        ("state=dead&state=dead", "state: given twice."), ("limit=0", "limit: expected"), ("limit=1001", "limit: expected"),
        ("limit=1&limit=1", "limit: given twice."), ("limit=%2B5", "limit: expected"), ("ticket_id=", "ticket_id: expected 1 to 255 bytes"),
        ("comment_id=%00", "comment_id: expected 1 to 255 bytes"), ("from=yesterday", "from: expected"), ("before=1", "before: expected"),
        ("from=2026-03-11T00:00:00Z&before=2026-03-10T00:00:00Z", "before: expected from to be earlier than before;"),
        ("app_id=%", "The query has a %"), ("app_id=%4", "The query has a %"), ("app_id=%+1", "The query has a %"),
        ("after=x", "after: expected"), ("after=1-1&after=1-1", "after: given twice."), ("app_id=%ff", "The query is not UTF-8."),
        ("%zz=1", "The query has a %"), ("id=1", "Unknown criterion id;"),
    ])
    func `rejects invalid queries`(_ query: String, _ message: String) throws {
        let response = try AdminDeliverFixture().send(.get, "/v1/deliveries?\(query)")
        #expect(response.status == 400)
        #expect(response.text.hasPrefix(#"{"error":"malformed","message":"\#(message)"#))
    }

    @Test func `returns the whole delivery with its attempts`() throws {
        let response = try AdminDeliverFixture().send(.get, "/v1/deliveries/\(AdminDeliverFixture.id(2).description.uppercased())")
        #expect(response.status == 200)
        #expect(!response.text.contains("what a person wrote"))
        let story = try response.object()
        #expect(story["state"] == "dead")
        #expect(story["reason"] == "status_404")
        #expect(story["attempts"] == 2)
        #expect(story["due_at"] == .null)
        #expect(story["received_at"] == "2026-03-10T08:15:11.992Z")
        #expect(story["expires_at"] == "2026-03-10T08:16:12.000Z")
        #expect(story["ended_at"] == "2026-03-10T08:15:12.110Z")
        let tries: JSONValue = [
            [
                "number": 1, "started_at": "2026-03-10T08:15:12.000Z", "ended_at": "2026-03-10T08:15:12.010Z", "outcome": "retry",
                "reason": "status_503",
            ],
            [
                "number": 2, "started_at": "2026-03-10T08:15:12.100Z", "ended_at": "2026-03-10T08:15:12.110Z", "outcome": "dead",
                "reason": "status_404",
            ],
        ]
        #expect(story["tries"] == tries)
    }

    @Test(arguments: [
        ("", "gave it up after 2 attempts: "), ("?lang=en", "gave it up after 2 attempts: "),
        ("?lang=ru", "отказался от доставки (попыток: 2): "),
    ])
    func `the meaning explains a delivery's state`(_ query: String, _ words: String) throws {
        let fixture = try AdminDeliverFixture()
        let story = try fixture.send(.get, "/v1/deliveries/\(AdminDeliverFixture.id(2))\(query)").object()
        let meaning = try #require(story["meaning"]?.text)
        #expect(meaning.contains(words), "\(meaning)")
        let list = try fixture.send(.get, "/v1/deliveries\(query)").object()["deliveries"]?.elements
        #expect(list?.contains { $0["meaning"]?.text == meaning } == true)
    }

    @Test(arguments: ["?lang=de", "/\(AdminDeliverFixture.id(2))?lang=de", "?lang=ru&lang=ru", "/\(AdminDeliverFixture.id(2))?langue=ru"])
    func `an unknown language is rejected`(_ query: String) throws {
        #expect(try AdminDeliverFixture().send(.get, "/v1/deliveries\(query)").status == 400)
    }

    @Test(arguments: [
        (HTTPServer.Method.get, "/v1/deliveries/%", 404), (.get, "/v1/deliveries/x", 404), (.post, "/v1/deliveries/x/retry", 404),
        (.get, "/v1/deliveries/00000000-0000-7000-8000-000000000000", 404),
        (.post, "/v1/deliveries/00000000-0000-7000-8000-000000000000/retry", 404), (.get, "/v1/deliveries/retry", 405),
        (.post, "/v1/deliveries/x", 405), (.get, "/v1/deliveries/x/retry", 405), (.post, "/v1/deliveries", 405),
        (.post, "/v1/deliveries//retry", 404), (.post, "/v1/deliveries/x/y/retry", 404), (.post, "/v1/deliveries/x/retry/", 404),
    ])
    func `reports a missing delivery`(_ method: HTTPServer.Method, path: String, status: Int) throws {
        #expect(try AdminDeliverFixture().send(method, path).status == status)
    }

    @Test func `retries a dead delivery`() throws {
        let fixture = try AdminDeliverFixture()
        let response = fixture.send(.post, "/v1/deliveries/\(AdminDeliverFixture.id(4))/retry")
        #expect(response.text == #"{"retried":1}"#)
        #expect(fixture.wakeUpCount == 1)
        let story = try fixture.send(.get, "/v1/deliveries/\(AdminDeliverFixture.id(4))").object()
        #expect(story["state"] == "pending")
        #expect(story["due_at"] == .null)
        #expect(story["waits"] == "notifier not configured")
        #expect(story["expires_at"] == "2026-03-11T08:15:12.000Z")
    }

    @Test(arguments: [1, 3])
    func `retries only dead deliveries`(_ number: Int) throws {
        let fixture = try AdminDeliverFixture()
        let response = fixture.send(.post, "/v1/deliveries/\(AdminDeliverFixture.id(number))/retry")
        #expect(response.status == 409)
        #expect(response.text == ExchangeCase.error("not_dead", "Only a dead delivery can be tried again."))
        #expect(fixture.wakeUpCount == 0)
    }

    @Test(arguments: [
        (#"{"all":true}"#, 2), (#"{"app_id":"bank"}"#, 1), (#"{"state":"dead","reason":"status_404"}"#, 1),
        (#"{"ticket_id":9007199254740993,"comment_id":2}"#, 1), (#"{"ticket_id":"9007199254740993","comment_id":"02"}"#, 0),
        (#"{"ticket_id":"9007199254740993","comment_id":"2"}"#, 1), (#"{"user_id":"nobody"}"#, 0), (#"{"notifier":"sink-1"}"#, 0),
        (#"{"from":"2026-03-10T08:15:11.993Z"}"#, 1), (#"{"before":"2026-03-10T08:15:11.993Z"}"#, 1),
    ])
    func `retries matching deliveries`(_ body: String, _ count: Int) throws {
        let fixture = try AdminDeliverFixture()
        let response = fixture.send(.post, "/v1/deliveries/retry", body: body)
        let kept = #"{"notifier_queue_full":0,"queue_full":0,"forgotten":0,"no_device":0}"#
        #expect(response.text == #"{"retried":\#(count),"kept":\#(kept),"total":\#(count),"left":0,"next":null}"#)
        #expect(fixture.wakeUpCount == (count > 0 ? 1 : 0))
        #expect(try fixture.send(.get, "/v1/deliveries?state=pending").numbers().count == 1 + count)
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"all":false}"#, #"{"all":1}"#, #"{"all":true,"app_id":"shop"}"#, #"{"app":"shop"}"#, #"{"limit":1}"#,
        #"{"app_id":1}"#, #"{"ticket_id":""}"#, #"{"ticket_id":true}"#, #"{"comment_id":1.0}"#, #"{"state":"pending"}"#, #"{"from":1}"#,
        #"{"reason":null}"#, #"{"after":"7-9-9"}"#, #"{"all":true,"after":"7-9"}"#, #"{"all":true,"after":1}"#,
        #"{"all":true,"after":null}"#,
    ])
    func `rejects invalid bodies`(_ body: String) throws {
        let fixture = try AdminDeliverFixture()
        let response = fixture.send(.post, "/v1/deliveries/retry", body: body)
        #expect(response.status == 400)
        #expect(try response.object()["error"] == "malformed")
        #expect(try fixture.send(.get, "/v1/deliveries?state=dead").numbers() == [4, 2])
    }

    /// The page shows the number, asks for confirmation, and retries exactly that set.
    @Test func `retries the counted set`() throws {
        let fixture = try AdminDeliverFixture()
        guard case .string(let set) = try fixture.send(.get, "/v1/deliveries/reasons").object()["set"] else {
            throw SocketClient.Failure.closed
        }
        // The last delivery of the set has ended 50 s after the fixture's time.
        _ = try fixture.store.giveUpPending(notifier: "sink-3", now: AdminDeliverFixture.time + 50_001, limit: 1)
        let answer = try fixture.send(.post, "/v1/deliveries/retry", body: #"{"all":true,"after":"\#(set)"}"#).object()
        #expect(answer["retried"] == 2)
        #expect(answer["total"] == 2)
        #expect(answer["next"] == .null)
        #expect(try fixture.send(.get, "/v1/deliveries?state=dead").numbers() == [3], "it died later")
    }

    @Test func `retries a large set in steps`() throws {
        let fixture = try AdminDeliverFixture()
        let count = DeliveryAction.retriedPerStep + 1
        for number in 0..<count {
            let event = Event(
                id: UUIDv7(
                    milliseconds: 1, random: InlineArray { [4, 5].contains($0) ? UInt8(truncatingIfNeeded: number >> (8 * ($0 - 4))) : 0 }),
                kind: .operatorTest,
                identity: Event.Identity(appID: "shop", ticketID: nil, commentID: nil, deviceID: "d"), userID: "user", deviceType: nil,
                occurredAt: 1, receivedAt: 1, expiresAt: 2, data: [])
            fixture.store.accept(IncomingEvent(event, to: [Subscription(notifier: "many")])) { _ in }
        }
        while try !fixture.store.giveUpExpired(now: 3, limit: 1000).isEmpty {}
        var (retried, left, after) = ([JSONValue?](), [JSONValue?](), "")
        while true {
            let body = #"{"notifier":"many"\#(after)}"#
            let answer = try fixture.send(.post, "/v1/deliveries/retry", body: body).object()
            #expect(answer["total"] == .integer(Int64(count)))
            retried.append(answer["retried"])
            left.append(answer["left"])
            guard case .string(let next) = answer["next"] else { break }
            after = #","after":"\#(next)""#
        }
        #expect(retried == [.integer(Int64(count - 1)), 1])
        #expect(left == [1, 0])
    }

    @Test func `reports why a delivery stays dead`() throws {
        var settings = StoreSettings()
        settings.maxPendingPerNotifier = 1
        let fixture = try AdminDeliverFixture(store: MemoryStore(settings: settings))
        let event = Event(
            id: UUIDv7(milliseconds: 2, random: InlineArray(repeating: 1)), kind: .operatorTest,
            identity: Event.Identity(appID: "shop", ticketID: nil, commentID: nil, deviceID: "d"), userID: "user", deviceType: nil,
            occurredAt: 1, receivedAt: AdminDeliverFixture.time, expiresAt: .max, data: [])
        fixture.store.accept(IncomingEvent(event, to: [Subscription(notifier: "sink-2")])) { _ in }
        let response = fixture.send(.post, "/v1/deliveries/\(AdminDeliverFixture.id(2))/retry")
        #expect(response.status == 409)
        #expect(try response.object()["error"] == "notifier_queue_full")
        let all = try fixture.send(.post, "/v1/deliveries/retry", body: #"{"notifier":"sink-2"}"#).object()
        #expect(all["retried"] == 0)
        #expect(all["kept"]?["notifier_queue_full"] == 1)
    }

    @Test(arguments: [
        ("state=dead&before=2026-03-10T08:15:13Z", 1, [4, 3, 1]), ("state=dead&before=2026-03-10T09:00:00Z", 2, [3, 1]),
        ("state=delivered&before=2026-03-10T09:00:00Z", 1, [4, 3, 2]), ("state=delivered", 0, [4, 3, 2, 1]),
    ])
    func purges(_ query: String, count: Int, rest: [Int]) throws {
        let fixture = try AdminDeliverFixture()
        #expect(fixture.send(.delete, "/v1/deliveries?\(query)").text == #"{"purged":\#(count)}"#)
        #expect(try fixture.send(.get, "/v1/deliveries").numbers() == rest)
    }

    /// Delivery 5 has no target; delivered and dead deliveries have ended as well.
    @Test(arguments: [("no_target", [4, 3, 2, 1]), ("delivered", [5, 4, 3, 2]), ("dead", [5, 3, 1])])
    func `purges only the given state`(_ state: String, _ rest: [Int]) throws {
        let fixture = try AdminDeliverFixture()
        try AdminDeliverFixture.accept(fixture.store, 5, requiresDevice: true)
        #expect(fixture.send(.delete, "/v1/deliveries?state=\(state)&before=2026-03-10T09:00:00Z").status == 200)
        #expect(try fixture.send(.get, "/v1/deliveries").numbers() == rest)
    }

    @Test(arguments: ["", "?state=pending"]) func `the error lists the states that can be purged`(_ query: String) throws {
        let answer = try AdminDeliverFixture().send(.delete, "/v1/deliveries\(query)").object()
        #expect(answer["message"] == "state: expected delivered, no_target or dead, or pending and a notifier.")
    }

    @Test(arguments: [("sink-3", 1), ("sink-1", 0)])
    func `gives up the deliveries of a notifier`(_ notifier: String, _ count: Int) throws {
        let fixture = try AdminDeliverFixture()
        let response = fixture.send(.delete, "/v1/deliveries?state=pending&notifier=\(notifier)")
        #expect(response.text == #"{"purged":\#(count)}"#)
        #expect(try fixture.send(.get, "/v1/deliveries?state=dead&reason=purged").numbers().count == count)
        #expect(try fixture.send(.get, "/v1/deliveries").numbers() == [4, 3, 2, 1], "nothing is forgotten")
    }

    @Test(arguments: [
        "?notifier=sink-3", "?state=dead&notifier=sink-3", "?state=pending&notifier=sink-3&before=2026-03-10T09:00:00Z",
        "", "?state=pending", "?before=2026-03-10T09:00:00Z", "?state=dead&app_id=shop", "?state=dead&before=1", "?state=dead&state=dead",
    ])
    func `rejects an invalid purge`(_ query: String) throws {
        let fixture = try AdminDeliverFixture()
        #expect(fixture.send(.delete, "/v1/deliveries\(query)").status == 400)
        #expect(try fixture.send(.get, "/v1/deliveries").numbers().count == 4)
    }

    @Test(arguments: [
        (HTTPServer.Method.get, "/v1/deliveries"), (.delete, "/v1/deliveries?state=dead"), (.get, "/v1/deliveries/x"),
        (.post, "/v1/deliveries/x/retry"), (.post, "/v1/deliveries/retry"),
    ])
    func `requires the token`(_ method: HTTPServer.Method, _ path: String) throws {
        let client = InProcessClient(try AdminDeliverFixture().router)
        for headers in [[:], ["Authorization": "Bearer x"]] {
            #expect(client.send(method, path, headers: headers).status == 401)
        }
    }

    @Test func `reports that the store is closed`() throws {
        let store = MemoryStore()
        let fixture = try AdminDeliverFixture(store: store)
        store.close()
        let response = fixture.send(.get, "/v1/deliveries")
        #expect(response.status == 503)
        #expect(response.headers["retry-after"] == "1")
        #expect(try response.object()["error"] == "closed")
    }

    private func get(_ client: SocketClient, _ target: String) throws -> ReceivedResponse {
        let token = AdminDeliverFixture.authorization["Authorization"] ?? ""
        try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nAuthorization: \(token)\r\n\r\n")
        return try client.readResponse()
    }
}
