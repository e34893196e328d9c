internal import HTTP2Server

/// How RuStore judges a push: FCM's messages with a token that never changes.
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
