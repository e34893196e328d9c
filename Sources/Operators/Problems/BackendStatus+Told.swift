internal import Core

extension BackendStatus {
    /// The problems of an app's backend.
    func problems(of app: String) -> [Problem] { [open(app), newKeys(app)].compactMap(\.self) }

    private func open(_ app: String) -> Problem? {
        guard breaker == .open || breaker == .halfOpen else { return nil }
        return Problem(
            .backendOpen, of: app,
            Told(
                """
                The backend of \(app) has failed so often in a row that it is asked only now and then. Users are answered as \
                apps[].verify.when_undecided says, 503 by default.
                """,
                """
                Сервер приложения \(app) столько раз подряд не смог ответить, что его спрашивают лишь изредка. Пользователям отвечают \
                по правилу apps[].verify.when_undecided, обычно 503.
                """),
            remedy: Told(
                "Repair the backend of apps[].verify.url; the log has the reason. It is asked again by itself.",
                "Почините сервер из apps[].verify.url; причину называет журнал. Спрашивать его снова начнут автоматически."))
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
