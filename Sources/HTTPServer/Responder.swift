/// The right to respond to one request, exactly once: code that responds twice, or not at all, does not compile.
///
/// A handler receives it as `consuming` and must return an `Answered`, which only the methods below create. It responds at once if it need
/// not wait:
///
///     let hello: Handler = { request, responder in
///         responder.respond(Response(status: 200, body: Array("hello".utf8)))
///     }
///
/// Otherwise it suspends the connection and responds from another thread:
///
///     let later: Handler = { request, responder in
///         responder.respondLater(timeoutMilliseconds: 5000) { pending in
///             queue.enqueue(pending) { $0.respond(Response(status: 204)) }
///         }
///     }
///
/// The request is a borrowed view of the connection's buffers: copy what you need before the handler returns.
package struct Responder: ~Copyable {
    private let exchange: any Exchange

    /// Creates the right to respond to `exchange`; for servers and in-process clients, once per request.
    package init(_ exchange: any Exchange) {
        self.exchange = exchange
    }

    package consuming func respond(_ response: Response) -> Answered {
        exchange.respond(response)
        return Answered()
    }

    /// Responds later: the connection is suspended, and `start` receives the right to respond from any thread.
    ///
    /// Meanwhile the serving thread continues with other connections. If the client closes its connection while it is suspended, the server
    /// detects that only when it sends the response; it may then treat a half-closed connection as closed.
    /// - Parameters:
    ///     - timeoutMilliseconds: after this time the request is answered 503, and a later response is dropped.
    ///     - start: starts the work that responds; must not block.
    package consuming func respondLater(
        timeoutMilliseconds: UInt64, _ start: (consuming PendingResponse) -> Void
    ) -> Answered {
        exchange.suspend(timeoutMilliseconds: timeoutMilliseconds)
        start(PendingResponse(exchange))
        return Answered()
    }
}

/// Proof that a handler has responded; only a `Responder` creates one.
package struct Answered: ~Copyable {
    fileprivate init() {}
}
