internal import Configuration
internal import JSON
internal import Service

/// What `check --live` says of one notifier.
enum LiveCredential {
    /// For people.
    static func line(_ name: String, _ type: NotifierType, _ verdict: NotifierVerdict?) -> String {
        let start = "\(name) (\(type.rawValue)): "
        guard let verdict else { return "\(start)only a delivery tells" }
        guard let remedy = verdict.remedy else {
            return NotifierVerdict.notJudged(type).map { "\(start)good; \($0) was not judged" } ?? "\(start)good"
        }
        return "\(start)\(status(verdict)): \(verdict.reason): \(remedy)"
    }

    /// For machines.
    static func json(_ name: String, _ type: NotifierType, _ verdict: NotifierVerdict?) -> JSONValue {
        [
            "notifier": .string(name), "type": .string(type.rawValue), "status": .string(verdict.map(status) ?? "not_judged"),
            "reason": verdict.map { .string($0.reason) } ?? .null, "remedy": verdict?.remedy.map { .string($0) } ?? .null,
            "not_judged": verdict?.kind == .good ? NotifierVerdict.notJudged(type).map { .string($0) } ?? .null : .null,
        ]
    }

    private static func status(_ verdict: NotifierVerdict) -> String {
        switch verdict.kind {
        case .good: "good"
        case .bad, .refused: "bad"
        case .unknown: "unknown"
        }
    }
}
