package import Bytes
internal import CCurl
internal import Time

/// An immutable request that was validated when it was created.
package struct ClientRequest: Sendable {
    /// The reason why a request could not be created. It contains no part of the request.
    package enum Problem: Error, Equatable, CustomStringConvertible {
        /// The URL is not `http://` or `https://` with a host, in visible ASCII.
        case url
        /// The header at this index has an invalid name, or the name of a framing header that only the library sends.
        case headerName(index: Int)
        /// The header at this index has a value with control characters.
        case headerValue(index: Int)

        package var description: String {
            switch self {
            case .url: "the URL must start with http:// or https://, contain a host, and be ASCII without spaces"
            case .headerName(let index): "header \(index) has a name that may not be sent"
            case .headerValue(let index): "header \(index) has control characters in its value"
            }
        }
    }

    package let method: ClientMethod
    /// The URL; userinfo in it becomes an Authorization header.
    package let url: String
    /// The headers, except Host, User-Agent, Accept and Content-Length.
    package let headers: [(name: String, value: String)]
    /// The body as sent.
    package let body: [UInt8]
    /// The timeout of the whole request in milliseconds, including any wait for a connection.
    package let timeoutMilliseconds: Int
    /// The timeout of resolving the host, connecting and the TLS handshake, in milliseconds.
    package let connectTimeoutMilliseconds: Int
    /// The maximum number of body bytes of the response that are kept. A longer body is truncated, and the transfer stops.
    package let responseBodyLimit: Int
    /// The only address to which the request may be sent, on a separate connection; nil for the addresses of the host name.
    package let address: IPAddress?
    /// Whether only the head of the response is needed, which is then returned as soon as it is complete. The body is read for at most one
    /// second and discarded; the connection is kept only if the body ends within this time.
    package let needsOnlyHead: Bool
    /// Whether the server may compress the response's body, which is then decompressed. The limit applies to the decompressed bytes.
    package let acceptsCompression: Bool
    /// Whether an incomplete body, which breaks off or does not end in time, is accepted as a response. `ClientResponse.bodyFailure` then
    /// contains the error.
    package let takesPartialBody: Bool
    let origin: Origin

    /// The default timeout of connecting in milliseconds.
    package static let defaultConnectTimeoutMilliseconds: Int = TimeLimit.milliseconds(5000)

    /// - Parameters:
    ///     - body: must be empty for GET; traps otherwise.
    ///     - timeoutMilliseconds: must be positive, like `connectTimeoutMilliseconds`; traps otherwise.
    /// - Throws: the mistake in the URL or a header (RFC 9110 section 5).
    package init(
        _ method: ClientMethod, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        timeoutMilliseconds: Int, connectTimeoutMilliseconds: Int = defaultConnectTimeoutMilliseconds, responseBodyLimit: Int = 64 * 1024,
        address: IPAddress? = nil, acceptsCompression: Bool = false, needsOnlyHead: Bool = false,
        takesPartialBody: Bool = false
    ) throws(Problem) {
        precondition(method != .get || body.isEmpty, "a GET request must not have a body")
        precondition(timeoutMilliseconds > 0 && connectTimeoutMilliseconds > 0, "timeouts must be positive")
        precondition(responseBodyLimit >= 0, "the limit must not be negative")
        guard let origin = Origin(url) else { throw .url }
        for (index, header) in headers.enumerated() {
            guard HeaderRules.isSendable(name: header.name) else { throw .headerName(index: index) }
            guard HeaderRules.isSendable(value: header.value) else { throw .headerValue(index: index) }
        }
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeoutMilliseconds = timeoutMilliseconds
        self.connectTimeoutMilliseconds = connectTimeoutMilliseconds
        self.responseBodyLimit = responseBodyLimit
        self.address = address
        self.acceptsCompression = acceptsCompression
        self.needsOnlyHead = needsOnlyHead
        self.takesPartialBody = takesPartialBody
        self.origin = origin
    }
}

package enum ClientMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

enum HeaderRules {
    // These headers determine the end of a message, or whether the connection stays open. Contradictory values would enable request
    // smuggling.
    private static let framing = ["connection", "content-length", "expect", "te", "trailer", "transfer-encoding", "upgrade"]

    /// Whether a name is a token (RFC 9110 section 5.6.2), and is not the name of a header that only the library sends.
    static func isSendable(name: String) -> Bool {
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else { return false }
        return !framing.contains { $0.utf8.count == name.utf8.count && equalsIgnoringCase($0.utf8, name.utf8) }
    }

    /// Whether a value consists of visible bytes, spaces and tabs (RFC 9110 section 5.5).
    static func isSendable(value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }

    /// Compares names without regard to ASCII case (RFC 9110 section 5.1).
    static func equalsIgnoringCase(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
        left.elementsEqual(right) { lowercase($0) == lowercase($1) }
    }

    /// Returns the lower case of an ASCII letter, and any other byte unchanged.
    static func lowercase(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"): true
        default: "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
    }
}

/// A libcurl list of texts. It must outlive the transfer.
@safe
final class TextList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    /// Creates the list of a request's headers. `keepsConnection` determines whether the connection may be reused.
    init(headersOf request: ClientRequest, keepsConnection: Bool) {
        // Disables "Expect: 100-continue", which costs a round trip, and one second if the server does not answer it.
        append("Expect:")
        if !keepsConnection { append("Connection: close") }
        if !request.headers.contains(where: { HeaderRules.equalsIgnoringCase($0.name.utf8, "content-type".utf8) }) {
            // Otherwise libcurl would send every body with the content type of a form.
            append("Content-Type:")
        }
        for header in request.headers { append(Self.line(header.name, header.value)) }
    }

    /// Creates a list for CURLOPT_CONNECT_TO(3): connects to this address and the same port for any host and port.
    init(connectingTo address: IPAddress) {
        append(address.isIPv4 ? "::\(address):" : "::[\(address)]:")
    }

    deinit {
        unsafe curl_slist_free_all(first)
    }

    // In CURLOPT_HTTPHEADER(3), a name with a colon and no value removes a header, and a name with a semicolon sends it empty.
    private static func line(_ name: String, _ value: String) -> String {
        value.utf8.allSatisfy { $0 <= 0x20 } ? "\(name);" : "\(name): \(value)"
    }

    private func append(_ line: String) {
        guard let list = unsafe curl_slist_append(first, line) else { fatalError("out of memory while creating a request") }
        unsafe first = list
    }
}
