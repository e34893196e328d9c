/// One request that gets exactly one response, with the operations that a `Responder` uses.
///
/// A server's connection implements it, as does the in-process client of the tests. Only `Responder` and `PendingResponse` call it, and
/// they guarantee the order and the number of calls.
package protocol Exchange: AnyObject, Sendable {
    /// Sends the response now. Called on the thread that runs the handler.
    func respond(_ response: Response)

    /// Suspends the connection until `resume(with:)` or the deadline, whichever comes first.
    /// - Parameter timeoutMilliseconds: the time until the deadline, when the request is answered 503.
    func suspend(timeoutMilliseconds: UInt64)

    /// Answers a suspended exchange. Called on any thread, at most once.
    /// - Returns: false when the deadline or a shutdown has already answered it.
    func resume(with response: Response) -> Bool

    /// Whether it is suspended and neither a handler nor its deadline has answered yet. Called on any thread; never waits.
    var isSuspended: Bool { get }

    /// Calls `body` with the value of a request header; nil when the request does not have it.
    func withHeader(_ name: StaticString, _ body: (Span<UInt8>?) -> Void)

    /// Calls `body` with the value of a request header whose name is only known at run time; nil when the request does not have it.
    func withHeader(named name: [UInt8], _ body: (Span<UInt8>?) -> Void)

    /// Calls `body` with the value of the only request header with a name; nil when there is none or more than one. Allocates, so do not
    /// use it on the hot path.
    func withOnlyHeader(_ name: StaticString, _ body: (Span<UInt8>?) -> Void)

    /// The values of all headers with a name, in order. Allocates, so do not use it on the hot path.
    /// - Parameter name: in lower case.
    func headerValues(_ name: StaticString) -> [[UInt8]]

    /// The peer's address, for logs; `unix` for a Unix socket.
    func peer() -> String

    func peerHost() -> PeerHost

    /// The address of this machine that the caller has connected to; nil if it is unknown.
    func localAddress() -> String?

    func peerCertificate(_ authorities: ClientAuthorities) -> PeerCertificate

    /// Calls `body` with the value of the header `traceparent` without surrounding white space; nil when there is none or more than one.
    func withTraceparent(_ body: (Span<UInt8>?) -> Void)

    /// Calls `body` with the request's id, which its response contains as `X-Request-Id`.
    func withRequestID(_ body: (Span<UInt8>) -> Void)

    /// The parts of the request's query in order. Allocates, so do not use it on the hot path.
    func queryItems() -> [QueryItem]
}

extension Exchange {
    /// The default for an exchange without a socket: `none`.
    package func peer() -> String { "none" }

    /// The default for an exchange without a socket, in which a header has one value.
    package func withOnlyHeader(_ name: StaticString, _ body: (Span<UInt8>?) -> Void) { withHeader(name, body) }

    /// The default for an exchange without a socket, in which a header has one value.
    package func withTraceparent(_ body: (Span<UInt8>?) -> Void) { withHeader("traceparent", body) }

    /// The default for an exchange without a socket.
    package func peerHost() -> PeerHost { .unknown }

    /// The default for an exchange without a socket.
    package func localAddress() -> String? { nil }

    /// The default for an exchange without a socket.
    package func peerCertificate(_ authorities: ClientAuthorities) -> PeerCertificate { .unknown }
}
