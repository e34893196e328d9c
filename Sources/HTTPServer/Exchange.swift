/// One request on its way to exactly one response: the shell that performs what a `Responder` decides.
///
/// A connection of the server is one; the in-process client of the tests is another. Only `Responder` and `PendingResponse` call it,
/// and they see to the order and the number of calls.
package protocol Exchange: AnyObject, Sendable {
    /// Gives the response at once. Called on the thread that runs the handler.
    func respond(_ response: Response)

    /// Takes the connection out of its thread's hands until `resume(with:)` or until the deadline, whichever comes first.
    /// - Parameter timeoutMilliseconds: how long it may wait; afterwards it is answered 503.
    func suspend(timeoutMilliseconds: UInt64)

    /// Answers a suspended exchange. Called on any thread, at most once.
    /// - Returns: false when the deadline or a shutdown has answered already.
    func resume(with response: Response) -> Bool

    /// Whether it is suspended and nobody has answered yet, neither a handler nor its deadline. Called on any thread; never waits.
    var isSuspended: Bool { get }

    /// Lends the value of a request header to `body`, or nil when the request has none of that name.
    func withHeader(_ name: StaticString, _ body: (Span<UInt8>?) -> Void)

    /// The address of the other side, for logs; `unix` for a Unix socket.
    func peer() -> String

    /// Lends the name of the request, which its answer carries as `X-Request-Id`.
    func withRequestID(_ body: (Span<UInt8>) -> Void)

    /// The parts of the request's query in their order; allocates, so it is nothing for the hot path.
    func queryItems() -> [QueryItem]
}

extension Exchange {
    /// An exchange without a socket has nobody on the other side.
    package func peer() -> String { "none" }
}
