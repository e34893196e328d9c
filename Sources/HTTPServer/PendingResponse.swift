/// The right to answer one suspended request, once, from any thread.
///
/// If it is dropped without an answer, the request is answered 500, so that no client hangs because a code path forgot it.
package struct PendingResponse: ~Copyable, Sendable {
    private var exchange: (any Exchange)?

    init(_ exchange: any Exchange) {
        self.exchange = exchange
    }

    deinit {
        _ = exchange?.resume(with: StandardResponse.internalError)
    }

    /// Whether the request still waits for its answer: false once its deadline, its client or a shutdown has ended it. Never waits.
    package var isAwaited: Bool { exchange?.isSuspended ?? false }

    /// Answers the request and resumes its connection.
    /// - Returns: false when the request's deadline or a shutdown was first; the response is then dropped.
    @discardableResult
    package consuming func respond(_ response: Response) -> Bool {
        guard let exchange = exchange.take() else { return false }
        return exchange.resume(with: response)
    }
}
