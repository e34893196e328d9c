internal import HTTP2Server
internal import JSON
internal import Time

/// The rules of Firebase Cloud Messaging for a push; its OAuth endpoint is on the same port.
final class FCMRules: SimulatorRules {
    private let oauth: GoogleOAuth
    private let message: GoogleMessage
    private let now: @Sendable () -> UnixMilliseconds

    init(_ oauth: GoogleOAuth, _ message: GoogleMessage, now: @escaping @Sendable () -> UnixMilliseconds) {
        self.oauth = oauth
        self.message = message
        self.now = now
    }

    func subject(of request: HTTP2Request) -> Fault.Subject {
        request.path == GoogleOAuth.path
            ? Fault.Subject(endpoint: .token, tokens: []) : Fault.Subject(endpoint: .send, tokens: GoogleMessage.tokens(request.body))
    }

    func refusal(_ answer: Fault.Answer, _ request: HTTP2Request) -> SimulatorAnswer {
        guard request.path == GoogleOAuth.path else { return dated(GoogleError.answer(answer)) }
        var refusal = SimulatorAnswer(status: answer.status, json: ["error": .string(answer.reason)])
        if let retryAfter = answer.retryAfter { refusal.headers.append(("retry-after", retryAfter)) }
        return dated(refusal)
    }

    func answer(_ request: HTTP2Request) -> SimulatorAnswer { dated(evaluate(request)) }

    /// Adds a Date header, as Google's servers do and APNs does not.
    private func dated(_ answer: SimulatorAnswer) -> SimulatorAnswer {
        var answer = answer
        answer.headers.append(("date", HTTPDate.text(now().seconds)))
        return answer
    }

    private func evaluate(_ request: HTTP2Request) -> SimulatorAnswer {
        if request.path == GoogleOAuth.path {
            // The URL that the client used, which comes from its service account file.
            return oauth.answer(request, audience: "https://\(request.authority)\(GoogleOAuth.path)", now: now().seconds)
        }
        guard request.method == "POST", request.path == "/v1/projects/\(message.project)/messages:send" else {
            return GoogleError.answer(404, code: nil, "Requested entity was not found.")
        }
        guard oauth.tokens.status(of: request.bearer, now: now().seconds) == .valid else {
            return GoogleError.answer(
                401, code: nil, "Request had invalid authentication credentials. Expected OAuth 2 access token.")
        }
        return message.answer(request)
    }
}

/// The rules of RuStore for a push: FCM's messages with a constant service token.
final class RuStoreRules: SimulatorRules {
    private let serviceToken: String
    private let message: GoogleMessage

    init(serviceToken: String, _ message: GoogleMessage) {
        self.serviceToken = serviceToken
        self.message = message
    }

    func subject(of request: HTTP2Request) -> Fault.Subject {
        Fault.Subject(endpoint: .send, tokens: GoogleMessage.tokens(request.body))
    }

    func refusal(_ answer: Fault.Answer, _ request: HTTP2Request) -> SimulatorAnswer {
        GoogleError.answer(answer)
    }

    func answer(_ request: HTTP2Request) -> SimulatorAnswer {
        guard request.method == "POST", request.path == "/v1/projects/\(message.project)/messages:send" else {
            return GoogleError.answer(404, code: nil, "Requested entity was not found.")
        }
        guard request.bearer == serviceToken else {
            return GoogleError.answer(403, code: nil, "The service token is not this project's.")
        }
        return message.answer(request)
    }
}
