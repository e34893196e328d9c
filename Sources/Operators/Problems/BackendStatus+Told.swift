internal import Core
internal import Notifiers

extension BackendStatus {
    /// The problems of an app's backend.
    /// - Parameters:
    ///   - origin: where it is asked; nil when that is not known.
    ///   - rule: the answer to users while it cannot decide.
    func problems(of app: String, at origin: String?, _ rule: UndecidedRule) -> [Problem] {
        [open(app, origin, rule), newKeys(app, origin)].compactMap(\.self)
    }

    /// Why the last call failed, as a sentence after others; empty when none has. A stranger's failure hides none of a known key.
    func cause(at origin: String?) -> Told {
        lastFailure == nil ? causeOfNewKeys(at: origin) : causeOfKnownKeys(at: origin)
    }

    /// Why calls failed for an indecision, as a sentence after others; empty when the last ones failed for another reason. An open breaker and
    /// the pace of new keys only follow from failures.
    func cause(of indecision: Indecision, at origin: String?) -> Told {
        if [.backendBreakerOpen, lastFailure?.reason].contains(indecision) { return causeOfKnownKeys(at: origin) }
        return [.backendNewKeysPaced, lastNewKeyFailure?.reason].contains(indecision)
            ? causeOfNewKeys(at: origin) : Told(verbatim: "")
    }

    private func causeOfKnownKeys(at origin: String?) -> Told { Self.cause(lastFailure, Self.place(origin)) }

    private func causeOfNewKeys(at origin: String?) -> Told {
        Self.cause(lastNewKeyFailure, Self.place(origin) + Told(" about a new key", " о новом ключе"))
    }

    private static func place(_ origin: String?) -> Told { origin.map { Told(" to \($0)", " \($0)") } ?? Told(verbatim: "") }

    private static func cause(_ failure: BackendFailure?, _ call: Told) -> Told {
        guard let failure else { return Told(verbatim: "") }
        guard !failure.isOver else {
            return Told(" The last failed call\(call): \(failure.told).", " Последний неудачный вызов\(call): \(failure.told).")
        }
        return Told(" The last call\(call) failed: \(failure.told).", " Последний вызов\(call) не удался: \(failure.told).")
    }

    private func open(_ app: String, _ origin: String?, _ rule: UndecidedRule) -> Problem? {
        guard breaker == .open || breaker == .halfOpen else { return nil }
        let cause = cause(at: origin)
        return Problem(
            .backendOpen, of: app,
            Told(
                """
                The backend of \(app) has failed so often in a row that it is asked only now and then.\(cause) Meanwhile users are answered \
                \(rule.answer) (when_undecided \(rule.rawValue)).
                """,
                """
                Сервер приложения \(app) столько раз подряд не смог ответить, что его спрашивают лишь изредка.\(cause) Пользователям пока \
                отвечают \(rule.answer) (when_undecided \(rule.rawValue)).
                """),
            remedy: (lastFailure?.reason ?? .backendUnreachable).remedy)
    }

    private func newKeys(_ app: String, _ origin: String?) -> Problem? {
        guard pacesNewKeys else { return nil }
        let cause = causeOfNewKeys(at: origin)
        return Problem(
            .backendNewKeys, as: .warning, of: app,
            Told(
                """
                The backend of \(app) fails for new keys, so it is asked about ten of them a second.\(cause) Such failures keep out no user whose \
                key it allowed before.
                """,
                """
                Сервер приложения \(app) не справляется с новыми ключами, поэтому о них спрашивают десять раз в секунду.\(cause) Тем, чей ключ он \
                уже одобрял, эти сбои не мешают.
                """),
            remedy: Indecision.backendNewKeysPaced.remedy)
    }
}

extension BackendFailure {
    /// The cause in words and as the log names it: the end of a sentence.
    fileprivate var told: Told {
        guard let meaning = ReasonMeaning(cause, from: .unknown)?.text else { return Told(verbatim: cause) }
        return Told("\(meaning) (\(cause))", "\(meaning) (\(cause))")
    }
}

extension UndecidedRule {
    /// The status of the answer to users whom the backend cannot decide about.
    fileprivate var answer: Int {
        switch self {
        case .error: 503
        case .deny: 403
        case .allowIfKeyValid: 200
        }
    }
}
