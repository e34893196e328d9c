internal import Bytes
internal import Crypto
internal import HTTPServer
internal import JSON
internal import Threading
internal import WebTokens

struct ShopQuery: Sendable {
    let method: String
    let path: String
    let pathParameter: String
    let token: String
    let proof: ShopProof.Headers
    /// The signed bytes: the body, or for GET the request target.
    let signed: [UInt8]
    /// The members of the body; for GET only `customer_id` of the query.
    let fields: JSONValue
    /// `Idempotency-Key`; empty when missing.
    let idempotencyKey: String

    /// The customer that Deskgate has added.
    var customerID: String { fields["customer_id"]?.text ?? "" }

    init(_ request: borrowing Request, path: String) {
        let parameter = request.withPathParameter { bytes in String(repairing: bytes) }
        let own = path.split(separator: "/").map { $0.hasPrefix(":") ? parameter : String($0) }
        let sentPath = "/" + own.joined(separator: "/")
        method = request.method.token
        self.path = sentPath
        pathParameter = parameter
        token = Self.header("x-shop-token", request)
        idempotencyKey = Self.header("idempotency-key", request)
        proof = ShopProof.Headers(
            id: Self.header("webhook-id", request), timestamp: Self.header("webhook-timestamp", request),
            signature: Self.header("webhook-signature", request))
        guard request.method == .get else {
            let body = request.withBody { body in Array(copying: body) }
            signed = body
            fields = JSONValue(parsing: body) ?? .null
            return
        }
        // Each part in Deskgate's form: a name, `=`, and a value in which a space is `%20`.
        let items = request.queryItems()
        let query = items.map { String(decoding: $0.name + [UInt8(ascii: "=")] + $0.value, as: UTF8.self) }.joined(separator: "&")
        signed = Array((items.isEmpty ? sentPath : "\(sentPath)?\(query)").utf8)
        fields = FormBody(received: Array(query.utf8))["customer_id"].map { ["customer_id": .string($0)] } ?? [:]
    }

    private static func header(_ name: StaticString, _ request: borrowing Request) -> String {
        let values = request.headerValues(name)
        // With two values it is ambiguous which one is meant.
        return values.count == 1 ? String(decoding: values[0], as: UTF8.self) : ""
    }
}

/// Verifies, answers and records a sample shop's requests.
final class ShopRequestHandler: Sendable {
    typealias Act = @Sendable (inout ShopData, ShopQuery) throws(ShopData.Refusal) -> JSONValue

    struct Answer: Sendable {
        let status: Int
        let body: JSONValue

        static func refusal(_ status: Int, code: String, message: String) -> Answer {
            Answer(status: status, body: .error(code, message))
        }
    }

    private struct State {
        var shopData: ShopData
        var records: [SampleShop.Record] = []
        /// Answers to changes, by the change's key and by the id of the call that made it.
        var answers: [String: Answer] = [:]
    }

    private static let maximumRecords = 1000
    private static let maximumAnswers = 10_000

    private let proof: ShopProof
    private let token: String
    private let observer: @Sendable (SampleShop.Record) -> Void
    private let state: Monitor<State>

    init(_ settings: SampleShopSettings, _ proof: ShopProof) {
        self.proof = proof
        token = settings.token
        observer = settings.observer
        state = Monitor(State(shopData: settings.shopData))
    }

    var shopData: ShopData { state.withLock { $0.shopData } }
    var records: [SampleShop.Record] { state.withLock { $0.records } }

    func answer(_ ask: ShopQuery, _ act: Act) -> Answer {
        let refusal = refusal(of: ask)
        let (answer, record) = state.withLock { state in
            let answer = refusal ?? Self.perform(ask, act: act, state: &state)
            let record = SampleShop.Record(
                request: "\(ask.method) \(ask.path)", callID: ask.proof.id, customerID: refusal == nil ? ask.customerID : nil,
                status: answer.status)
            if state.records.count >= Self.maximumRecords { state.records.removeFirst(Self.maximumRecords / 2) }
            state.records.append(record)
            return (answer, record)
        }
        observer(record)
        return answer
    }

    /// Returns the refusal of a request that is not authentic or not complete; nil otherwise.
    private func refusal(of ask: ShopQuery) -> Answer? {
        if let problem = proof.problem(ask.proof, signed: ask.signed) {
            return .refusal(401, code: "unsigned", message: "Refused: \(problem).")
        }
        guard constantTimeEquals(ask.token.utf8.span, token.utf8.span) else {
            return .refusal(401, code: "wrong_token", message: "The token is wrong.")
        }
        guard !ask.customerID.isEmpty else { return .refusal(400, code: "customer_missing", message: "There is no customer_id.") }
        guard ask.method == "GET" || !ask.idempotencyKey.isEmpty else {
            return .refusal(400, code: "idempotency_key_missing", message: "A change needs an Idempotency-Key.")
        }
        return nil
    }

    private static func perform(_ ask: ShopQuery, act: Act, state: inout State) -> Answer {
        guard ask.method != "GET" else { return answer(ask, act: act, shopData: &state.shopData) }
        // The key is not signed, so a recorded request could be repeated with another key; but its id is signed.
        let names = ["key \(ask.idempotencyKey)", "id \(ask.proof.id)"]
        for name in names { if let kept = state.answers[name] { return kept } }
        let answer = answer(ask, act: act, shopData: &state.shopData)
        if state.answers.count >= maximumAnswers { state.answers = [:] }
        for name in names { state.answers[name] = answer }
        return answer
    }

    private static func answer(_ ask: ShopQuery, act: Act, shopData: inout ShopData) -> Answer {
        do throws(ShopData.Refusal) {
            return Answer(status: 200, body: try act(&shopData, ask))
        } catch {
            switch error {
            case .notFound: return .refusal(404, code: "not_found", message: "This customer has no such order.")
            case .tooLate(let order):
                return .refusal(409, code: "too_late", message: "Order \(order.id) is \(order.status) and cannot be cancelled.")
            }
        }
    }
}
