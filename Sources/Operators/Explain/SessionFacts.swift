internal import Configuration
internal import Core
internal import Time

/// What is known of a person's session tokens at the help desk.
enum SessionFacts {
    /// The app hands none out.
    case off
    /// It does, and no service runs that would know more.
    case unknown
    /// It does.
    case known(Configuration.SessionTokens, SessionStanding)

    /// Why a person gets no token now, with what to do; nil when one is kept, or nothing is known to stand in the way.
    private var obstacle: Explanation.Step? {
        guard case .known(_, let standing) = self, standing.kept == nil, let obstacle = standing.obstacle else { return nil }
        let (text, remedy) = Self.sentences(obstacle)
        return Explanation.Step(.sessionToken, .problem, text, remedy: remedy)
    }

    /// The step that tells of them.
    /// - Parameter bound: the first second whose keys count; nil when all do.
    func step(countingFrom bound: UnixSeconds?) -> Explanation.Step {
        switch self {
        case .off:
            Explanation.Step(
                .sessionToken, .note,
                Told(
                    "The app hands out no session tokens: sendbird.session_tokens is not configured, so such requests are answered 404 (off).",
                    "Приложение не выдаёт сеансовых токенов: sendbird.session_tokens не настроен, на такие запросы отвечают 404 (off)."))
        case .unknown:
            Explanation.Step(
                .sessionToken, .note,
                Told(
                    "When the last session token was issued only a running service knows, and none runs here.",
                    "Когда выдан последний сеансовый токен, знает только работающая служба, а здесь она не запущена."))
        case .known(let settings, let standing):
            obstacle ?? Self.open(settings, standing.kept, countingFrom: bound)
        }
    }

    private static func open(
        _ settings: Configuration.SessionTokens, _ kept: SessionStanding.Kept?, countingFrom bound: UnixSeconds?
    ) -> Explanation.Step {
        let former =
            bound.map { Telling.time($0) }.map {
                Told(
                    " Keys that were issued before \($0) get none (403, revoked).",
                    " По ключам, выданным до \($0), токена не дают (403, revoked).")
            } ?? Told(verbatim: "")
        guard let kept else {
            let life = Telling.duration(seconds: settings.lifeSeconds)
            return Explanation.Step(
                .sessionToken, .ok,
                Told(
                    "This process keeps no session token of this user. A genuine key that is in force gets one of Sendbird's, for \(life) at most.\(former)",
                    "Этот процесс не хранит сеансового токена этого пользователя. По подлинному действующему ключу он получит токен Sendbird, не дольше чем на \(life).\(former)"
                ))
        }
        let (obtained, end) = (RFC3339.text(kept.obtainedAt), RFC3339.text(kept.expiresAt))
        return Explanation.Step(
            .sessionToken, .ok,
            Told(
                "The last session token was issued at \(obtained) and ends at \(end). It is handed out again until a tenth of its life is left.\(former)",
                "Последний сеансовый токен выдан \(obtained) и действует до \(end). Его выдают снова, пока не останется десятая часть срока.\(former)"
            ), at: kept.obtainedAt)
    }

    private static func sentences(_ obstacle: SessionStanding.Obstacle) -> (text: Told, remedy: Told) {
        switch obstacle {
        case .limited(let rule, let until):
            let window = Telling.duration(seconds: rule.windowMilliseconds / 1000)
            let end = RFC3339.text(until)
            return (
                Told(
                    "There is no new session token until \(end): the limit of \(rule.max) in \(window) for one \(rule.scope.rawValue) is reached (429).",
                    "До \(end) нового сеансового токена нет: достигнут предел, \(rule.max) за \(window) на один \(rule.scope.rawValue) (429)."
                ),
                Told(
                    "Have the app keep its token until expires_at; the limit is sendbird.session_tokens.limits.",
                    "Пусть приложение хранит токен до expires_at; предел задаёт sendbird.session_tokens.limits.")
            )
        case .throttled(let until):
            let end = RFC3339.text(until)
            return (
                Told(
                    "Sendbird wants fewer requests: until \(end) it is asked for no new session token (429).",
                    "Sendbird просит запрашивать реже: до \(end) новых сеансовых токенов у него не просят (429)."),
                Told(
                    "If this goes on, ask Sendbird for a larger limit, or have tokens live longer: sendbird.session_tokens.life_seconds.",
                    "Если так и будет, попросите у Sendbird больший предел или продлите срок токенов: sendbird.session_tokens.life_seconds."
                )
            )
        case .tokenRefused:
            return (
                Told(
                    "Sendbird refuses the app's API token (chat_token), so there is no new session token (503).",
                    "Sendbird не принимает API-токен приложения (chat_token), поэтому нового сеансового токена нет (503)."),
                Told(
                    "deskgate check --live says which one it refuses. Put a valid one into sendbird.chat_token, and \(Told.reload).",
                    "Какой именно, скажет deskgate check --live. Запишите действующий в sendbird.chat_token и \(Told.reload).")
            )
        case .noAddress:
            return (
                Told(
                    "A user with this id has no address at Sendbird, so there is no session token (400).",
                    "У пользователя с таким идентификатором нет адреса в Sendbird, поэтому токена нет (400)."),
                Told("Give the person another user_id.", "Дайте человеку другой user_id.")
            )
        case .supportAccount:
            return (
                Told(
                    "The id is that of an account of support at Sendbird, for which there is no session token (400).",
                    "Это идентификатор учётной записи поддержки в Sendbird, для неё сеансового токена нет (400)."),
                Told(
                    "Find out why your backend has made a security key for it, and give the customer another user_id.",
                    "Выясните, почему ваш бэкенд выпустил для него ключ, и дайте клиенту другой user_id.")
            )
        }
    }
}
