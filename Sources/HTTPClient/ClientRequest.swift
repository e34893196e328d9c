internal import CCurl

/// One request to send: checked when it is made, never changed.
package struct ClientRequest: Sendable {
    /// Why a request could not be made. Says what is wrong with it, never what it holds.
    package enum Problem: Error, Equatable, CustomStringConvertible {
        /// The URL is not `http://` or `https://` with a host, in visible ASCII.
        case url
        /// The header of this index has a name that is no token, or one that frames the message and is the library's to send.
        case headerName(index: Int)
        /// The header of this index has a value with control characters.
        case headerValue(index: Int)

        /// One line for a person.
        package var description: String {
            switch self {
            case .url: "the URL must start with http:// or https://, name a host, and be ASCII without spaces"
            case .headerName(let index): "header \(index) has a name that may not be sent"
            case .headerValue(let index): "header \(index) has control characters in its value"
            }
        }
    }

    /// The method.
    package let method: ClientMethod
    /// The URL; userinfo in it becomes an Authorization header.
    package let url: String
    /// The headers beside Host, User-Agent, Accept and Content-Length.
    package let headers: [(name: String, value: String)]
    /// The body as it is sent.
    package let body: [UInt8]
    /// How long everything may take, waiting for a connection included, in milliseconds.
    package let timeoutMilliseconds: Int
    /// How long finding the host, connecting and the TLS handshake may take, in milliseconds.
    package let connectTimeoutMilliseconds: Int
    /// How many bytes of the response's body are kept; what is longer is cut off there and the transfer stopped.
    package let responseBodyLimit: Int
    /// Whom it goes to.
    let origin: Origin

    /// Makes a request.
    /// - Parameters:
    ///   - body: none with GET: that is a programmer's mistake and traps.
    ///   - timeoutMilliseconds: positive, as `connectTimeoutMilliseconds`; anything else traps.
    /// - Throws: what is wrong with the URL or a header (RFC 9110 section 5).
    package init(
        _ method: ClientMethod, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        timeoutMilliseconds: Int, connectTimeoutMilliseconds: Int = 5000, responseBodyLimit: Int = 64 * 1024
    ) throws(Problem) {
        precondition(method != .get || body.isEmpty, "GET has no body")
        precondition(timeoutMilliseconds > 0 && connectTimeoutMilliseconds > 0, "timeouts are positive")
        precondition(responseBodyLimit >= 0, "a limit is not negative")
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
        self.origin = origin
    }
}

/// The methods that a client sends.
package enum ClientMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
}

/// What a header may hold when it is sent.
enum HeaderRules {
    // They decide where a message ends or whether the connection stays; two opinions on that are request smuggling.
    private static let framing = ["connection", "content-length", "expect", "te", "trailer", "transfer-encoding", "upgrade"]

    /// Whether a name is a token (RFC 9110 section 5.6.2) and not one that the library sends itself.
    static func isSendable(name: String) -> Bool {
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else { return false }
        return !framing.contains { $0.utf8.count == name.utf8.count && equalsIgnoringCase($0.utf8, name.utf8) }
    }

    /// Whether a value is visible bytes, spaces and tabs (RFC 9110 section 5.5).
    static func isSendable(value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }

    /// Compares names as RFC 9110 section 5.1 does: ASCII letters in either case are the same.
    static func equalsIgnoringCase(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
        left.elementsEqual(right) { lowercase($0) == lowercase($1) }
    }

    /// The lower case of an ASCII letter, or the byte itself.
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

/// A request's headers in libcurl's form, which must live as long as the transfer.
@safe
final class HeaderList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    init(_ request: ClientRequest) {
        // Nobody is asked whether the body is welcome: that costs a round trip, and a second where it is not answered.
        append("Expect:")
        if !request.headers.contains(where: { HeaderRules.equalsIgnoringCase($0.name.utf8, "content-type".utf8) }) {
            // Without this line libcurl would call every body a form.
            append("Content-Type:")
        }
        for header in request.headers { append(Self.line(header.name, header.value)) }
    }

    deinit {
        unsafe curl_slist_free_all(first)
    }

    // CURLOPT_HTTPHEADER(3): a colon without a value removes a header, a semicolon sends it empty.
    private static func line(_ name: String, _ value: String) -> String {
        value.utf8.allSatisfy { $0 <= 0x20 } ? "\(name);" : "\(name): \(value)"
    }

    private func append(_ line: String) {
        guard let list = unsafe curl_slist_append(first, line) else { fatalError("out of memory while making a request") }
        unsafe first = list
    }
}
