/// One request to send: checked when it is made, never changed.
package struct ClientRequest: Sendable {
    /// Why a request could not be made. Says what is wrong with it, never what it holds.
    package enum Invalid: Error, Equatable, CustomStringConvertible {
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
    ) throws(Invalid) {
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
