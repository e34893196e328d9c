internal import Core

extension AnswerWindow.Finding {
    /// The problem that is shown for it; nil for none.
    /// - Parameter facts: the policy of keys, the app's backend, and the configured app most similar to the last unknown one.
    func problem(_ facts: KeyFacts) -> Problem? {
        switch kind {
        case .undecided: undecided(facts)
        case .mostDenied: mostDenied(facts)
        case .revoked: facts.revokedKey.flatMap { revoked($0, facts) }
        case .unknownApp: unknownApp(facts)
        case .malformed: malformed
        case .callersRefused: callersRefused
        case .webhooksRefused: webhooksRefused
        }
    }

    private var severity: Problem.Severity { isClosed ? .problem : .warning }
    private var window: UInt64 { AnswerWindow.lengthMilliseconds / 60_000 }

    private func undecided(_ facts: KeyFacts) -> Problem {
        let ofApp = app.isEmpty ? LocalizedText(verbatim: "") : LocalizedText(" of \(app)", " приложения \(app)")
        let undecided = UndecidedReason(rawValue: reason) ?? .internalError
        let cause = facts.backendStatus?.cause(of: undecided, at: facts.backend) ?? LocalizedText(verbatim: "")
        // An open breaker only follows from failures.
        let opened = undecided == .backendBreakerOpen ? facts.backendStatus?.lastFailure?.reason : nil
        return Problem(
            .authorizationsUndecided, as: severity, of: app.isEmpty ? nil : app,
            LocalizedText(
                """
                \(count) of \(total) authorizations\(ofApp) within \(window) minutes could not be decided and were answered 503, \
                \(reasonCount) of them as \(reason).\(cause)
                """,
                """
                За \(window) мин. на \(count) из \(total) запросов доступа\(ofApp) не нашлось решения, и на них ответили 503, \
                из них \(reasonCount) с причиной \(reason).\(cause)
                """),
            remedy: (opened ?? undecided).remedy)
    }

    private func mostDenied(_ facts: KeyFacts) -> Problem {
        let denial = Denial(rawValue: reason) ?? .wrongMac
        let share = reasonCount * 100 / max(1, count)
        let cause = denial == .backendUndecided ? facts.backendCause : LocalizedText(verbatim: "")
        return Problem(
            .nearlyAllDenied, of: app,
            LocalizedText(
                """
                Nearly all users are denied in the chat of \(app): \(count) of \(total) authorizations within \(window) minutes were denied, \
                \(share) % of them as \(reason).\(cause)
                """,
                """
                В чат \(app) почти никого не пускают: за \(window) мин. отказано в \(count) из \(total) запросов доступа, \
                \(share) % отказов с причиной \(reason).\(cause)
                """),
            remedy: denial.remedy(facts))
    }

    /// Blocked users are denied for the same reason, so this is reported only when a key is revoked. A revoked key with which Deskgate
    /// mints is a separate problem.
    private func revoked(_ key: RevokedKey, _ facts: KeyFacts) -> Problem? {
        guard !key.isMinting else { return nil }
        return Problem(
            .appKeyEnds, as: .warning, of: app,
            LocalizedText(
                """
                \(count) of \(total) authorizations of \(app) within \(window) minutes were denied as revoked, and the key id \(key.keyID) \
                is revoked: a backend may still mint with it.
                """,
                """
                За \(window) мин. отказано в \(count) из \(total) запросов доступа приложения \(app) с причиной revoked, а ключ с номером \
                \(key.keyID) отозван: возможно, сервер ещё выдаёт ключи им.
                """),
            remedy: Denial.revoked.remedy(facts))
    }

    private func unknownApp(_ facts: KeyFacts) -> Problem {
        let nearest =
            facts.similarApp.map { LocalizedText(" The nearest configured app_id is \($0).", " Ближайший app_id из настроек: \($0).") }
            ?? LocalizedText(verbatim: "")
        return Problem(
            .unknownApp, as: severity,
            LocalizedText(
                """
                \(TextFragments.count(count, "authorization")) within \(window) minutes named an app_id that is not configured (unknown_app) and \
                were answered 403.\(nearest)
                """,
                "За \(window) мин. запросов доступа с неизвестным app_id (unknown_app): \(count), на них ответили 403.\(nearest)"),
            remedy: Denial.unknownApp.remedy(facts))
    }

    private var malformed: Problem {
        let problem = ValidationError.Problem(rawValue: reason)
        let cause = problem?.cause ?? ValidationError.Problem.causeOfBody
        return Problem(
            .authorizationsMalformed, as: severity,
            LocalizedText(
                """
                \(TextFragments.count(count, "authorization")) within \(window) minutes were malformed and were answered 400, \(reasonCount) of them \
                because \(cause) (\(reason)).
                """,
                """
                За \(window) мин. неправильных запросов доступа: \(count), на них ответили 400, из них \(reasonCount), потому что \(cause) \
                (\(reason)).
                """),
            remedy: problem?.remedy ?? ValidationError.Problem.remedyOfBody)
    }

    private var callersRefused: Problem {
        let refusal = CallerRefusal(rawValue: reason) ?? .network
        let effect =
            refusal == .forwarded
            ? LocalizedText("They were answered 503.", "На них ответили 503.")
            : LocalizedText(
                "The help desk takes that for a denial of every user.", "Служба поддержки принимает это за отказ каждому пользователю.")
        return Problem(
            .callersRefused, as: severity,
            LocalizedText(
                """
                \(TextFragments.count(count, "call")) within \(window) minutes were refused, \(reasonCount) of them because \(refusal.cause) (\(reason)). \
                \(effect)
                """,
                """
                За \(window) мин. отклонено вызовов: \(count), из них \(reasonCount), потому что \(refusal.cause) (\(reason)). \
                \(effect)
                """),
            remedy: refusal.remedy)
    }

