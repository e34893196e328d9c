internal import Core
internal import Observability
internal import Time

/// The denials of each app over time, read once a minute from the counters of authorization.
struct WatchedDenials: Sendable {
    private struct App {
        var trend = DenialTrend()
        /// The denials by reason a minute ago.
        var reasons: [String: UInt64] = [:]
    }

    private struct Reading {
        var counts = DenialTrend.Counts(asked: 0, denied: 0)
        var reasons: [String: UInt64] = [:]
    }

    private var apps: [ByteKey: App] = [:]
    private var readAt: MonotonicMilliseconds?
    private var findings: [OperatorWatch.Finding] = []

    /// Evaluates the counters, once a minute.
    /// - Parameter open: the continuing conditions.
    mutating func findings(
        _ family: MetricFamily<Counter>, configuration: WatchedConfiguration, open: [OperatorCondition], now: MonotonicMilliseconds
    ) -> [OperatorWatch.Finding] {
        if let readAt, now - readAt < DenialTrend.stepMilliseconds { return findings.filter { isConfigured($0.key, configuration) } }
        readAt = now
        let reported = Dictionary(open.filter { $0.key.kind == .denialsJump }.map { ($0.key, DenialTrend.Spike.usual(in: $0.data)) }) {
            first, _ in first
        }
        let readings = Self.read(family)
        var next: [ByteKey: App] = [:]
        findings = configuration.apps.map { name in
            let (key, reading) = (OperatorCondition.Key(.denialsJump, name), readings[ByteKey(name)] ?? Reading())
            var app = apps[ByteKey(name)] ?? App()
            let (status, jump) = app.trend.status(reading.counts, now: now, reported: reported[key], configuration.thresholds)
            let before = app.reasons
            let most = reading.reasons.map { (reason: $0.key, count: $0.value - min($0.value, before[$0.key] ?? 0)) }
                .filter { $0.count > 0 }.max { ($0.count, $0.reason) < ($1.count, $1.reason) }
            app.reasons = reading.reasons
            next[ByteKey(name)] = app
            return OperatorWatch.Finding(key: key, status: status, data: jump.data(app: name, reason: most?.reason ?? ""))
        }
        apps = next
        return findings
    }

    private func isConfigured(_ key: OperatorCondition.Key, _ configuration: WatchedConfiguration) -> Bool {
        configuration.apps.contains { ByteKey($0) == key.subject }
    }

    /// Sums the counters of `deskgate_authorize_requests_total` by app.
    private static func read(_ family: MetricFamily<Counter>) -> [ByteKey: Reading] {
        var readings: [ByteKey: Reading] = [:]
        for (values, counter) in family.all {
            let (app, result, reason, count) = (values[0], values[1], values[2], counter.current)
            guard !app.isEmpty, count > 0, ["authorized", "denied", "shadowed"].contains(result) else { continue }
            readings[ByteKey(app), default: Reading()].counts.asked += count
            guard result == "denied" else { continue }
            readings[ByteKey(app), default: Reading()].counts.denied += count
            readings[ByteKey(app), default: Reading()].reasons[reason, default: 0] += count
        }
        return readings
    }
}
