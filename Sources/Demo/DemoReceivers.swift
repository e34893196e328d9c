internal import Core
internal import Crypto
internal import HTTPServer
internal import JSON
internal import Threading
internal import Time

/// The company's servers: the backend accepts all events, the CRM fails at intervals, billing accepts none, and one returns the stores'
/// opening hours to the bot.
///
/// The owner must call `stop` before releasing it.
final class DemoReceivers: Sendable {
    private static let bodyLimit = 1 << 20
    /// In each of these periods the CRM fails for a while.
    private static let periodMilliseconds: UInt64 = 240_000
    private static let failingMilliseconds: Range<UInt64> = 60_000..<105_000
    /// The number of events that the CRM refuses at first: fewer than open a breaker, so that they are retried within seconds.
    private static let firstRefusals = 5

    /// The base URL, such as `http://127.0.0.1:8081`.
    let address: String
    private let server: Server

    /// Starts the servers on a port that the system chooses.
    init(_ secrets: DemoSecrets) throws {
        let (start, refusals) = (SystemClock.monotonicMilliseconds(), Monitor(0))
        let (backend, crm, billing) = (
            try StandardWebhookSecret(secrets[.backend]), try StandardWebhookSecret(secrets[.crm]),
            try StandardWebhookSecret(secrets[.billing])
        )
        var settings = ServerSettings()
        settings.threads = 1
        server = try Server(
            .tcp(host: "127.0.0.1", port: 0),
            router: Router([
                Self.route("/backend", secret: backend) { 200 },
                Self.route("/crm", secret: crm) { Self.isFailing(since: start, refusals) ? 500 : 200 },
                Self.route("/billing", secret: billing) { 410 }, Self.openingHours,
            ]), settings: settings)
        address = "http://\(server.address)"
    }

    func stop() {
        server.stop(drainMilliseconds: 1000)
    }

    /// - Parameter refusals: the number of events that were refused at first.
    private static func isFailing(since start: MonotonicMilliseconds, _ refusals: Monitor<Int>) -> Bool {
        let isFirst = refusals.withLock { refusals in
            guard refusals < firstRefusals else { return false }
            refusals += 1
            return true
        }
        return isFirst || failingMilliseconds.contains(SystemClock.monotonicMilliseconds().elapsed(since: start) % periodMilliseconds)
    }

    /// - Parameter status: the response to an event with a valid signature.
    private static func route(_ path: StaticString, secret: StandardWebhookSecret, status: @escaping @Sendable () -> Int) -> Route {
        let refusal = Response.error(401, code: "unsigned", message: "The signature is invalid.")
        return Route(
            path, bodyLimit: bodyLimit,
            [
                (
                    .post,
                    { request, responder in
                        responder.respond(isGenuine(request, secret) ? Response(status: status()) : refusal)
                    }
                )
            ])
    }

    private static let openingHours = Route(
        "/opening-hours", bodyLimit: 0,
        [(.get, { _, responder in responder.respond(Response(status: 200, json: ["opens": "09:00", "closes": "18:00"])) })])

    private static func isGenuine(_ request: borrowing Request, _ secret: StandardWebhookSecret) -> Bool {
        let (id, timestamp) = (header("webhook-id", request), header("webhook-timestamp", request))
        let signature = header("webhook-signature", request)
        return request.withBody { body in
            (try? StandardWebhookSignature.isGenuine(
                signature: signature, id: id, timestamp: timestamp, body: body, secrets: [secret], now: SystemClock.unixMilliseconds()))
                == true
        }
    }

    private static func header(_ name: StaticString, _ request: borrowing Request) -> String {
        String(decoding: request.headerValues(name).first ?? [], as: UTF8.self)
    }
}
