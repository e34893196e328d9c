package import Core
package import JSON

/// A problem of the severity `problem`, for the log and for operators' events.
package struct SevereProblem: Sendable {
    /// The kind, and the subject if it has one.
    package let key: OperatorCondition.Key
    /// Whether an event `operator.problem` reports it.
    package let hasEvent: Bool
    package let text, remedy: String
    package let data: [UInt8]
}

/// The outputs that report problems unasked: Prometheus, the log, and operator events.
extension ProblemSearch {
    /// The number of problems of each kind and severity, in the words of `GET /v1/status`; 0 where there is none.
    package var counts: [(kind: String, severity: String, count: Int)] {
        let found = problems
        return Problem.Kind.allCases.filter { $0 != .serviceDown }.flatMap { kind in
            Problem.Severity.allCases.map { severity in
                (kind.rawValue, severity.rawValue, found.count { $0.kind == kind && $0.severity == severity })
            }
        }
    }

    package var severe: [SevereProblem] {
        problems.filter { $0.severity == .problem }.map { SevereProblem($0) }
    }
}

extension SevereProblem {
    fileprivate init(_ problem: Problem) {
        let subject = problem.subject.map { " \($0)" } ?? ""
        self.init(
            key: OperatorCondition.Key(.problem, problem.kind.rawValue + subject), hasEvent: problem.kind.hasEvent,
            text: problem.text.english, remedy: problem.remedy.english, data: problem.json(in: .english).serialized())
    }

    /// The members of `data` with their JSON Schemas.
    package static var members: [(String, JSONValue)] { Problem.members }

    /// One as an example for readers of the documentation.
    package static let example = SevereProblem(
        Problem(
            .unknownApp,
            LocalizedText(verbatim: "12 authorizations within 10 minutes named an app_id that is not configured (unknown_app)."),
            remedy: LocalizedText(verbatim: "Correct the app_id that the help desk sends, or add the app to apps.")))
}

extension ProblemSearch {
    /// The notifier of a condition of the kind `problem`; nil for others.
    package static func notifier(of key: OperatorCondition.Key) -> String? {
        let words = key.subject.text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let kind = Problem.Kind(rawValue: String(words[0])) else { return nil }
        return switch kind {
        case .settingsDoubtful, .queueFull: String(words[1])
        default: nil
        }
    }
}

extension Problem.Kind {
    /// Whether an event `operator.problem` reports it: not if another event does, nor for conditions that are brief in every rollout. The
    /// store's own problems are reported while it can still store events.
    fileprivate var hasEvent: Bool {
        switch self {
        case .store, .revocationsUnknown, .authorizationsUndecided, .nearlyAllDenied, .unknownApp, .authorizationsMalformed,
            .callersRefused, .webhooksRefused, .backendOpen, .settingsDoubtful, .listenerFull, .callerFull,
            .bodiesFull, .queueFull, .reloadRefused:
            true
        case .serviceDown, .revocationsLate, .revocationsCopy, .devicesUnserved, .devicesMissing, .backendNewKeys, .notifierPaused,
            .listenerCertificateEnds, .listenerCertificateRenewed, .appKeyEnds, .credentialEnds, .notifierFailing, .notifierUnknown,
            .queueLate, .deliveriesDead,
            .diskLow, .replicaKeys, .configurationWarning:
            false
        }
    }
}
