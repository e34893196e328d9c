import Core
import Crypto
import Glibc
import HTTPServer
import JSON
import Observability
import TestSupport
import Testing
import Threading
import Time

@testable import Bots
@testable import Configuration
@testable import HelpDesk
@testable import Service

/// Calls of functions with changes: each is performed at most once.
@Suite struct BotChangeTests {
    private static let order: JSONValue = ["order_id": "7"]

    @Test func `are sent once with their key`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.requests([[.json(201, #"{"order":"8"}"#)], [.json(200, "{}")]])) {
            service, backend in
            let ticket = try service.ticket()
            let first = try service.call("reorder", ["order_id": "7", "count": 2], ticket: ticket)
            #expect((first.status, first.text) == (201, #"{"order":"8"}"#))
            // The same arguments in another form and order make the same call.
            let again = [
                try service.call("reorder", ["count": 2, "order_id": "7"], ticket: ticket),
                try service.begin(
                    "POST /bots/orders/functions/reorder?order_id=7", Array("count=2".utf8),
                    headers: "Authorization: Bearer \(ticket)\r\n"
                ).readResponse(),
            ]
            for response in again {
                #expect((response.status, response.text) == (201, #"{"order":"8"}"#))
            }
            let neutral = try service.callNeutrally(
                "reorder", ["order_id": "7", "count": 2], ticket: ticket)
            #expect(neutral.json["status_code"]?.integer == 201)
            #expect(backend.requests.count == 1)
            let request = try #require(backend.requests.first)
            #expect((request.method, request.target) == ("POST", "/reorder"))
            #expect(
                JSONValue(parsing: request.body) == ["order_id": "7", "count": 2])
            #expect(request.header("Content-Type") == "application/json")
            #expect(request.header("Idempotency-Key")?.utf8.count == 64)
            #expect(
                try StandardWebhookSignature.isGenuine(
                    signature: try #require(request.header("webhook-signature")),
                    id: try #require(request.header("webhook-id")),
                    timestamp: try #require(request.header("webhook-timestamp")), body: request.body.span,
                    secrets: [StandardWebhookSecret(BotFixture.secret)], now: TestTime.now.milliseconds))
            // Other arguments, another start, or another person make another call.
            #expect(
                try service.call("reorder", ["order_id": "7", "count": 3], ticket: ticket).status == 200)
            #expect(
                try service.call("reorder", ["order_id": "7", "count": 2], ticket: try service.ticket())
                    .status == 200)
            #expect(
                try service.call(
                    "reorder", ["order_id": "7", "count": 2], ticket: try service.ticket(user: "user-2")
                ).status == 200)
            #expect(Set(backend.requests.map { $0.header("Idempotency-Key") }).count == 4)
            #expect(
                try service.storedCalls().map(\.outcome) == [
                    .succeeded, .succeeded, .succeeded, .succeeded,
                ])
            #expect(
                try service.metricLines("deskgate_bot_calls_total") == [
                    #"{bot="orders",function="reorder",outcome="repeated"} 3"#,
                    #"{bot="orders",function="reorder",outcome="succeeded"} 4"#,
                ])
        }
    }

    @Test func `are sent once for concurrent callers`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.awaitRelease, .json(200, #"{"done":true}"#))) {
            service, backend in
            let ticket = try service.ticket()
            let clients = try (0..<50).map { _ in
                try service.beginCall("reorder", Self.order, ticket: ticket)
            }
            #expect(backend.waitForRequests(1))
            backend.release(50)
            for client in clients {
                let response = try client.readResponse()
                #expect((response.status, response.text) == (200, #"{"done":true}"#))
            }
            #expect(backend.requests.count == 1)
            #expect(try service.storedCalls().count == 1)
        }
    }

    @Test func `report the stored outcome without the response`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(404, "{}"))) { service, backend in
            let ticket = try service.ticket()
            #expect(try service.call("reorder", Self.order, ticket: ticket).status == 404)
            // Another process would have only the stored state.
            service.graph.invalidation.tell(.revocations(nil))
            let again = try service.call("reorder", Self.order, ticket: ticket)
            #expect((again.status, again.error) == (409, "already_called"))
            #expect(again.json["outcome"]?.text == "refused")
            #expect(again.json["status_code"]?.integer == 404)
            #expect(backend.requests.count == 1)
        }
    }

    @Test func `are not performed without the store`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let ticket = try service.ticket()
            service.graph.store.close()
            let response = try service.call("reorder", Self.order, ticket: ticket)
            #expect(response.status == 503)
            #expect(response.headers["retry-after"] != nil)
            #expect(backend.requests.isEmpty)
            // A function without changes needs no store.
            #expect(try service.get("get_order_list", ticket: ticket).status == 200)
            #expect(try fixture.log.text().contains("bot call not stored"))
        }
    }

    /// Nothing is sent, and the call releases its key.
    @Test func `are performed later if they were stored too late`() throws {
        let fixture = try BotFixture(store: #"{"type":"sqlite","path":"store.sqlite"}"#)
        let backend = try ScriptedServer(.everyRequest(.json(200, "{}")))
        defer { backend.stop() }
        // The limit for storing a change passes whenever the store's thread reads the clock: the service checks before and after.
        let (elapsed, storeThread) = (Monitor<UInt64>(0), Monitor<pthread_t?>(nil))
        let start = SystemClock.monotonicNanoseconds()
        let clocks = Clocks(
            unixSeconds: { TestTime.now },
            monotonicNanoseconds: {
                let isStore = storeThread.withLock { $0 == pthread_self() }
                return elapsed.withLock { elapsed in
                    defer { if isStore { elapsed += BotCaller.storeMilliseconds * 1_000_000 } }
                    return start + elapsed
                }
            })
        let configuration = try fixture.configuration([BotFixture.bot(backend.url(""))])
        let service = try RunningService(configuration, logger: fixture.log.logger, clocks: clocks)
        defer { service.stop() }
        let ticket = try service.ticket()
        let other = BotCall(
            id: UUIDv7(milliseconds: TestTime.now.milliseconds, random: InlineArray(repeating: 1)), appID: "shop", userID: "user-3",
            bot: "orders", function: "other", argumentsSHA256: "", at: TestTime.now.milliseconds)
        service.graph.store.begin(other, isAwaited: { true }, completion: { _ in storeThread.update { $0 = pthread_self() } })
        #expect(storeThread.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 == nil ? nil : true } == true)
        let late = try service.call("reorder", Self.order, ticket: ticket)
        #expect(late.status == 503)
        #expect(late.headers["retry-after"] == "5")
        let stored = try #require(try service.storedCalls().first { $0.reason == "late" })
        #expect(stored.outcome == .failed)
        #expect(stored.key == nil)
        #expect(backend.requests.isEmpty)
        storeThread.update { $0 = nil }
        #expect(try service.call("reorder", Self.order, ticket: ticket).status == 200)
        #expect(backend.requests.count == 1)
    }
}

