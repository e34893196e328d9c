internal import Configuration
internal import Core
internal import HTTPClient
internal import HTTPServer
internal import HelpDesk
internal import Observability
internal import Threading
internal import Time
internal import Tracing
internal import URLPreviews

/// `POST /sendbird/url-preview`: what is shown of a page that a person has written the address of.
///
/// The security key is verified first, from memory, so that strangers make us fetch nothing. Then the connection is suspended while the page is
/// fetched. The URL is a part of a person's message, so no line of the log and no metric has anything of it.
final class URLPreviewRoute: Sendable {
    static let path: StaticString = "/sendbird/url-preview"
    static let bodyLimit = 16 * 1024
    /// How much longer than the page the request may take, in milliseconds.
    private static let marginMilliseconds: UInt64 = 1000
    private static let reader = BodyReader<4>(wanting: ["app_id", "user_id", "security_key", "url"])

    /// A request and what is known of it.
    private struct Call: Sendable {
        let state: SendbirdState
        let mark: RequestMark
        /// The app; nil when it is not configured.
        let app: String?
        let person: PreviewLimits.Person
        let url: Result<WebURL, BodyError>
        /// For the log.
        let caller: Caller
    }

    private let state: Live<SendbirdState>
    private let services: HelpDeskServices
    private let previewer: URLPreviewer
    private let limits: Monitor<PreviewLimits>
    private let answers = URLPreviewAnswers()

    /// - Parameter previewer: its owner closes it.
    init(state: Live<SendbirdState>, _ services: HelpDeskServices, _ previewer: URLPreviewer, limits: PreviewLimits = PreviewLimits()) {
        self.state = state
        self.services = services
        self.previewer = previewer
        self.limits = Monitor(limits)
    }

    var route: Route {
        Route(
            Self.path, bodyLimit: Self.bodyLimit, described: [.post: URLPreviewAnswers.description],
            [(.post, { [self] in answer($0, $1) })])
    }

    private func answer(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
        let mark = RequestMark(id: request.requestID, services.tracer.beginLasting(request.callersTrace()))
        let state = state.current
        var question: BackendQuestion?
        let (verdict, call): (Verdict, Call)
        do throws(BodyError) {
            (verdict, call) = try Self.reader.withFields(of: request) { fields, bytes throws(BodyError) -> (Verdict, Call) in
                let ranges = try fields.credentials()
                let (appID, userID) = (bytes.extracting(ranges.appID), bytes.extracting(ranges.userID))
                let key = bytes.extracting(ranges.securityKey)
                let decision = state.shared.decide(
                    appID: appID, userID: userID, securityKey: key, of: .sendbird, now: services.clocks.unixSeconds(),
                    revocations: services.revocations.current, asking: &question)
                if case .malformed(let malformation) = decision.verdict { throw .malformed(malformation) }
                let authorizer = state.shared.authorizer
                let person = PreviewLimits.Person(appID: ByteKey(String(appID)), userID: ByteKey(String(userID)))
                let caller = Caller(decision, authorizer, appID: appID, userID: userID, securityKey: key)
                let app = decision.application.map { authorizer.applications[$0].name }
                let url: Result<WebURL, BodyError>
                do throws(BodyError) {
                    url = .success(try Self.url(fields, bytes))
                } catch {
                    url = .failure(error)
                }
                return (decision.verdict, Call(state: state, mark: mark, app: app, person: person, url: url, caller: caller))
            }
        } catch {
            return responder.respond(malformed(error, nil, mark))
        }
        if let question { return ask(question, call, responder) }
        guard case .authorized = verdict else { return responder.respond(refuse(verdict, call)) }
        switch admit(call) {
        case .failure(let refusal): return responder.respond(refusal.response)
        case .success(let url):
            return responder.respondLater(timeoutMilliseconds: URLPreviewer.longestMilliseconds + Self.marginMilliseconds) { pending in
                fetch(url, call, PendingBox(pending))
            }
        }
    }

