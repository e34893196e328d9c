/// The right to answer one request, exactly once: answering twice, or not at all, does not compile.
///
/// A handler gets it as `consuming` and must return an `Answered`, which only the methods below make. It answers at once if it need not
/// wait:
///
///     let hello: Handler = { request, responder in
///         responder.respond(Response(status: 200, body: Array("hello".utf8)))
///     }
///
/// Otherwise it suspends the connection and answers from another thread:
///
///     let later: Handler = { request, responder in
///         responder.respondLater(timeoutMilliseconds: 5000) { pending in
///             queue.enqueue(pending) { $0.respond(Response(status: 204)) }
///         }
///     }
///
/// The request is a borrowed view of the connection's buffers. Copy its parts before the handler returns.
package struct Responder: ~Copyable {
    private let exchange: any Exchange

    /// Makes the right to answer `exchange`; for servers and in-process clients, once per request.
    package init(_ exchange: any Exchange) {
        self.exchange = exchange
    }

    package consuming func respond(_ response: Response) -> Answered {
        exchange.respond(response)
        return Answered()
    }

    /// Answers later: the connection is suspended, and `start` gets the right to answer it from any thread.
    ///
    /// Meanwhile the serving thread continues with other connections. A client that closes its connection while suspended is noticed only
    /// when the answer is sent; a half-closed connection may then be taken for a closed one.
    /// - Parameters:
    ///     - timeoutMilliseconds: after this time the request is answered 503, and a later answer is dropped.
    ///     - start: starts the work that answers; must not block.
    package consuming func respondLater(
        timeoutMilliseconds: UInt64, _ start: (consuming PendingResponse) -> Void
    ) -> Answered {
        exchange.suspend(timeoutMilliseconds: timeoutMilliseconds)
        start(PendingResponse(exchange))
        return Answered()
    }
}

/// Proof that a handler has answered; only a `Responder` makes one.
package struct Answered: ~Copyable {
    fileprivate init() {}
}
