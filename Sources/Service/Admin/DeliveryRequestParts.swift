internal import Core
internal import HTTPClient
internal import JSON

/// An action as a request to the admin listener, which reads it as the same action.
struct DeliveryRequestParts {
    let method: ClientMethod
    /// Path and query.
    let target: String
    let body: [UInt8]

    init(_ action: DeliveryAction) {
        switch action {
        case .list(let filter, let limit):
            self.init(.get, query: DeliveryCriteria.texts(of: filter) + [("limit", "\(limit)")])
        case .show(let id): self.init(.get, "/\(id)")
        case .retryOne(let id): self.init(.post, "/\(id)/retry")
        case .retry(let filter): self.init(.post, "/retry", body: Self.body(filter))
        case .purge(let ended, let before):
            self.init(.delete, query: [("state", ended.rawValue)] + (before.map { [("before", DeliveryTime.text($0))] } ?? []))
        }
    }

    private init(_ method: ClientMethod, _ path: String = "", query: [(name: String, text: String)] = [], body: [UInt8] = []) {
        self.method = method
        let parts = query.map { "\($0.name)=\(Self.escaped($0.text))" }
        target = "/v1/deliveries\(path)" + (parts.isEmpty ? "" : "?\(parts.joined(separator: "&"))")
        self.body = body
    }

    private static func body(_ filter: DeliveryFilter) -> [UInt8] {
        var object = JSONObject()
        for (name, text) in DeliveryCriteria.texts(of: filter) {
            object.append(DeliveryCriteria.numbers.contains(name) ? .integer(Int64(text) ?? 0) : .string(text), forKey: name)
        }
        return JSONValue.object(object.members.isEmpty ? ["all": true] : object).serialized()
    }

    /// Escapes all bytes but the unreserved ones (RFC 3986 section 2.3).
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