    private static func url(_ fields: borrowing BodyFields<4>, _ bytes: Span<UInt8>) throws(BodyError) -> WebURL {
        guard let text = try fields.text("url", in: bytes, longest: WebURL.longest) else {
            throw .unexpected(field: "url", expectation: "it is missing; give the first http or https URL of the message")
        }
        do throws(WebURL.Problem) {
            return try WebURL(text)
        } catch {
            throw .unexpected(field: "url", expectation: URLPreviewAnswers.expectation(error))
        }
    }

    /// Has the app's backend asked, then fetches the page.
    private func ask(_ question: BackendQuestion, _ call: Call, _ responder: consuming Responder) -> Answered {
        let milliseconds = question.timeoutMilliseconds + URLPreviewer.longestMilliseconds + Self.marginMilliseconds
        return responder.respondLater(timeoutMilliseconds: milliseconds) { pending in
            let box = PendingBox(pending)
            question.ask(services.revocations, in: call.mark.trace) { [self] verdict in
                // A stop may have answered already.
                guard box.isAwaited else { return }
                guard case .authorized = verdict else {
                    box.respond(refuse(verdict, call))
                    return
                }
                switch admit(call) {
                case .failure(let refusal): box.respond(refusal.response)
                case .success(let url): fetch(url, call, box)
                }
            }
        }
    }

    private func fetch(_ url: WebURL, _ call: Call, _ box: PendingBox) {
        previewer.preview(of: url) { [self] outcome in
            let (result, response) = answers.answer(to: outcome)
            if result != .preview { log(result, .info, result.word, call.app, [:], call.mark) }
            box.respond(end(response, result, call.app, call.mark))
        }
    }

    private struct Refused: Error {
        let response: Response
    }

    /// Whether somebody whose key is in force gets a page fetched: the URL, or the answer.
    private func admit(_ call: Call) -> Result<WebURL, Refused> {
        guard let app = call.app, call.state.app(app)?.settings.makesURLPreviews == true else {
            return .failure(Refused(response: end(answers.off, .off, call.app, call.mark)))
        }
        let url: WebURL
        do throws(BodyError) {
            url = try call.url.get()
        } catch {
            return .failure(Refused(response: malformed(error, app, call.mark)))
        }
        guard URLPreviewer.isAvailable else {
            log(.unavailable, .error, "no_html_parser", app, [:], call.mark)
            return .failure(Refused(response: end(answers.undecided, .unavailable, app, call.mark)))
        }
        let now = services.clocks.unixMilliseconds()
        if let (rule, until) = limits.withLock({ $0.refusal(of: call.person, now: now) }) {
            log(.limited, .info, "limit_per_\(rule.scope.rawValue)", app, [:], call.mark)
            return .failure(Refused(response: end(answers.limited(rule, until: until, now: now), .limited, app, call.mark)))
        }
        return .success(url)
    }

    private func malformed(_ error: BodyError, _ app: String?, _ mark: RequestMark) -> Response {
        var fields: LogFields = [:]
        if let field = error.field { fields.append("field", .string(field)) }
        log(.malformed, .info, error.reason, app, fields, mark)
        return end(.error(400, "malformed", error.message), .malformed, app, mark)
    }

    private func refuse(_ verdict: Verdict, _ call: Call) -> Response {
        var fields: LogFields = [:]
        call.caller.append(to: &fields)
        let isDenied = if case .denied = verdict { true } else { false }
        let result: URLPreviewResult = isDenied ? .denied : .unavailable
        log(result, verdict.logLevel, verdict.reason, nil, fields, call.mark)
        return end(isDenied ? answers.denied : answers.undecided, result, call.app, call.mark)
    }

    /// Counts an answer and ends its span.
    private func end(_ response: Response, _ result: URLPreviewResult, _ app: String?, _ mark: RequestMark) -> Response {
        services.metrics.urlPreviews.child(app ?? "", result.word).increment()
        services.tracer.endRequest(mark.span, Self.path, response, app: app, result: result.word)
        return response
    }

    private func log(
        _ result: URLPreviewResult, _ level: LogLevel, _ reason: String, _ app: String?, _ details: LogFields, _ mark: RequestMark
    ) {
        var fields: LogFields = ["result": .string(result.word), "reason": .string(reason)]
        if let app { fields.append("app", .string(app)) }
        fields.append(details)
        mark.append(to: &fields)
        services.denials.log(level, "url preview", reason: reason, fields)
    }
}
