internal import AdminAPI
internal import Core
internal import HTTPServer
internal import JSON
internal import Threading
internal import Time

extension RunningService {
    /// Calls the public listener like a health check.
    var publicProbe: HealthProbe { HealthProbe(publicAddress, tls: identities.withLock { $0[0] }) }

    var reloadOutcome: JSONValue { graph.record.outcome }

    /// The state of the service, in one line for the service manager.
    var statusLine: String {
        let reasons = graph.readiness.reasons
        let (refusal, revocations) = (graph.readiness.storeRefusal, graph.readiness.revocations)
        let meanwhile = refusal.map { " \($0.meanwhile(revocations, now: SystemClock.unixSeconds()).english)" } ?? ""
        let state =
            reasons.isEmpty
            ? Self.state(graph.severeProblems()) : "not ready (\(reasons.joined(separator: "; "))).\(meanwhile) Configured"
        let apps = graph.record.appCount == 1 ? "1 app" : "\(graph.record.appCount) apps"
        let line = "\(state): \(apps), public on \(publicAddress), admin on \(adminAddress)"
        // A status is one line, but a database's message may have several.
        return line.split { $0.isNewline }.joined(separator: " ")
    }

    /// Names the first problem like the log, because numbers in its text change frequently.
    private static func state(_ problems: [SevereProblem]) -> String {
        guard let first = problems.first else { return "serving" }
        let more = problems.count == 1 ? "" : " and \(problems.count - 1) more"
        return "problem: \(first.key.subject.text)\(more), see deskgate status. Configured"
    }
}
