internal import Configuration
internal import Core
internal import HTTPServer
internal import HelpDesk
internal import Threading
internal import Time

/// `POST /sendbird/session-token`: issues a session token for Sendbird Chat to an app for its user.
///
/// A cached token is returned at once; otherwise the connection is suspended while Sendbird is called.
final class SessionTokenRoute: Sendable {
    /// The time that the request may take in addition to the call of Sendbird.
    private static let marginMilliseconds: UInt64 = TimeLimit.milliseconds(1000)

    private let sessions: @Sendable () -> SessionIssuers
    private let services: HelpDeskServices
    private let answers = SessionAnswers()

    /// - Parameter sessions: returns the issuers of the current configuration.
    init(_ services: HelpDeskServices, sessions: @escaping @Sendable () -> SessionIssuers) {
        self.sessions = sessions
        self.services = services
    }

    var route: Route {
        AuthenticatedRoute(
            "/sendbird/session-token", of: .sendbird,
            timeoutMilliseconds: self.sessions().longestMilliseconds + Self.marginMilliseconds, description: SessionAnswers.description,
            services, reading: .credentials, count: { [sessions] result, app, _ in sessions().counters.count(result, app: app) },
            perform: { [self] caller, _ in session(caller) }
        ).route
    }

    private func session(_ caller: AuthenticatedCaller) -> AuthenticatedResponse {
        guard PlatformRequest.isAddressable(caller.userID) else { return .answer(unusable("no_address")) }
        guard !SupportAccount.resemblesSupport(caller.userID) else { return .answer(unusable("support_account")) }
        guard let issuer = sessions().issuer(of: caller.appID) else {
            return .answer(AuthenticatedAnswer(answers.off, result: SessionResult.off.rawValue, reason: "off"))
        }
        if let session = issuer.find(caller) { return .answer(answer(to: .kept(session))) }
        return .later { [self] complete in
            issuer.ask(caller) { [self] outcome in complete(answer(to: outcome)) }
        }
    }

    private func unusable(_ reason: String) -> AuthenticatedAnswer {
        AuthenticatedAnswer(answers.unusableUser, result: SessionResult.malformed.rawValue, reason: reason)
    }

    private func answer(to outcome: SessionOutcome) -> AuthenticatedAnswer {
        answers.answer(to: outcome, now: services.clocks.unixMilliseconds())
    }
}
