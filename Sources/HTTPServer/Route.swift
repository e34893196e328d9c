/// Handles a request: it must consume its `Responder`; the returned `Answered` proves that.
package typealias Handler = @Sendable (borrowing Request, consuming Responder) -> Answered

/// Checks a request by its head, before its body is received. Returns the response that rejects it, or nil to receive the body.
///
/// The passed request has no body. The body of a rejected request is discarded.
package typealias Admission = @Sendable (borrowing Request) -> Response?

/// One path with the handlers of its methods.
package struct Route: Sendable {
    /// The path, compared byte by byte with the request's path as sent; percent escapes are not decoded.
    ///
    /// At most two segments may be parameters, written `:name`: each matches any segment that is not empty, and the handler can read the
    /// matched bytes. If the last segment is `*`, that parameter matches the rest of the path, slashes included. All other segments are
    /// fixed.
    package let path: StaticString
    /// The largest body in bytes; a larger one is answered 413.
    package let bodyLimit: Int
    /// The methods with their handlers. HEAD is answered by the handler of GET.
    package let handlers: [(method: Method, handler: Handler)]
    package let descriptions: [Method: RouteDescription]
    /// Checks requests before their bodies are received; nil to accept all.
    let admission: Admission?
    let pattern: PathPattern

    package init(
        _ path: StaticString, bodyLimit: Int = 0, admission: Admission? = nil, described descriptions: [Method: RouteDescription] = [:],
        _ handlers: [(method: Method, handler: Handler)]
    ) {
        self.path = path
        self.descriptions = descriptions
        self.admission = admission
        self.bodyLimit = bodyLimit
        self.handlers = handlers
        pattern = PathPattern(path)
    }

    /// The same route with an additional check, which runs first and before the body is received.
    package func screened(by check: @escaping Admission) -> Route {
        Route(
            path, bodyLimit: bodyLimit,
            admission: { [admission] request in
                if let refusal = check(request) { return refusal }
                return admission?(request)
            }, described: descriptions, handlers)
    }

    func handler(for method: Method) -> Handler? {
        let wanted: Method = method == .head ? .get : method
        for entry in handlers where entry.method == wanted {
            return entry.handler
        }
        return nil
    }

    var allowed: [Method] {
        handlers.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
    }
}
