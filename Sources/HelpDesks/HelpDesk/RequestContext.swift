package import Core
package import HTTPServer
package import Observability
package import Tracing

/// The id of a request and the span of its trace, which link its log lines and traces.
package struct RequestContext: Sendable {
    /// The id in the answer.
    let id: String
    /// Nil when the request is not part of a trace.
    package let span: OpenSpan?

    /// - Parameter id: may be empty when nothing is logged.
    package init(id: String, _ span: OpenSpan?) {
        self.id = id
        self.span = span
    }

    package var trace: TraceContext? { span?.context }

    /// Adds the ids to a log line.
    /// - Parameter isStored: whether a stored record contains the trace. Otherwise a trace that only this process knows is omitted.
    package func append(to fields: inout LogFields, isStored: Bool = false) {
        fields.append("request_id", .string(id))
        if let span, isStored || span.isKnown { fields.append("trace_id", .string(span.context.traceIDText)) }
    }
}

extension Request {
    /// Returns the caller's trace; nil without a valid `traceparent`, or with several.
    package borrowing func callersTrace() -> TraceContext? {
        var context: TraceContext?
        withTraceparent { value in
            if let value { context = TraceContext(traceparent: value) }
        }
        return context
    }
}

extension Tracer {
    /// Ends the span of an answered request.
    /// - Parameters:
    ///   - route: the path with the names of the parameters.
    ///   - app: a configured app; nil when unknown.
    ///   - result: as in metrics.
    package func endRequest(
        _ span: OpenSpan?, route: StaticString, response: Response, method: StaticString = "POST", app: String? = nil,
        result: String? = nil
    ) {
        end(
            span, kind: .server, failure: response.status >= 500 ? String(response.status) : nil, name: "\(method) \(route)",
            attributes: .request(method: "\(method)", status: response.status) + [.text("http.route", "\(route)")]
                + (app.map { [.text("deskgate.app", $0)] } ?? []) + (result.map { [.text("deskgate.result", $0)] } ?? []))
    }
}