/// Changes that need a confirmation.
@Suite struct BotConfirmationTests {
    private static let order: JSONValue = ["order_id": "7"]

    private func confirmation(_ response: ReceivedResponse) throws -> String {
        #expect((response.status, response.error) == (409, "confirmation_required"))
        return try #require(response.json["confirmation"]?.text)
    }

    @Test func `only the customer can confirm`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, #"{"cancelled":true}"#))) { service, backend in
            let ticket = try service.ticket()
            let asked = try service.call("cancel_order", Self.order, ticket: ticket)
            let text = try confirmation(asked)
            #expect(asked.json["function"]?.text == "cancel_order")
            #expect(asked.json["arguments"] == Self.order)
            #expect(asked.json["expires_at"]?.integer == Int64(TestTime.now.rawValue) + 600)
            #expect(asked.headers["cache-control"] == "no-store")
            // A model cannot confirm its own call.
            let tries = [
                try service.call(
                    "cancel_order", ["order_id": "7", "confirmation": .string(text)], ticket: ticket),
                try service.callNeutrally("cancel_order", Self.order, ticket: ticket, confirmation: text),
            ]
            for response in tries {
                #expect((response.status, response.error) == (400, "invalid_arguments"))
            }
            // Other callers cannot confirm it either.
            let others = [
                try service.confirm(text, user: "user-2"), try service.confirm(text, app: "bank"),
                try service.confirm(text.dropLast(2) + (text.hasSuffix("AA") ? "BA" : "AA")),
            ]
            for response in others { #expect((response.status, response.error) == (403, "denied")) }
            #expect(try service.confirm("dgbc1.AAAA").status == 400)
            #expect(try service.confirm(text, bot: "others").status == 404)
            #expect(backend.requests.isEmpty)
            let done = try service.confirm(text)
            let endpoint = "https://d.example.com/bots/orders/functions/cancel_order"
            #expect(
                (done.status, done.text) == (
                    200, #"{"status_code":200,"endpoint":"\#(endpoint)","response":{"cancelled":true}}"#
                ))
            let again = try service.confirm(text)
            #expect((again.status, again.text) == (done.status, done.text))
            service.graph.invalidation.tell(.revocations(nil))
            let later = try service.confirm(text)
            #expect((later.status, later.error) == (409, "already_called"))
            #expect(later.json["outcome"]?.text == "succeeded")
            #expect(backend.requests.map(\.target) == ["/orders/7/cancel"])
            let outcomes = try service.storedCalls().map(\.outcome)
            #expect(outcomes.filter { $0 == .succeeded }.count == 1)
            #expect(outcomes.contains(.confirmationRequired))
        }
    }

    @Test func `is performed once for concurrent confirmations`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.awaitRelease, .json(200, "{}"))) { service, backend in
            let text = try confirmation(
                try service.call("cancel_order", Self.order, ticket: try service.ticket()))
            let clients = try (0..<20).map { _ in try service.beginConfirm(text) }
            #expect(backend.waitForRequests(1))
            backend.release(20)
            for client in clients { #expect(try client.readResponse().status == 200) }
            #expect(backend.requests.count == 1)
        }
    }

    @Test func `ends with its ticket`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let text = try confirmation(
                try service.call("cancel_order", Self.order, ticket: try service.ticket()))
            fixture.pass(milliseconds: 600_000)
            let response = try service.confirm(text)
            #expect((response.status, response.error) == (409, "confirmation_expired"))
            #expect(backend.requests.isEmpty)
        }
    }

    @Test func `is given by the model if configured`() throws {
        let fixture = try BotFixture()
        let move: JSONObject = ["order_id": "7", "to": "Home"]
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let ticket = try service.ticket()
            let text = try confirmation(try service.call("move_order", .object(move), ticket: ticket))
            let stolen = try confirmation(
                try service.call("move_order", .object(move), ticket: try service.ticket(user: "user-2")))
            var confirmed = move
            confirmed.append(.string(text), forKey: "confirmation")
            var altered: JSONObject = ["order_id": "8", "to": "Home"]
            altered.append(.string(text), forKey: "confirmation")
            let response = try service.call("move_order", .object(altered), ticket: ticket)
            #expect((response.status, response.error) == (400, "invalid_confirmation"))
            #expect(
                try service.callNeutrally("move_order", .object(move), ticket: ticket, confirmation: stolen)
                    .status == 403)
            #expect(
                try service.callNeutrally("move_order", .object(move), ticket: ticket, confirmation: "x")
                    .status == 400)
            // This is no confirmation by the customer.
            #expect(try service.confirm(text).status == 403)
            #expect(backend.requests.isEmpty)
            #expect(try service.call("move_order", .object(confirmed), ticket: ticket).status == 200)
            #expect(
                try service.callNeutrally("move_order", .object(move), ticket: ticket, confirmation: text)
                    .status == 200)
            #expect(backend.requests.count == 1)
            #expect(
                JSONValue(parsing: backend.requests[0].body) == ["to": "Home"])
        }
    }
}

