internal import Core

/// Problems that keep all users out of an app's chat now. Every explanation of a user or of a key consults it.
struct ChatClosure {
    /// Urgent problems first. A warning does not prove that users are denied.
    private let problems: [Problem]

    init(_ problems: [Problem] = []) { self.problems = problems }

    /// Explains why all users are denied, or that services elsewhere may admit them; nil when users are admitted here.
    var ofAll: Explanation.Step? {
        problems.first {
            $0.kind == .serviceDown || $0.severity == .problem && $0.kind != .nearlyAllDenied && $0.kind != .replicaKeys
        }.map { $0.step() }
    }

    /// Explains why nearly all users are denied; nil when they are not.
    /// - Parameter isAllowed: whether the user or the key in question is admitted.
    func nearlyAllDenied(isAllowed: Bool) -> Explanation.Step? {
        problems.first { $0.kind == .nearlyAllDenied }.map { $0.step(isAllowed: isAllowed) }
    }

    /// Reports that other replicas have other keys in force, which may deny users who are admitted here; nil when none has.
    /// - Parameter lacksKey: whether the user in question was recently denied, as by a replica that lacks a key.
    func ofReplicas(lacksKey: Bool) -> Explanation.Step? {
        problems.first { $0.kind == .replicaKeys }.map { $0.step(isAllowed: !lacksKey) }
    }

    /// One step for each problem.
    /// - Parameters:
    ///   - isAllowed: whether the user or the key in question is allowed, although most are denied.
    ///   - lacksKey: whether the user in question was recently denied, as by a replica that lacks a key.
    func steps(isAllowed: Bool, lacksKey: Bool = false) -> [Explanation.Step] {
        problems.map { problem in
            switch problem.kind {
            case .nearlyAllDenied: problem.step(isAllowed: isAllowed)
            case .replicaKeys: problem.step(isAllowed: !lacksKey)
            default: problem.step()
            }
        }
    }

    var knowsRevocations: Bool { !problems.contains { $0.kind == .revocationsUnknown } }
}

extension Problem {
    fileprivate func step(isAllowed: Bool = false) -> Explanation.Step {
        Explanation.Step(.authorization, outcome: severity == .problem && !isAllowed ? .problem : .note, text: text, remedy: remedy)
    }
}

extension ProblemSearch {
    /// Returns the problems that keep all, or nearly all, users out of the app's chat now.
    func closing(_ appID: String) -> ChatClosure { ChatClosure(problems.filter { $0.closesTheChat(of: appID) }) }
}

extension Problem {
    /// Whether the problem denies all or most users, or users of another replica. Problems of single keys, and those that explanations of
    /// the app's backend cover, are excluded. A caller with too many connections, which may be the help desk, is included even as a
    /// warning.
    fileprivate func closesTheChat(of appID: String) -> Bool {
        switch kind {
        case .revocationsUnknown, .authorizationsUndecided, .nearlyAllDenied, .unknownApp, .authorizationsMalformed, .callersRefused:
            severity == .problem && subject.map { $0.utf8.elementsEqual(appID.utf8) } ?? true
        case .replicaKeys: true
        case .listenerFull, .callerFull: subject == CrowdedListener.Name.public.rawValue
        default: false
        }
    }
}

extension AdminContext {
    /// Returns the problems that keep all, or nearly all, users out of the app's chat now. Outside the service only some are known.
    func closing(_ appID: String) -> ChatClosure {
        serviceProblem.map { ChatClosure([$0]) } ?? problems()?.closing(appID) ?? ChatClosure()
    }
}
