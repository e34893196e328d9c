internal import HTTPServer
internal import JSON
internal import Threading
package import Time

package struct SampleShopSettings: Sendable {
    /// An IPv4 address of this machine.
    package var host = "127.0.0.1"
    /// 0 lets the system choose.
    package var port: UInt16 = 0
    package var shopData = ShopData.sample
    /// The secrets that sign requests, each `whsec_` and base64.
    package var secrets: [String]
    /// The expected value of `X-Shop-Token`.
    package var token: String
    package var now: @Sendable () -> UnixSeconds = { SystemClock.unixSeconds() }
    /// Called for each request on a thread of the shop; must not block for long.
    package var observer: @Sendable (SampleShop.Record) -> Void = { _ in }

    package init(secrets: [String], token: String) {
        self.secrets = secrets
        self.token = token
    }
}

/// A sample backend of a company whose bot Deskgate serves: a small shop that lists, shows and cancels orders and recommends products.
///
/// It implements the advice of docs/BOTS.md for backends: it verifies each request, trusts only a signed customer id, and gives a repeated
/// change the same answer again. The owner must call `stop` before releasing it.
package final class SampleShop: Sendable {
    package struct Record: Sendable, Equatable {
        /// The method and the path, such as `GET /orders`.
        package let request: String
        /// `webhook-id`: the id of Deskgate's call; empty when missing.
        package let callID: String
        /// Nil when the request was rejected before the customer was read.
        package let customerID: String?
        package let status: Int
    }

    private static let bodyLimit = 64 * 1024

    /// The base of all URLs: `http://127.0.0.1:PORT`.
    package let url: String
    private let counter: ShopRequestHandler
    private let server: Server

    /// - Throws: when the port is in use, or a secret is invalid.
    package init(_ settings: SampleShopSettings) throws(SimulatorSet.Failure) {
        let proof = try ShopProof(secrets: settings.secrets, now: settings.now)
        let counter = ShopRequestHandler(settings, proof)
        self.counter = counter
        let routes = [
            Self.route(counter, method: .get, path: "/orders") { shopData, ask throws(ShopData.Refusal) in
                .array(shopData.orders(of: ask.customerID).map(\.line))
            },
            Self.route(counter, method: .get, path: "/orders/:order") { shopData, ask throws(ShopData.Refusal) in
                try shopData.order(ask.pathParameter, of: ask.customerID).details(customerName: shopData.name(of: ask.customerID))
            },
            Self.route(counter, method: .get, path: "/recommendations") { shopData, _ throws(ShopData.Refusal) in
                .array(shopData.products.map(\.json))
            },
            Self.route(counter, method: .post, path: "/cancellations") { shopData, ask throws(ShopData.Refusal) in
                try shopData.cancel(ask.fields["order_id"]?.text ?? "", of: ask.customerID).line
            },
        ]
        do throws(ServerError) {
            server = try Server(
                .tcp(host: settings.host, port: settings.port), router: Router(routes),
                settings: ServerSettings(connectionLimit: 2000, threads: 1))
        } catch {
            throw SimulatorSet.Failure(description: "\(error)")
        }
        url = "http://\(server.address)"
    }

    package var shopData: ShopData { counter.shopData }

    /// The last requests, the oldest first.
    package var records: [Record] { counter.records }

    /// Call it once.
    package func stop() {
        server.stop(drainMilliseconds: 1000)
    }

    private static func route(
        _ counter: ShopRequestHandler, method: HTTPServer.Method, path: StaticString, act: @escaping ShopRequestHandler.Act
    ) -> Route {
        let handler: Handler = { request, responder in
            let answer = counter.answer(ShopQuery(request, path: "\(path)"), act)
            return responder.respond(Response(status: answer.status, json: answer.body))
        }
        return Route(path, bodyLimit: bodyLimit, [(method, handler)])
    }
}
