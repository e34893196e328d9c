internal import Core
internal import JSON
package import Observability

/// Counts an app's requests to Sendbird, and logs when Sendbird rejects its tokens and accepts them again.
package struct PlatformObserver: Sendable {
    enum Outcome: String, CaseIterable {
        case success
        case unauthorized
        case notFound = "not_found"
        case invalid
        case rateLimited = "rate_limited"
        case heldBack = "held_back"
        case unavailable

        init(_ answer: Result<JSONValue, PlatformError>) {
            switch answer {
            case .success: self = .success
            case .failure(let error): self = Outcome(rawValue: error.word) ?? .unavailable
            }
        }
    }

    private let app: String
    private let requests: MetricFamily<Counter>
    private let duration: Histogram
    private let logger: Logger

    /// - Parameters:
    ///   - requests: the counters by app, request and outcome.
    ///   - durations: the histograms by app.
    package init(app: String, requests: MetricFamily<Counter>, durations: MetricFamily<Histogram>, logger: Logger) {
        self.app = app
        self.requests = requests
        duration = durations.child(app)
        self.logger = logger
    }

    package func expect(_ names: [String]) {
        for name in names {
            for outcome in Outcome.allCases { _ = requests.child(app, name, outcome.rawValue) }
        }
    }

    func count(_ name: String, _ outcome: Outcome) {
        requests.child(app, name, outcome.rawValue).increment()
    }

    func observe(nanoseconds: UInt64) {
        duration.observe(nanoseconds: nanoseconds)
    }

    func log(isRefused: Bool, _ api: PlatformAPI) {
        guard isRefused else {
            return logger.log(
                .info, message: "a help desk accepts the API token again", fields: ["app": .string(app), "api": .string(api.rawValue)])
        }
        logger.log(
            .error, message: "a help desk refuses the API token",
            fields: [
                "app": .string(app), "api": .string(api.rawValue),
                "remedy": .string(
                    "set a token that is valid in apps[].sendbird.\(api.rawValue)_token, and \(LocalizedText.reload.english)"),
            ])
    }
}
