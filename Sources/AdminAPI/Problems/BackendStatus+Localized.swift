internal import Core
internal import Notifiers

extension BackendStatus {
    /// The problems of an app's backend.
    /// - Parameters:
    ///   - origin: the backend's address; nil when unknown.
    ///   - rule: the answer to users while it cannot decide.
    func problems(of app: String, at origin: String?, _ rule: UndecidedPolicy) -> [Problem] {
        [open(app, origin: origin, rule: rule), newKeys(app, origin)].compactMap(\.self)
    }

    /// The cause of the last failure, as a sentence that follows others; empty without one. A failure for an invented key never hides one
    /// for a known key.
    func cause(at origin: String?) -> LocalizedText {
        lastFailure == nil ? causeOfNewKeys(at: origin) : causeOfKnownKeys(at: origin)
    }

    /// The cause of failures with this reason, as a sentence that follows others; empty when the last ones had another reason. An open
    /// breaker and the rate of new keys only follow from failures.
    func cause(of reason: UndecidedReason, at origin: String?) -> LocalizedText {
        if [.backendBreakerOpen, lastFailure?.reason].contains(reason) { return causeOfKnownKeys(at: origin) }
        return [.backendNewKeysLimited, lastNewKeyFailure?.reason].contains(reason)
            ? causeOfNewKeys(at: origin) : LocalizedText(verbatim: "")
    }

    private func causeOfKnownKeys(at origin: String?) -> LocalizedText { Self.cause(lastFailure, Self.place(origin)) }

    private func causeOfNewKeys(at origin: String?) -> LocalizedText {
        Self.cause(lastNewKeyFailure, Self.place(origin) + LocalizedText(" about a new key", " о новом ключе"))
    }

    private static func place(_ origin: String?) -> LocalizedText {
        origin.map { LocalizedText(" to \($0)", " \($0)") } ?? LocalizedText(verbatim: "")
    }

    private static func cause(_ failure: BackendFailure?, _ call: LocalizedText) -> LocalizedText {
        guard let failure else { return LocalizedText(verbatim: "") }
        guard !failure.isOver else {
            return LocalizedText(
                " The last failed call\(call): \(failure.localized).", " Последний неудачный вызов\(call): \(failure.localized).")
        }
        return LocalizedText(
            " The last call\(call) failed: \(failure.localized).", " Последний вызов\(call) не удался: \(failure.localized).")
    }

    private func open(_ app: String, origin: String?, rule: UndecidedPolicy) -> Problem? {
        guard breaker == .open || breaker == .halfOpen else { return nil }
        let cause = cause(at: origin)
        return Problem(
            .backendOpen, of: app,
            LocalizedText(
                """
                The backend of \(app) has failed so often in a row that it is called only at intervals.\(cause) Meanwhile users are answered \
                \(rule.answer) (when_undecided \(rule.rawValue)).
                """,
                """
                Сервер приложения \(app) столько раз подряд не смог ответить, что его спрашивают лишь изредка.\(cause) Пользователям пока \
                отвечают \(rule.answer) (when_undecided \(rule.rawValue)).
                """),
            remedy: (lastFailure?.reason ?? .backendUnreachable).remedy)
    }

    private func newKeys(_ app: String, _ origin: String?) -> Problem? {
        guard limitsNewKeys else { return nil }
        let cause = causeOfNewKeys(at: origin)
        return Problem(
            .backendNewKeys, as: .warning, of: app,
            LocalizedText(
                """
                The backend of \(app) fails for new keys, so Deskgate asks it about ten of them a second.\(cause) Such failures keep out no user whose \
                key it allowed before.
                """,
                """
                Сервер приложения \(app) не справляется с новыми ключами, поэтому о них спрашивают десять раз в секунду.\(cause) Тем, чей ключ он \
                уже одобрял, эти сбои не мешают.
                """),
            remedy: UndecidedReason.backendNewKeysLimited.remedy)
    }
}

extension BackendFailure {
    /// The cause in words and as in the log: the end of a sentence.
    fileprivate var localized: LocalizedText {
        guard let meaning = ReasonMeaning(cause, from: .unknown)?.text else { return LocalizedText(verbatim: cause) }
        return LocalizedText("\(meaning) (\(cause))", "\(meaning) (\(cause))")
    }
}

extension UndecidedPolicy {
    /// The status of the answer to users without a decision of the backend.
    fileprivate var answer: Int {
        switch self {
        case .error: 503
        case .deny: 403
        case .allowIfKeyValid: 200
        }
    }
}
