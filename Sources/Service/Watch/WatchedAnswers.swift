internal import AdminAPI
internal import Core
internal import HelpDesk
internal import Observability
internal import Threading
internal import Time

/// The responses of the public listener within the last ten minutes, read from its counters.
///
/// The watch reads them every five seconds, and other callers read them again. Any thread may call it.
final class WatchedAnswers: Sendable {
    private let authorizeRequests: MetricFamily<Counter>
    private let refusedCallers: MetricFamily<Counter>
    private let webhookEvents: MetricFamily<Counter>
    private let webhookRefusals: MetricFamily<Counter>
    private let nearestApps: NearestApps
    private let registrations: Monitor<UnservedDevices>
    private let clocks: Clocks
    private let window = Monitor(AnswerWindow())
    private let webhookWindow = Monitor(AnswerWindow())

    init(_ metrics: ServiceMetrics, clocks: Clocks) {
        authorizeRequests = metrics.helpDesks.authorizeRequests
        refusedCallers = PublicGate.refusedCallers(metrics.registry)
        webhookEvents = metrics.helpDesks.webhookEvents
        webhookRefusals = metrics.helpDesks.webhookRefusals
        nearestApps = metrics.helpDesks.nearestApps
        registrations = metrics.helpDesks.unservedDevices
        self.clocks = clocks
    }

    /// Returns the reasons why users, or webhooks, are denied now.
    @discardableResult
    func look() -> [AnswerWindow.Finding] {
        window.withLock { $0.findings(counts, now: clocks.monotonicMilliseconds()) } + refusedWebhooks()
    }

    /// Whether a user was allowed while the listeners were crowded, according to the responses until the last check.
    var letsIn: Bool {
        window.withLock { $0.hasAllowed(within: CrowdedListener.shownMilliseconds, now: clocks.monotonicMilliseconds()) }
    }

    /// One finding for each app. A finding about rejected authentic webhooks comes first; findings about unauthenticated ones then add
    /// nothing.
    private func refusedWebhooks() -> [AnswerWindow.Finding] {
        let found = webhookWindow.withLock { $0.findings(webhookCounts, now: clocks.monotonicMilliseconds()) }
        var apps: Set<ByteKey> = []
        return found.filter { apps.insert(ByteKey($0.app)).inserted }.map { finding in
            AnswerWindow.Finding(
                .webhooksRefused, app: finding.app, reason: finding.reason, count: finding.count, reasonCount: finding.reasonCount,
                total: finding.total, isClosed: finding.isClosed)
        }
    }

    /// Marks the responses until now as those of another configuration, so that a removed cause ends with the next good response.
    func noteChange() {
        window.withLock { $0.doubt(counts, now: clocks.monotonicMilliseconds()) }
        webhookWindow.withLock { $0.doubt(webhookCounts, now: clocks.monotonicMilliseconds()) }
        nearestApps.forget()
    }

    /// The configured app most similar to the last unknown one.
    var nearestApp: String? { nearestApps.current(now: clocks.monotonicMilliseconds()) }

    /// The device types that were registered without being served.
    var unservedDevices: [UnservedDevices.Finding] {
        let now = clocks.monotonicMilliseconds()
        return registrations.withLock { $0.findings(now: now) }
    }

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

    /// Webhooks that are not rejected are counted as allowed. Other problems report those that the store cannot accept.
    private var webhookCounts: [AnswerWindow.Answer: UInt64] {
        var counts: [AnswerWindow.Answer: UInt64] = [:]
        let refused: [WebhookResult] = [.denied, .malformed, .unavailable]
        for (values, counter) in webhookEvents.all where counter.current > 0 {
            guard let result = WebhookResult(rawValue: values[1]), !refused.contains(result) else { continue }
            counts[AnswerWindow.Answer(.authorized, app: values[0], reason: values[1])] = counter.current
        }
        for (values, counter) in webhookRefusals.all where counter.current > 0 {
            let isUnproven = WebhookRefusal(rawValue: values[1])?.isUnproven ?? true
            let result: AnswerWindow.Result = values[0].isEmpty || isUnproven ? .refused : .denied
            counts[AnswerWindow.Answer(result, app: values[0], reason: values[1])] = counter.current
        }
        return counts
    }

    /// nil where another problem reports it: the revocations are not known.
    private static func result(_ word: String, _ reason: String) -> AnswerWindow.Result? {
        switch word {
        case "authorized", "shadowed": .authorized
        case "denied": .denied
        case "malformed": .malformed
        case "undecided": reason == UndecidedReason.revocationsUnknown.rawValue ? nil : .undecided
        default: nil
        }
    }
}
