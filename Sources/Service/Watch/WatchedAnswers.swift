internal import Core
internal import HelpDesk
internal import Observability
internal import Threading
internal import Time

/// What callers of the public listener were answered within the last ten minutes, read from the counters that it has anyway.
///
/// The watch reads them every five seconds, and whoever wants to know reads them again. Any thread may call it.
final class WatchedAnswers: Sendable {
    private let authorizeRequests: MetricFamily<Counter>
    private let refusedCallers: MetricFamily<Counter>
    private let nearestApps: NearestApps
    private let clocks: Clocks
    private let window = Monitor(AnswerWindow())

    init(_ metrics: ServiceMetrics, clocks: Clocks) {
        authorizeRequests = metrics.helpDesks.authorizeRequests
        refusedCallers = PublicGate.refusedCallers(metrics.registry)
        nearestApps = metrics.helpDesks.nearestApps
        self.clocks = clocks
    }

    /// Why people are kept out now.
    @discardableResult
    func look() -> [AnswerWindow.Finding] {
        window.withLock { $0.findings(counts, now: clocks.monotonicMilliseconds()) }
    }

    /// The configured app that the last unknown one resembles.
    var nearestApp: String? { nearestApps.current(now: clocks.monotonicMilliseconds()) }

    private var counts: [AnswerWindow.Answer: UInt64] {
        var counts: [AnswerWindow.Answer: UInt64] = [:]
        for (values, counter) in authorizeRequests.all {
            guard let result = Self.result(values[1], values[2]), counter.current > 0 else { continue }
            counts[AnswerWindow.Answer(result, app: values[0], reason: values[2]), default: 0] += counter.current
        }
        for (values, counter) in refusedCallers.all where counter.current > 0 {
            counts[AnswerWindow.Answer(.refused, reason: values[0])] = counter.current
        }
        return counts
    }

    /// Nil where another problem tells: the revocations are not known.
    private static func result(_ word: String, _ reason: String) -> AnswerWindow.Result? {
        switch word {
        case "authorized", "shadowed": .authorized
        case "denied": .denied
        case "malformed": .malformed
        case "undecided": reason == Indecision.revocationsUnknown.rawValue ? nil : .undecided
        default: nil
        }
    }
}
