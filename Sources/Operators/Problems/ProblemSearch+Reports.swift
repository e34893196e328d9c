package import Core
internal import JSON

/// Those who are told of problems without asking: Prometheus, and operators by events.
extension ProblemSearch {
    /// How many problems there are of each kind and severity, in the words of `GET /v1/status`; 0 where there is none.
    package var counts: [(kind: String, severity: String, count: Int)] {
        let found = problems
        return Problem.Kind.allCases.filter { $0 != .serviceDown }.flatMap { kind in
            Problem.Severity.allCases.map { severity in
                (kind.rawValue, severity.rawValue, found.count { $0.kind == kind && $0.severity == severity })
            }
        }
    }

    /// The severe problems of which operators are told as such, with what their events say.
    package var conditions: [(key: OperatorCondition.Key, data: [UInt8])] {
        problems.filter { $0.severity == .problem && $0.kind.hasEvent }.map { problem in
            let subject = problem.subject.map { " \($0)" } ?? ""
            return (OperatorCondition.Key(.problem, problem.kind.rawValue + subject), problem.json(in: .english).serialized())
        }
    }
}

extension Problem.Kind {
    /// Whether operators are told of it by `operator.problem`: not where another event tells, nor while the store that would keep the event
    /// is away, nor of what lasts for a moment in every rollout.
    fileprivate var hasEvent: Bool {
        switch self {
        case .authorizationsUndecided, .nearlyAllDenied, .unknownApp, .authorizationsMalformed, .callersRefused, .webhooksRefused,
            .backendOpen, .listenerFull, .reloadRefused:
            true
        case .serviceDown, .store, .revocationsUnknown, .revocationsLate, .revocationsCopy, .backendNewKeys, .notifierPaused,
            .settingsDoubtful, .callerFull, .listenerCertificateEnds, .appKeyEnds, .credentialEnds, .notifierFailing, .notifierUnknown,
            .queueFull, .queueLate, .deliveriesDead, .diskLow, .replicaKeys,
            .configurationWarning:
            false
        }
    }
}