@Suite struct BotLimitTests {
    private static let limits = [LimitRule(per: .user, max: 3, windowMilliseconds: 60_000)]

    @Test func `the limits of functions are exact`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}")), limits: Self.limits) { service, backend in
            let ticket = try service.ticket()
            for _ in 0..<3 {
                #expect(try service.get("get_order_list", ticket: ticket).status == 200)
                fixture.pass(milliseconds: 1000)
            }
            for _ in 0..<5 {
                let response = try service.get("get_order_list", ticket: ticket)
                #expect((response.status, response.error) == (429, "too_many_requests"))
                #expect(response.headers["retry-after"] == "57")
            }
            // Each person and each function has a separate limit.
            #expect(
                try service.get("get_order_list", ticket: try service.ticket(user: "user-2")).status == 200)
            #expect(try service.get("get_order_details", "?order_id=7", ticket: ticket).status == 200)
            fixture.pass(milliseconds: 56_999)
            #expect(try service.get("get_order_list", ticket: ticket).status == 429)
            fixture.pass(milliseconds: 1)
            #expect(try service.get("get_order_list", ticket: ticket).status == 200)
            #expect(try service.get("get_order_list", ticket: ticket).status == 429)
            #expect(backend.requests.count == 6)
            #expect(try service.storedCalls().filter { $0.outcome == .limited }.count == 1)
        }
    }

    /// Two calls are one request: neither a request for a confirmation nor a repetition is counted.
    @Test func `limits count performed calls`() throws {
        let fixture = try BotFixture()
        let limits = [LimitRule(per: .user, max: 1, windowMilliseconds: 60_000)]
        try fixture.withBot(.everyRequest(.json(200, "{}")), limits: limits) { service, backend in
            let ticket = try service.ticket()
            let asked = try (0..<3).map { _ in
                try service.call("cancel_order", ["order_id": "7"], ticket: ticket)
            }
            #expect(asked.map(\.status) == [409, 409, 409])
            let texts = try asked.map { try #require($0.json["confirmation"]?.text) }
            #expect(Set(texts).count == 3)
            #expect(try service.confirm(texts[0]).status == 200)
            #expect(try service.confirm(texts[0]).status == 200)
            #expect(try service.confirm(texts[1]).status == 429)
            #expect(try service.call("cancel_order", ["order_id": "8"], ticket: ticket).status == 429)
            #expect(backend.requests.count == 1)
        }
    }

    @Test func `limits of functions survive a reload`() throws {
        let fixture = try BotFixture()
        let backend = try ScriptedServer(.everyRequest(.json(200, "{}")))
        defer { backend.stop() }
        let limits = [LimitRule(per: .user, max: 1, windowMilliseconds: 60_000)]
        try fixture.withService([BotFixture.bot(backend.url(""), limits: limits)]) { service in
            let ticket = try service.ticket()
            #expect(try service.get("get_order_list", ticket: ticket).status == 200)
            let next = try fixture.configuration([
                BotFixture.bot(backend.url(""), timeout: 5000, limits: limits)
            ])
            let isReloaded = service.reload { () throws(ConfigurationError) in next }
            #expect(isReloaded)
            #expect(try service.get("get_order_list", ticket: ticket).status == 429)
        }
    }
}
