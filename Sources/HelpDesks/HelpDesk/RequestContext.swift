package import Core
package import HTTPServer
package import Observability
package import Tracing

/// Identifies a request: its id, and its position in a trace.
package struct RequestContext: Sendable {
    let id: String
    /// nil when it belongs to no trace.
    package let span: OpenSpan?

    /// Marks a request.
    /// - Parameter id: may be empty where nothing is logged of it.
    package init(id: String, _ span: OpenSpan?) {
        self.id = id
        self.span = span
    }

    /// The context of everything that the request causes.
    package var trace: TraceContext? { span?.context }

    /// Adds both to a log line.
    /// - Parameter isStored: whether stored data shows the trace. Otherwise a trace that no other program knows is left out.
    package func append(to fields: inout LogFields, isStored: Bool = false) {
        fields.append("request_id", .string(id))
        if let span, isStored || span.isKnown { fields.append("trace_id", .string(span.context.traceIDText)) }
    }
}

extension Request {
    /// The trace that the caller has begun; nil when it has sent no valid `traceparent`, or several.
    package borrowing func callersTrace() -> TraceContext? {
        var context: TraceContext?
        withTraceparent { value in
            if let value { context = TraceContext(traceparent: value) }
        }
        return context
    }
}

extension Tracer {
    /// Ends the span of a request that we have answered.
    /// - Parameters:
    ///   - route: the path with the names of its parameters.
    ///   - app: one that is configured; nil when none is known.
    ///   - result: what the metrics call it.
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
