internal import Bytes

/// One request, valid only while its handler runs. Its bytes are passed to closures and must not escape them.
@safe
package struct Request: ~Copyable {
    /// The method. HEAD calls the handler of GET, and the library omits the body.
    package let method: Method
    @usableFromInline let bodyBytes: UnsafeMutableBufferPointer<UInt8>
    @usableFromInline let pathParameters: PathParameters
    private let exchange: any Exchange

    /// Makes a request over bytes that must outlive it; for servers and in-process clients.
    /// - Parameter pathParameters: the bytes of the path at the route's parameters.
    package init(
        method: Method, body: UnsafeMutableBufferPointer<UInt8>,
        pathParameters: PathParameters = .none, exchange: any Exchange
    ) {
        self.method = method
        unsafe bodyBytes = body
        self.pathParameters = pathParameters
        self.exchange = exchange
    }

    /// Calls `body` with the whole body as received.
    @inlinable @inline(__always)
    package borrowing func withBody<Result, Failure: Error>(
        _ use: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe use(bodyBytes.span)
    }

    /// Calls `body` with the body for decoding in place; decoded data is never longer than the received data.
    @inlinable @inline(__always)
    package borrowing func withMutableBody<Result, Failure: Error>(
        _ use: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var span = unsafe bodyBytes.mutableSpan
        return try use(&span)
    }

    /// Calls `body` with the bytes of the path at the route's first parameter, as sent; empty when the route has none.
    @inlinable @inline(__always)
    package borrowing func withPathParameter<Result, Failure: Error>(
        _ use: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe use(pathParameters.values.0.span)
    }

    /// Calls `body` with the bytes of the path at the route's second parameter; otherwise as `withPathParameter`.
    @inlinable @inline(__always)
    package borrowing func withSecondPathParameter<Result, Failure: Error>(
        _ use: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe use(pathParameters.values.1.span)
    }

    /// Calls `body` with the value of the first header with that name (compared without regard to case); nil when there is none.
    ///
    /// Not generic in a result: an unspecialised generic call would cost more than finding the header.
    package borrowing func withHeader(_ name: StaticString, _ use: (Span<UInt8>?) -> Void) {
        exchange.withHeader(name, use)
    }

    /// Calls `body` with the value of the first header whose name is only known at run time (compared without regard to case); nil when
    /// there is none.
    package borrowing func withHeader(named name: [UInt8], _ use: (Span<UInt8>?) -> Void) {
        exchange.withHeader(named: name, use)
    }

    /// The values of all headers with a name, in order, copied.
    /// - Parameter name: in lower case.
    package borrowing func headerValues(_ name: StaticString) -> [[UInt8]] {
        exchange.headerValues(name)
    }

    /// Calls `body` with the token of the only `Authorization` header, if that is `Bearer TOKEN` (RFC 6750 section 2.1); nil for anything
    /// else.
    ///
    /// With two headers, a proxy or a filter before the service may have checked the other one.
    package borrowing func withBearerToken(_ use: (Span<UInt8>?) -> Void) {
        exchange.withOnlyHeader("Authorization") { value in
            guard let value, let start = bearerTokenStart(value) else { return use(nil) }
            use(value.extracting(start...))
        }
    }

    /// Calls `body` with the value of the header `traceparent` (W3C Trace Context) without surrounding white space; nil when there is none
    /// or more than one. The header was found when the headers were parsed, so this costs nothing.
    package borrowing func withTraceparent(_ use: (Span<UInt8>?) -> Void) {
        exchange.withTraceparent(use)
    }

    /// A copy of the request's id, which its response contains as `X-Request-Id`. The id has only allowed characters, so it is safe to log.
    package var requestID: String {
        var id = ""
        exchange.withRequestID { name in id = String(repairing: name) }
        return id
    }

    /// The peer's address, for logs; `unix` for a Unix socket.
    package borrowing func peer() -> String {
        exchange.peer()
    }

    package borrowing func peerHost() -> PeerHost {
        exchange.peerHost()
    }

    /// The local address of the connection: `IP:PORT` with the host as in `ListenAddress.onThisMachine`, or `unix`; nil if it is unknown.
    /// When the listener has a wildcard address, this is the address that the client connected to.
    package borrowing func localAddress() -> String? {
        exchange.localAddress()
    }

    /// Verifies the certificate that the client presented in its TLS handshake against these authorities.
    ///
    /// The result is cached for the connection, and computed again only for other authorities. The server must request client certificates.
    package borrowing func peerCertificate(_ authorities: ClientAuthorities) -> PeerCertificate {
        exchange.peerCertificate(authorities)
    }

    /// The parts of the query in order, copied.
    package borrowing func queryItems() -> [QueryItem] {
        exchange.queryItems()
    }
}

/// Returns the start of the token in a value of `Authorization`: after `Bearer` in any case and one or more spaces (RFC 6750 section 2.1,
/// RFC 9110 section 11.4); nil for anything else.
private func bearerTokenStart(_ value: Span<UInt8>) -> Int? {
    let scheme: StaticString = "bearer "
    let count = scheme.utf8CodeUnitCount
    guard value.count > count, value.extracting(..<count).equalsIgnoringCase(scheme) else { return nil }
    return (count..<value.count).first { value[$0] != UInt8(ascii: " ") }
}
