internal import Core
internal import Notifiers

extension BackendStatus {
    /// The problems of an app's backend.
    /// - Parameters:
    ///   - origin: where it is asked; nil when that is not known.
    ///   - rule: the answer to users while it cannot decide.
    func problems(of app: String, at origin: String?, _ rule: UndecidedRule) -> [Problem] {
        [open(app, origin, rule), newKeys(app)].compactMap(\.self)
    }

    /// Why the last call failed, as a sentence after others; empty when none has.
    func cause(at origin: String?) -> Told {
        guard let lastFailure else { return Told(verbatim: "") }
        let place = origin.map { " \($0)" }
        return Told(
            " The last call\(place.map { " to\($0)" } ?? "") failed: \(lastFailure.told).",
            " Последний вызов\(place ?? "") не удался: \(lastFailure.told).")
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

    private func newKeys(_ app: String) -> Problem? {
        guard pacesNewKeys else { return nil }
        return Problem(
            .backendNewKeys, as: .warning, of: app,
            Told(
                """
                The backend of \(app) fails for new keys, so it is asked about ten of them a second. Such failures keep out no user whose \
                key it allowed before.
                """,
                """
                Сервер приложения \(app) не справляется с новыми ключами, поэтому о них спрашивают десять раз в секунду. Тем, чей ключ он \
                уже одобрял, эти сбои не мешают.
                """),
            remedy: Told(
                "If others send junk keys, have the backend answer them 401, 403 or 404. The log has the reason.",
                "Если присылают случайные ключи, пусть сервер отвечает на них 401, 403 или 404. Причину называет журнал."))
    }
}

extension BackendFailure {
    /// The cause in words and as the log names it: the end of a sentence.
    fileprivate var told: Told {
        guard let meaning = ReasonMeaning(cause, from: .http)?.text else { return Told(verbatim: cause) }
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
