internal import Configuration
internal import Core
internal import Time

enum SessionFacts {
    /// The app issues no session tokens.
    case off
    /// It does, and no service runs that would know more.
    case unknown
    case known(Configuration.SessionTokens, SessionStatus)

    /// The reason why a person gets no token now, with the remedy; nil when a token is cached, or no obstacle is known.
    private var obstacle: Explanation.Step? {
        guard case .known(_, let status) = self, status.kept == nil, let obstacle = status.obstacle else { return nil }
        let (text, remedy) = Self.sentences(obstacle)
        return Explanation.Step(.sessionToken, outcome: .problem, text: text, remedy: remedy)
    }

    /// The step about the session tokens.
    /// - Parameter bound: the first second whose keys are valid; nil when all are.
    func step(countingFrom bound: UnixSeconds?) -> Explanation.Step {
        switch self {
        case .off:
            Explanation.Step(
                .sessionToken, outcome: .note,
                text: LocalizedText(
                    "The app hands out no session tokens: sendbird.session_tokens is not configured, so such requests are answered 404 (off).",
                    "Приложение не выдаёт сеансовых токенов: sendbird.session_tokens не настроен, на такие запросы отвечают 404 (off)."))
        case .unknown:
            Explanation.Step(
                .sessionToken, outcome: .note,
                text: LocalizedText(
                    "The time of the last session token is known only to a running service, and none runs here.",
                    "Когда выдан последний сеансовый токен, знает только работающая служба, а здесь она не запущена."))
        case .known(let settings, let status):
            obstacle ?? Self.open(settings, status.kept, countingFrom: bound)
        }
    }

    private static func open(
        _ settings: Configuration.SessionTokens, _ kept: SessionStatus.Kept?, countingFrom bound: UnixSeconds?
    ) -> Explanation.Step {
        let former =
            bound.map { TextFragments.time($0) }.map {
                LocalizedText(
                    " Keys that were issued before \($0) get none (403, revoked).",
                    " По ключам, выданным до \($0), токена не дают (403, revoked).")
            } ?? LocalizedText(verbatim: "")
        guard let kept else {
            let life = TextFragments.duration(seconds: settings.lifetimeSeconds)
            return Explanation.Step(
                .sessionToken, outcome: .ok,
                text: LocalizedText(
                    "This process keeps no session token of this user. A genuine key that is in force gets one of Sendbird's, for \(life) at most.\(former)",
                    "Этот процесс не хранит сеансового токена этого пользователя. По подлинному действующему ключу он получит токен Sendbird, не дольше чем на \(life).\(former)"
                ))
        }
        let (obtained, end) = (RFC3339.text(kept.obtainedAt), RFC3339.text(kept.expiresAt))
        return Explanation.Step(
            .sessionToken, outcome: .ok,
            text: LocalizedText(
                "The last session token was issued at \(obtained) and ends at \(end). It is handed out again until a tenth of its life is left.\(former)",
                "Последний сеансовый токен выдан \(obtained) и действует до \(end). Его выдают снова, пока не останется десятая часть срока.\(former)"
            ), at: kept.obtainedAt)
    }

    private static func sentences(_ obstacle: SessionStatus.Obstacle) -> (text: LocalizedText, remedy: LocalizedText) {
        switch obstacle {
        case .limited(let rule, let until):
            let window = TextFragments.duration(seconds: rule.windowMilliseconds / 1000)
            let end = RFC3339.text(until)
            return (
                LocalizedText(
                    "There is no new session token until \(end): the limit of \(rule.max) in \(window) for one \(rule.scope.rawValue) is reached (429).",
                    "До \(end) нового сеансового токена нет: достигнут предел, \(rule.max) за \(window) на один \(rule.scope.rawValue) (429)."
                ),
                LocalizedText(
                    "Have the app keep its token until expires_at; the limit is sendbird.session_tokens.limits.",
                    "Пусть приложение хранит токен до expires_at; предел задаёт sendbird.session_tokens.limits.")
            )
        case .throttled(let until):
            let end = RFC3339.text(until)
            return (
                LocalizedText(
                    "Sendbird rejects requests beyond its limit: until \(end) Deskgate requests no new session token (429).",
                    "Sendbird просит запрашивать реже: до \(end) новых сеансовых токенов у него не просят (429)."),
                LocalizedText(
                    "If this continues, ask Sendbird for a higher limit, or extend the life of tokens: sendbird.session_tokens.life_seconds.",
                    "Если так и будет, попросите у Sendbird больший предел или продлите срок токенов: sendbird.session_tokens.life_seconds."
                )
            )
        case .tokenRefused:
            return (
                LocalizedText(
                    "Sendbird refuses the app's API token (chat_token), so there is no new session token (503).",
                    "Sendbird не принимает API-токен приложения (chat_token), поэтому нового сеансового токена нет (503)."),
                LocalizedText(
                    "deskgate check --live shows which one it refuses. Put a valid one into sendbird.chat_token, and \(LocalizedText.reload).",
                    "Какой именно, скажет deskgate check --live. Запишите действующий в sendbird.chat_token и \(LocalizedText.reload).")
            )
        case .noAddress:
            return (
                LocalizedText(
                    "A user with this id has no address at Sendbird, so there is no session token (400).",
                    "У пользователя с таким идентификатором нет адреса в Sendbird, поэтому токена нет (400)."),
                LocalizedText("Give the person another user_id.", "Дайте человеку другой user_id.")
            )
        case .supportAccount:
            return (
                LocalizedText(
                    "The id is that of an account of support at Sendbird, for which there is no session token (400).",
                    "Это идентификатор учётной записи поддержки в Sendbird, для неё сеансового токена нет (400)."),
                LocalizedText(
                    "Find out why your backend has made a security key for it, and give the customer another user_id.",
                    "Выясните, почему ваш бэкенд выпустил для него ключ, и дайте клиенту другой user_id.")
            )
        }
    }
}
