import Crypto
import HTTPClient
import JSON
import Simulators
import TestSupport
import Testing
import Threading
import Time

/// The sample backend of a bot, with requests like Deskgate's and with forged ones.
@Suite struct SampleShopTests {
    @Test func `returns the shapes in the vendor's documentation`() throws {
        let site = try ShopSite()
        let list = try site.get("/orders?customer_id=user-1")
        #expect(list.status == 200)
        #expect(list.json.elements.count == 3)
        #expect(list.json.elements[1] == ["id": "1002", "status": "processing", "items": ["Bookshelf", "Wall brackets"]])
        #expect(
            try site.get("/orders/1002?customer_id=user-1").json == [
                "id": "1002", "customer_name": "Olga Petrova", "status": "processing", "estimatedDeliveryDate": "2026-12-04",
                "items": ["Bookshelf", "Wall brackets"], "purchasePrice": "129.00 EUR",
            ])
        let products = try site.get("/recommendations?customer_id=user-1").json.elements
        #expect(products.count == 2)
        #expect(products.allSatisfy { keys($0) == ["image", "name", "price"] })
        let cancelled = try site.cancel("1002", key: "k1", id: "c1")
        #expect(cancelled.status == 200)
        #expect(cancelled.json["status"] == "cancelled")
        #expect(site.shop.shopData.orders.map(\.status) == ["delivered", "cancelled", "processing", "processing"])
        #expect(site.shop.records.map(\.status) == [200, 200, 200, 200])
        let last = try #require(site.shop.records.last)
        #expect(last.request == "POST /cancellations")
        #expect(last.callID == "c1")
        #expect(last.customerID == "user-1")
    }

    @Test func `a customer gets only own orders`() throws {
        let site = try ShopSite()
        for path in ["/orders/2001", "/orders/9", "/orders/1002%20", "/orders/..%2f1002"] {
            #expect(try site.get("\(path)?customer_id=user-1").status == 404)
        }
        #expect(try site.cancel("2001", key: "k1", id: "c1").status == 404)
        #expect(try site.cancel("1001", key: "k2", id: "c2").status == 409, "it was delivered")
        #expect(try site.get("/orders?customer_id=nobody").json == [])
        #expect(try site.get("/orders").status == 400)
        #expect(site.shop.shopData == .sample)
    }

    @Test func `answers a repeated change with the first response`() throws {
        let site = try ShopSite()
        let first = try site.cancel("1002", key: "k1", id: "c1")
        #expect(try site.cancel("1002", key: "k1", id: "c2") == first, "the same key")
        #expect(try site.cancel("1002", key: "k2", id: "c1") == first, "a recorded request with another key, which is not signed")
        #expect(try site.cancel("1002", key: "k3", id: "c3").status == 409)
        #expect(try site.cancel("1003", key: nil, id: "c4").status == 400, "without a key")
        #expect(site.shop.shopData.orders.map(\.status) == ["delivered", "cancelled", "processing", "processing"])
    }

    @Test func `accepts only signed requests`() throws {
        let site = try ShopSite()
        let path = "/orders?customer_id=user-1"
        #expect(try site.get(path, secret: site.former).status == 200, "any of its secrets")
        #expect(try site.get(path, secret: ShopSite.newSecret()).status == 401)
        #expect(try site.get(path, signed: "/orders?customer_id=user-2").status == 401)
        #expect(try site.get(path, signed: "").status == 401)
        #expect(try site.get(path, at: SystemClock.unixSeconds().saturating(subtracting: 302)).status == 401)
        #expect(try site.get(path, at: SystemClock.unixSeconds() + 600).status == 401)
        #expect(try site.get(path, token: "wrong").status == 401)
        #expect(try site.send(.get, path, headers: [], body: []).status == 401)
        #expect(try site.cancel("1002", key: "k", id: "c1", signed: #"{"order_id":"1003","customer_id":"user-1"}"#).status == 401)
        #expect(site.shop.shopData == .sample)
        #expect(site.shop.records.dropFirst().allSatisfy { $0.customerID == nil && $0.status == 401 })
    }

    @Test func `reads its own file`() throws {
        let text = ShopData.sample.json.serialized(pretty: true)
        #expect(try ShopData(json: #require(JSONValue(parsing: text))) == .sample)
        for broken in [
            #"{}"#, #"{"customers":[{}],"orders":[],"recommendations":[]}"#, #"{"customers":[],"orders":[{"id":7}],"recommendations":[]}"#,
        ] {
            #expect(try ShopData(json: #require(JSONValue(parsing: Array(broken.utf8)))) == nil)
        }
        #expect(throws: SimulatorSet.Failure.self) { _ = try SampleShop(SampleShopSettings(secrets: ["whsec_?"], token: "t")) }
    }

    private func keys(_ value: JSONValue) -> [String] {
        guard case .object(let object) = value else { return [] }
        return object.members.map(\.key)
    }
}

/// A sample shop, and requests signed like Deskgate's.
final class ShopSite {
    struct Answer: Equatable {
        let status: Int
        let json: JSONValue
    }

    let shop: SampleShop
    let secret: String
    let former: String
    private let client: Client

    init() throws {
        (secret, former) = try (Self.newSecret(), Self.newSecret())
        client = try Client()
        shop = try SampleShop(SampleShopSettings(secrets: [secret, former], token: "shop-token"))
    }

    deinit {
        client.close()
        shop.stop()
    }

    static func newSecret() throws -> String { try NewSecret.signing() }

    func get(
        _ target: String, secret: String? = nil, signed: String? = nil, at moment: UnixSeconds = SystemClock.unixSeconds(),
        token: String = "shop-token"
    ) throws -> Answer {
        let proof = try Self.proof(id: "call-1", secret ?? self.secret, content: signed ?? target, moment: moment)
        return try send(.get, target, headers: proof + [("X-Shop-Token", token)], body: [])
    }

    func cancel(_ order: String, key: String?, id: String, signed: String? = nil) throws -> Answer {
        let body = #"{"order_id":"\#(order)","customer_id":"user-1"}"#
        var headers = try Self.proof(id: id, secret, content: signed ?? body, moment: SystemClock.unixSeconds())
        headers += [("X-Shop-Token", "shop-token"), ("Content-Type", "application/json")]
        if let key { headers.append(("Idempotency-Key", key)) }
        return try send(.post, "/cancellations", headers: headers, body: Array(body.utf8))
    }

    func send(_ method: ClientMethod, _ target: String, headers: [(name: String, value: String)], body: [UInt8]) throws -> Answer {
        let request = try ClientRequest(
            method, shop.url + target, headers: headers, body: body, timeoutMilliseconds: Int(WaitLimit.milliseconds))
        let result = Monitor<Result<ClientResponse, ClientError>?>(nil)
        client.send(request) { answer in result.update { $0 = answer } }
        let response = try #require(result.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) { $0 }).get()
        return Answer(status: response.status, json: try #require(JSONValue(parsing: response.body)))
    }

    /// Standard Webhooks 1.0: the HMAC covers the id, the time and the content, separated by full stops.
    private static func proof(
        id: String, _ secret: String, content: String, moment: UnixSeconds
    ) throws -> [(name: String, value: String)] {
        let bytes = try #require(Base64.decode(String(secret.dropFirst(6))))
        let key = try HMACKey<SHA256>(secret: bytes.span)
        let code = try key.code { message throws(CryptoError) in try message.append("\(id).\(moment).\(content)".utf8.span) }
        return [("webhook-id", id), ("webhook-timestamp", "\(moment)"), ("webhook-signature", "v1,\(Base64.encode(code.span))")]
    }
}
