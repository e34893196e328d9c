internal import Bytes

/// One request as its handler sees it. It is valid only while the handler runs, and lends its bytes to closures.
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

    /// Lends the whole body as received.
    @inlinable @inline(__always)
    package borrowing func withBody<Result, Failure: Error>(
        _ use: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe use(bodyBytes.span)
    }

    /// Lends the body for decoding in place; decoded data is never longer than the received data.
    @inlinable @inline(__always)
    package borrowing func withMutableBody<Result, Failure: Error>(
        _ use: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var span = unsafe bodyBytes.mutableSpan
        return try use(&span)
    }

    /// Lends the bytes of the path at the route's first parameter, as sent; empty when the route has none.
    @inlinable @inline(__always)
    package borrowing func withPathParameter<Result, Failure: Error>(
        _ use: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe use(pathParameters.values.0.span)
    }

    /// Lends the bytes of the path at the route's second parameter, as `withPathParameter`.
    @inlinable @inline(__always)
    package borrowing func withSecondPathParameter<Result, Failure: Error>(
        _ use: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe use(pathParameters.values.1.span)
    }

    /// Lends the value of the first header of that name (compared without regard to case); nil when there is none.
    ///
    /// Not generic in a result: an unspecialised generic call would cost each request more than finding the header.
    package borrowing func withHeader(_ name: StaticString, _ use: (Span<UInt8>?) -> Void) {
        exchange.withHeader(name, use)
    }

    /// Lends the value of the first header of a name that is known at run time only (compared without regard to case); nil when there is
    /// none.
    package borrowing func withHeader(named name: [UInt8], _ use: (Span<UInt8>?) -> Void) {
        exchange.withHeader(named: name, use)
    }

    /// The values of all headers of a name, in order, copied.
    /// - Parameter name: in lower case.
    package borrowing func headerValues(_ name: StaticString) -> [[UInt8]] {
        exchange.headerValues(name)
    }

    /// Lends the token of the only `Authorization` header, if that is `Bearer TOKEN` (RFC 6750 section 2.1); nil for anything else.
    ///
    /// Of two headers, a proxy or a filter before the service may have judged the other one.
    package borrowing func withBearerToken(_ use: (Span<UInt8>?) -> Void) {
        exchange.withOnlyHeader("Authorization") { value in
            guard let value, let start = bearerTokenStart(value) else { return use(nil) }
            use(value.extracting(start...))
        }
    }

    /// Lends the value of the header `traceparent` (W3C Trace Context) without the blanks around it; nil when there is none or more than
    /// one, which says as little. It is found already, so asking costs nothing.
    package borrowing func withTraceparent(_ use: (Span<UInt8>?) -> Void) {
        exchange.withTraceparent(use)
    }

    /// A copy of the request's id, which its answer carries in `X-Request-Id`. It has only allowed characters, so it is safe to log.
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

    /// The address of this machine that the caller has connected to: `IP:PORT` with the host as in `ListenAddress.onThisMachine`, or
    /// `unix`; nil if it is unknown. It is the connection's own address, also when the listener has a wildcard address.
    package borrowing func localAddress() -> String? {
        exchange.localAddress()
    }

    /// Verifies the certificate that the client has shown in its TLS handshake against these authorities.
    ///
    /// It is verified with the connection's first request, and again for other authorities. The server must request client certificates.
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
