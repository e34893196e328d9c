/// One request as its handler sees it; it lives only while the handler runs, and lends its bytes to closures.
@safe
package struct Request: ~Copyable {
    /// The method; HEAD reaches the handlers of GET, and the library leaves the body out.
    package let method: Method
    @usableFromInline let bodyBytes: UnsafeMutableBufferPointer<UInt8>
    @usableFromInline let pathParameter: UnsafeBufferPointer<UInt8>
    private let exchange: any Exchange

    /// Makes a request over bytes that outlive it; for servers and in-process clients.
    /// - Parameter pathParameter: what the request has in place of its route's parameter; empty when there is none.
    package init(
        method: Method, body: UnsafeMutableBufferPointer<UInt8>,
        pathParameter: UnsafeBufferPointer<UInt8> = unsafe UnsafeBufferPointer(start: nil, count: 0), exchange: any Exchange
    ) {
        self.method = method
        unsafe bodyBytes = body
        unsafe self.pathParameter = pathParameter
        self.exchange = exchange
    }

    /// Lends the body, whole, as it was received.
    @inlinable @inline(__always)
    package borrowing func withBody<Result, Failure: Error>(
        _ use: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe use(bodyBytes.span)
    }

    /// Lends the body for decoding in place, where what is decoded is never longer than what was received.
    @inlinable @inline(__always)
    package borrowing func withMutableBody<Result, Failure: Error>(
        _ use: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var span = unsafe bodyBytes.mutableSpan
        return try use(&span)
    }

    /// Lends what the request's path has in place of its route's parameter, as it was sent; empty when the route has none.
    @inlinable @inline(__always)
    package borrowing func withPathParameter<Result, Failure: Error>(
        _ use: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe use(pathParameter.span)
    }

    /// Lends the value of the first header of that name (compared without regard to case), or nil when there is none.
    ///
    /// Not generic in a result, because an unspecialised one costs each request more than finding the header.
    package borrowing func withHeader(_ name: StaticString, _ use: (Span<UInt8>?) -> Void) {
        exchange.withHeader(name, use)
    }

    /// The name of the request, copied, as its answer carries it in `X-Request-Id`: a plain word that may stand in the log.
    package var requestID: String {
        var id = ""
        exchange.withRequestID { name in id = String(decoding: name.indices.map { name[$0] }, as: UTF8.self) }
        return id
    }

    /// The address of the other side, for logs; `unix` for a Unix socket.
    package borrowing func peer() -> String {
        exchange.peer()
    }

    /// The parts of the query in their order, copied.
    package borrowing func queryItems() -> [QueryItem] {
        exchange.queryItems()
    }
}
