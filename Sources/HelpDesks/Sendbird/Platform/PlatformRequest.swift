internal import Bytes
internal import Crypto
package import HTTPClient
package import JSON

/// Sendbird's two APIs for servers.
///
/// Sources: Sendbird, Chat Platform API v3, "Headers"; Desk Platform API v1, "Request headers".
package enum PlatformAPI: String, Sendable {
    case chat
    case desk

    var tokenHeader: String {
        switch self {
        case .chat: "Api-Token"
        case .desk: "SENDBIRDDESKAPITOKEN"
        }
    }

    var prefix: String {
        switch self {
        case .chat: "/v3"
        case .desk: "/platform/v1"
        }
    }
}

/// A request to one of the APIs, without base URL and token.
package struct PlatformRequest: Sendable {
    /// The name in metrics, such as `issue_session_token`. Sendbird limits the calls of each endpoint, so requests of one name are held
    /// back together after a 429. It must be a constant.
    package let name: String
    package let method: ClientMethod
    /// The path components below the API's prefix. Each is percent-encoded as a whole, so that an id cannot contain a separator.
    package let path: [String]
    /// Percent-encoded like the path.
    package let query: [(name: String, value: String)]
    /// Nil sends no body.
    package let body: JSONValue?
    /// In bytes; a longer answer is unusable.
    package let answerLimit: Int

    /// - Parameter body: must be nil for GET.
    package init(
        _ name: StaticString, method: ClientMethod, path: [String], query: [(name: String, value: String)] = [], body: JSONValue? = nil,
        answerLimit: Int = 256 * 1024
    ) {
        self.name = "\(name)"
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.answerLimit = answerLimit
    }

    /// Whether a text can be a path component. Proxies and servers interpret `.` and `..` even when they are percent-encoded, so such an id
    /// cannot be addressed; neither can an empty one.
    package static func isAddressable(_ part: String) -> Bool {
        ![[], [0x2E], [0x2E, 0x2E]].contains(Array(part.utf8))
    }

    /// Returns nil when a path component cannot be addressed, or the token cannot be in a header.
    func request(
        _ api: PlatformAPI, baseURL: String, token: SecretBytes, timeoutMilliseconds: Int
    ) -> ClientRequest? {
        guard path.allSatisfy(Self.isAddressable) else { return nil }
        let text = token.withSpan { span in String(repairing: span) }
        var headers = [(name: api.tokenHeader, value: text), (name: "Accept", value: "application/json")]
        // The Desk API requires it of all requests that change something; others ignore it.
        if method != .get { headers.append(("Content-Type", "application/json; charset=utf-8")) }
        return try? ClientRequest(
            method, baseURL + api.prefix + target, headers: headers, body: body?.serialized() ?? [],
            timeoutMilliseconds: timeoutMilliseconds,
            connectTimeoutMilliseconds: timeoutMilliseconds, responseBodyLimit: answerLimit)
    }

    private var target: String {
        var bytes: [UInt8] = []
        for part in path {
            bytes.append(UInt8(ascii: "/"))
            bytes.append(percentEncoding: part)
        }
        for (index, item) in query.enumerated() {
            bytes.append(UInt8(ascii: index == 0 ? "?" : "&"))
            bytes.append(percentEncoding: item.name)
            bytes.append(UInt8(ascii: "="))
            bytes.append(percentEncoding: item.value)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    fileprivate mutating func append(percentEncoding text: String) {
        for byte in text.utf8 { append(percentEncoding: byte) }
    }
}
