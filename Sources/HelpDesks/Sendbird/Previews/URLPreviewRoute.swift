internal import Configuration
internal import Core
internal import HTTPClient
internal import HTTPServer
internal import HelpDesk
internal import Observability
internal import Threading
internal import Time
internal import URLPreviews

/// `POST /sendbird/url-preview`: returns a preview of a page whose URL a user has written.
///
/// Only an authenticated user can make Deskgate fetch pages, and rate limits apply. The URL is part of a user's message, so no part of it
/// appears in logs or metrics.
final class URLPreviewRoute: Sendable {
    /// The limits allow one preview for each message, at the rate at which a person writes messages.
    static let limits = CallWindows(
        [LimitRule(per: .user, max: 20, windowMilliseconds: 60_000), LimitRule(per: .user, max: 200, windowMilliseconds: 3_600_000)],
        personLimit: 20_000)
    /// The time, in milliseconds, that the request may take in addition to fetching the page.
    private static let marginMilliseconds: UInt64 = TimeLimit.milliseconds(1000)

    private let isOn: @Sendable (_ appID: String) -> Bool
    private let services: HelpDeskServices
    private let previewer: URLPreviewer
    private let limits: Monitor<CallWindows>
    private let answers = URLPreviewAnswers()

    /// - Parameters:
    ///   - previewer: the owner must close it.
    ///   - isOn: returns whether previews are enabled for an app.
    init(
        _ services: HelpDeskServices, _ previewer: URLPreviewer, limits: CallWindows = limits, isOn: @escaping @Sendable (String) -> Bool
    ) {
        self.isOn = isOn
        self.services = services
        self.previewer = previewer
        self.limits = Monitor(limits)
    }

    var route: Route {
        AuthenticatedRoute(
            "/sendbird/url-preview", of: .sendbird, timeoutMilliseconds: URLPreviewer.longestMilliseconds + Self.marginMilliseconds,
            description: URLPreviewAnswers.description, services, reading: .text("url", longest: WebURL.longest, Self.url),
            count: { [family = services.metrics.urlPreviews] result, app, _ in family.child(app ?? "", result).increment() },
            perform: { [self] caller, url in preview(caller, url) }
        ).route
    }

    private static func url(_ text: String?) throws(BodyError) -> WebURL {
        guard let text else {
            throw .unexpected(field: "url", expectation: "it is missing; give the first http or https URL of the message")
        }
        do throws(WebURL.Problem) {
            return try WebURL(text)
        } catch {
            throw .unexpected(field: "url", expectation: URLPreviewAnswers.expectation(error))
        }
    }

    private func preview(_ caller: AuthenticatedCaller, _ url: WebURL) -> AuthenticatedResponse {
        guard isOn(caller.appID) else { return .answer(AuthenticatedAnswer(answers.off, result: URLPreviewResult.off.word, reason: "off")) }
        guard URLPreviewer.isAvailable else {
            let result = URLPreviewResult.unavailable.word
            return .answer(AuthenticatedAnswer(answers.undecided, result: result, reason: "no_html_parser", level: .error))
        }
        let now = services.clocks.unixMilliseconds()
        if let refusal = limits.withLock({ $0.take(caller.person, now: now) }) { return .answer(.limited(refusal, now: now)) }
        return .later { [self] complete in
            previewer.preview(of: url, for: caller.person.share) { [self] outcome in
                let (result, response) = answers.answer(to: outcome)
                complete(AuthenticatedAnswer(response, result: result.word, reason: result == .preview ? nil : result.word))
            }
        }
    }
}
