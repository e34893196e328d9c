package import Core
internal import Crypto
package import Observability
internal import Synchronization
internal import Time

/// Begins and ends spans. Without export, spans only pass a trace on; with export, sampled spans are recorded.
///
/// Any thread may call it. While nothing is exported and a request belongs to no trace, it costs one load.
package final class Tracer: Sendable {
    /// Trace ids are compared with the share in this many bits, as OpenTelemetry's samplers do, so that all services choose the same
    /// traces.
    private static let ratioBits: UInt64 = 63

    package let queue: SpanQueue
    private let random = RandomPool()
    /// 0 while nothing is exported; otherwise one more than the share of exported traces, in units of 2^-63.
    private let share = Atomic<UInt64>(0)
    /// Whether callers decide about sampling the traces that they have begun.
    private let isParentBased = Atomic<Bool>(false)
    private let unixNanoseconds: @Sendable () -> UInt64
    private let monotonicNanoseconds: @Sendable () -> UInt64
    /// Called when a full batch waits, on the thread that ended its last span.
    private let onBatch: @Sendable () -> Void

    /// Makes a tracer that exports nothing yet.
    /// - Parameter dropped: counts the spans that find no room in the queue.
    package init(
        countingDropped dropped: Counter,
        unixNanoseconds: @escaping @Sendable () -> UInt64 = { SystemClock.unixNanoseconds() },
        monotonicNanoseconds: @escaping @Sendable () -> UInt64 = { SystemClock.monotonicNanoseconds() },
        onBatch: @escaping @Sendable () -> Void = {}
    ) {
        queue = SpanQueue(countingDropped: dropped)
        self.unixNanoseconds = unixNanoseconds
        self.monotonicNanoseconds = monotonicNanoseconds
        self.onBatch = onBatch
    }

    /// Begins or ends the recording of spans.
    /// - Parameters:
    ///   - sampleRatio: the share of the traces to record, from 0 to 1; nil records nothing.
    ///   - isParentBased: whether to record every trace that its caller has marked as sampled. Otherwise the share also applies to those.
    package func record(sampleRatio: Double?, isParentBased: Bool = false) {
        self.isParentBased.store(isParentBased, ordering: .relaxed)
        share.store(sampleRatio.map { 1 + UInt64($0 * Double(1 << Self.ratioBits as UInt64)) } ?? 0, ordering: .relaxed)
    }

    package var isRecording: Bool { share.load(ordering: .relaxed) != 0 }

    /// Begins the span of a request if it belongs to a trace of its caller, or to a new trace that is recorded.
    package func beginRequest(_ caller: TraceContext?) -> OpenSpan? {
        if let caller { return begin(below: sampled(caller)) }
        guard isRecording, let span = beginTrace(), span.isExported else { return nil }
        return span
    }

    /// Begins the span of a request whose trace continues after its response, in its caller's trace or in a new one.
    /// - Returns: nil when OpenSSL fails, because the trace matters less than the request.
    package func beginLasting(_ caller: TraceContext?) -> OpenSpan? {
        caller.map { begin(below: sampled($0)) } ?? beginTrace()
    }

    /// A caller's context, marked as sampled only if its trace is in the share. While recording is off, it is passed on unchanged.
    ///
    /// Any client can choose the mark and the trace's id, so the share is that of a hash with a secret of the process. In one process all
    /// requests of a trace get the same result.
    private func sampled(_ caller: TraceContext) -> TraceContext {
        guard caller.isSampled, isRecording, !isParentBased.load(ordering: .relaxed) else { return caller }
        var hasher = Hasher()
        hasher.combine(caller.traceID)
        return caller.sampled(isInShare(UInt64(bitPattern: Int64(hasher.finalize()))))
    }

    /// Begins a child span, which is recorded if its parent is.
    /// - Returns: nil when OpenSSL fails.
    package func begin(below parent: TraceContext) -> OpenSpan? {
        (try? parent.child(from: random)).map { open($0, below: parent.spanID) }
    }

    private func beginTrace() -> OpenSpan? {
        guard let context = try? TraceContext(from: random, isSampled: false) else { return nil }
        return open(context.sampled(isInShare(UInt64(truncatingIfNeeded: context.traceID))), below: 0)
    }

    private func isInShare(_ number: UInt64) -> Bool {
        let share = share.load(ordering: .relaxed)
        return share > 0 && number >> (64 - Self.ratioBits) < share - 1
    }

    private func open(_ context: TraceContext, below parentID: UInt64) -> OpenSpan {
        let isExported = context.isSampled && isRecording
        return OpenSpan(
            context: context, parentID: parentID, start: isExported ? unixNanoseconds() : 0,
            startMonotonic: isExported ? monotonicNanoseconds() : 0, isExported: isExported)
    }

    /// Ends a span, and queues it for export if it is recorded. Call it at most once for a span; a span that never ends is not exported.
    /// - Parameters:
    ///   - failure: the reason of a failure, in a stable word; nil on success.
    ///   - name: not evaluated when the span is not recorded, and neither are the attributes.
    package func end(
        _ span: OpenSpan?, kind: TraceSpan.Kind, failure: @autoclosure () -> String? = nil, name: @autoclosure () -> String,
        attributes: @autoclosure () -> [TraceAttribute]
    ) {
        guard let span, span.isExported else { return }
        let failure = failure()
        let isBatch = queue.add(
            TraceSpan(
                context: span.context, parentID: span.parentID, name: name(), kind: kind, start: span.start,
                end: span.start + (monotonicNanoseconds() - span.startMonotonic), attributes: attributes() + .failure(failure),
                hasFailed: failure != nil))
        if isBatch { onBatch() }
    }
}
