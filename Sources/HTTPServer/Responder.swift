/// The right to answer one request, exactly once: answering twice or not at all does not compile.
///
/// A handler gets it `consuming` and must return an `Answered`, which only the methods below make.
package struct Responder: ~Copyable {
    private let exchange: any Exchange

    /// Makes the right to answer `exchange`; for servers and in-process clients, once a request.
    package init(_ exchange: any Exchange) {
        self.exchange = exchange
    }

    /// Answers at once.
    package consuming func respond(_ response: Response) -> Answered {
        exchange.respond(response)
        return Answered()
    }

    /// Answers later: the connection is suspended, and `start` gets the right to answer it from any thread.
    ///
    /// The thread that serves the connection goes on with others meanwhile. A client that leaves while its connection is suspended is
    /// noticed when the answer is sent; one that has merely finished sending by then may be taken for one that has left.
    /// - Parameters:
    ///   - timeoutMilliseconds: after that long the request is answered 503 and a later answer is dropped.
    ///   - start: starts the work that answers, and must not block.
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
