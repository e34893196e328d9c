internal import Core
internal import Observability
internal import Tracing

extension DeliveryLane.Running {
    /// Adds the attempt's trace and span, if any, to a log line.
    func append(to fields: inout LogFields) {
        guard let context = span?.context else { return }
        fields.append("trace_id", .string(context.traceIDText))
        fields.append("span_id", .string(context.spanIDText))
    }
}

extension Tracer {
    /// Ends the span of an attempt. A push has no HTTP attributes, because it may take several requests.
    func end(_ attempt: DeliveryLane.Running, result: FinishedAttempt, outcome: DeliveryOutcome) {
        let (delivery, server) = (attempt.delivery, attempt.served.notifier.tracedServer)
        end(
            attempt.span, kind: .client, failure: outcome.verdict == .delivered ? nil : outcome.reason,
            name: "deliver \(delivery.notifier)",
            attributes: (server == nil ? [] : .request(method: "POST", status: outcome.status)) + .server(server) + [
                .text("deskgate.app", delivery.event.identity.appID), .text("deskgate.notifier", delivery.notifier),
                .text("deskgate.delivery", delivery.id.description), .text("deskgate.event_type", delivery.event.kind.rawValue),
                .integer("deskgate.attempt", result.attempt), .text("deskgate.reason", outcome.reason),
            ])
    }
}
