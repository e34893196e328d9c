internal import Core
package import Observability

/// Metrics of bots. Make it once per registry.
package struct BotMetrics: Sendable {
    enum StartResult: String, Sendable, CaseIterable {
        case started, malformed, denied, unavailable
    }

    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 100]

    private let calls: MetricFamily<Counter>
    private let durations: MetricFamily<Histogram>
    private let starts: MetricFamily<Counter>
    private let quickReplies: MetricFamily<Counter>

    package init(_ registry: MetricsRegistry) {
        calls = registry.counter(
            "deskgate_bot_calls_total", "Calls of bots' functions by outcome.", labels: ["bot", "function", "outcome"])
        durations = registry.histogram(
            "deskgate_bot_call_duration_seconds", "Time until companies' backends and help desks answered calls of bots' functions.",
            labels: ["bot"],
            bounds: Self.bounds)
        starts = registry.counter("deskgate_bot_starts_total", "Starts of bots by result.", labels: ["bot", "result"])
        quickReplies = registry.counter(
            "deskgate_bot_quick_replies_total", "Blocks of quick replies in bots' texts by result.", labels: ["bot", "result"])
    }

    /// Returns the counters of a function; from then on they exist, with the value 0.
    /// - Parameters: empty when unknown, because callers choose the names.
    func calls(bot: String, function: String) -> LabelledCounters<CallResult> {
        LabelledCounters(CallResult.allCases) { calls.child(bot, function, $0.rawValue) }
    }

    /// Counts calls whose process terminated before they ended.
    func count(lost calls: [BotCall]) {
        for call in calls { self.calls.child(call.bot, call.function, CallResult.unknown.rawValue).increment() }
    }

    func duration(bot: String) -> Histogram { durations.child(bot) }

    /// Returns the counters of a bot's starts; from then on they exist, with the value 0.
    /// - Parameter bot: empty when unknown.
    func starts(bot: String) -> LabelledCounters<StartResult> {
        LabelledCounters(StartResult.allCases) { starts.child(bot, $0.rawValue) }
    }

    /// Returns the counters of quick-reply blocks in a bot's texts; from then on they exist, with the value 0.
    func quickReplies(bot: String) -> (cut: Counter, broken: Counter) {
        (quickReplies.child(bot, "cut"), quickReplies.child(bot, "broken"))
    }
}
