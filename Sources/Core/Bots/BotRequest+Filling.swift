internal import Bytes
internal import Crypto
internal import JSON

extension BotRequest {
    /// The maximum size of a header in bytes, with arguments filled in.
    static var longestHeader: Int { 4096 }

    /// Returns the request with its arguments filled in. Arguments that are not placeholders of the URL or of a header go into the query
    /// (GET) or into a JSON object. Throws a sentence about an argument that is invalid for its position.
    package func filled(with arguments: BotArguments) throws(BotArgumentsProblem) -> BotFilledRequest {
        let value = { (name: String) in arguments.complete[name].map(Self.text) ?? "" }
        let rest = arguments.complete.members.filter { !placedParameters.contains($0.key) }
        let isGet = method == .get
        return BotFilledRequest(
            method: method,
            url: try url.filled(value, adding: isGet ? rest.map { ($0.key, Self.text($0.value)) } : []),
            headers: try headers(value),
            body: isGet ? nil : JSONValue.object(JSONObject(rest.map { ($0.key, $0.value) })).serialized(),
            timeoutMilliseconds: timeoutMilliseconds)
    }

    /// Parameters that are placeholders of the URL or of a header.
    private var placedParameters: [String] {
        headers.reduce(into: url.placeholders) { names, header in
            if case .text(let text) = header.value { names += text.placeholders }
        }
    }

    private func headers(_ value: (String) -> String) throws(BotArgumentsProblem) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        for header in self.headers {
            switch header.value {
            case .secret(let secret):
                headers.append((header.name, secret.withSpan { bytes in String(repairing: bytes) }))
            case .text(let text):
                let filled = text.filled { BotURLTemplate.escaped(value($0)) }
                guard filled.utf8.count <= Self.longestHeader else {
                    throw BotArgumentsProblem("\(text.placeholders.joined(separator: ", ")) is too long")
                }
                headers.append((header.name, filled))
            }
        }
        return headers
    }

    /// Returns a string unchanged, and any other value as JSON.
    private static func text(_ value: JSONValue) -> String {
        if case .string(let text) = value { return text }
        return String(decoding: value.serialized(), as: UTF8.self)
    }
}