    private var webhooksRefused: Problem {
        let ofApp = app.isEmpty ? LocalizedText(verbatim: "") : LocalizedText(" of \(app)", " приложения \(app)")
        let refusal = WebhookRefusal(rawValue: reason) ?? .malformed
        let anybody =
            refusal.isUnproven
            ? LocalizedText(" Anybody can send such webhooks.", " Такие вебхуки может прислать кто угодно.") : LocalizedText(verbatim: "")
        return Problem(
            .webhooksRefused, as: severity, of: app.isEmpty ? nil : app,
            LocalizedText(
                """
                \(count) of \(total) webhooks\(ofApp) within \(window) minutes were refused, \(reasonCount) of them as \(reason): \
                if the help desk has sent them, their replies are not delivered.\(anybody)
                """,
                """
                За \(window) мин. отклонено \(count) из \(total) вебхуков\(ofApp), из них \(reasonCount) с причиной \(reason): \
                если их прислала служба поддержки, об их содержании никто не узнает.\(anybody)
                """),
            remedy: TextFragments.sentence(refusal.remedy(of: app))
                + LocalizedText(
                    " The log's lines \"webhook\" have the caller's address.", " Адрес отправителя есть в строках журнала «webhook»."))
    }
}

extension UndecidedReason {
    /// The remedy for authorizations with this result, in sentences.
    var remedy: LocalizedText {
        switch self {
        case .internalError:
            LocalizedText(
                "Look at the log: it has a line of the level error about each of them.",
                "Посмотрите в журнале строки уровня error: о каждом таком запросе есть одна.")
        case .revocationsUnknown:
            LocalizedText(
                "Make the store usable again; the revocations are then read automatically.",
                "Верните хранилище в строй; тогда отзывы прочитаются сами.")
        case .backendTimeout, .backendOverloaded:
            LocalizedText(
                "Have the backend of apps[].verify.url answer faster, or raise apps[].verify.timeout_ms and \(LocalizedText.reload).",
                "Пусть сервер из apps[].verify.url отвечает быстрее, или увеличьте apps[].verify.timeout_ms и \(LocalizedText.reload).")
        case .backendUnreachable, .backendBreakerOpen:
            LocalizedText(
                "Repair the backend of apps[].verify.url, or the network path to it. Deskgate retries automatically.",
                "Почините сервер из apps[].verify.url или путь к нему. Спрашивать его снова начнут автоматически.")
        case .backendStatus:
            LocalizedText(
                "Have the backend of apps[].verify.url answer 2xx, 401, 403 or 404. Deskgate retries by itself.",
                "Пусть сервер из apps[].verify.url отвечает 2xx, 401, 403 или 404. Спрашивать его снова начнут автоматически.")
        case .backendNewKeysLimited:
            LocalizedText(
                "Repair the backend of apps[].verify.url. If others send junk keys, have it answer them 401, 403 or 404.",
                "Почините сервер из apps[].verify.url. Если присылают случайные ключи, пусть он отвечает на них 401, 403 или 404.")
        }
    }
}

extension CallerRefusal {
    /// The cause of the rejection, as the end of a sentence.
    fileprivate var cause: LocalizedText {
        switch self {
        case .network: LocalizedText("listen.allow does not name their network", "их сети нет в listen.allow")
        case .forwarded:
            LocalizedText(
                "the proxy of listen.trusted_proxies did not report one client address",
                "прокси из listen.trusted_proxies не назвал один адрес клиента")
        case .certificate:
            LocalizedText(
                "they showed no certificate of listen.tls.client_authorities", "у них нет сертификата из listen.tls.client_authorities")
        case .header:
            LocalizedText(
                "they did not send listen.shared_header with one of its secrets", "в них нет listen.shared_header с одним из секретов")
        }
    }

    fileprivate var remedy: LocalizedText {
        switch self {
        case .network:
            LocalizedText(
                "If it is the help desk or your proxy, add its network to listen.allow and \(LocalizedText.reload); ",
                "Если это служба поддержки или ваш прокси, добавьте его сеть в listen.allow и \(LocalizedText.reload); ")
                + LocalizedText("the log's lines \"caller refused\" have the address.", "адрес есть в строках журнала «caller refused».")
        case .forwarded:
            LocalizedText(
                "Make the proxy of listen.trusted_proxies send the client's address in X-Forwarded-For or Forwarded, ",
                "Пусть прокси из listen.trusted_proxies передаёт адрес клиента в заголовке Forwarded или подобном ")
                + LocalizedText("and remove the one of the two that it does not write.", "и удаляет тот из них, который не пишет сам.")
        case .certificate:
            LocalizedText(
                "Make the caller present a certificate of listen.tls.client_authorities, or correct that key and \(LocalizedText.reload).",
                "Пусть вызывающий предъявляет сертификат из listen.tls.client_authorities, или исправьте этот ключ и \(LocalizedText.reload)."
            )
        case .header:
            LocalizedText(
                "Make the proxy send listen.shared_header with one of its secrets, or correct that key and \(LocalizedText.reload).",
                "Пусть прокси передаёт listen.shared_header с одним из секретов, или исправьте этот ключ и \(LocalizedText.reload).")
        }
    }
}
