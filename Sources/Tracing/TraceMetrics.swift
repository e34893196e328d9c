internal import Observability

/// The counts of recorded spans by outcome. Make it once per registry.
struct TraceMetrics: Sendable {
    let exported: Counter
    /// Spans that it has rejected, or that were given up.
    let failed: Counter
    /// Spans that found no room in the queue.
    let dropped: Counter

    init(_ registry: MetricsRegistry) {
        let spans = registry.counter(
            "deskgate_trace_spans_total", "Spans of traces by the outcome of their export.", labels: ["result"])
        exported = spans.child("exported")
        failed = spans.child("failed")
        dropped = spans.child("dropped")
    }
}
