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
    /// The name in metrics, such as `issue_session_token`. It must be a constant. Sendbird limits the rate of each endpoint, so a 429
    /// delays all requests with the same name.
    package let name: String
    package let method: ClientMethod
    /// The path components below the API's prefix. Each is percent-encoded as a whole, so that an id cannot contain a separator.
    package let path: [String]
    /// The query parameters, which are percent-encoded like the path.
    package let query: [(name: String, value: String)]
    /// The JSON body; nil for no body.
    package let body: JSONValue?
    /// The maximum size of the answer in bytes. A longer answer is an error.
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

    /// Whether a text can be a path component. Proxies and servers interpret `.` and `..` even if they are percent-encoded, so these texts
    /// cannot be used, nor can an empty text.
    package static func isAddressable(_ part: String) -> Bool {
        ![[], [0x2E], [0x2E, 0x2E]].contains(Array(part.utf8))
    }

    /// Creates the HTTP request; nil when a path component cannot be addressed, or the token is not valid in a header.
    func request(
        _ api: PlatformAPI, baseURL: String, token: SecretBytes, timeoutMilliseconds: Int
    ) -> ClientRequest? {
        guard path.allSatisfy(Self.isAddressable) else { return nil }
        let text = token.withSpan { span in String(repairing: span) }
        var headers = [(name: api.tokenHeader, value: text), (name: "Accept", value: "application/json")]
        // The Desk API requires this header for all requests that make changes; other requests ignore it.
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
