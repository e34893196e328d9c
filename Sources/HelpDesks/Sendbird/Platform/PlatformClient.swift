package import Crypto
package import HTTPClient
package import JSON
internal import Notifiers
internal import Threading
package import Time

/// Sends requests to one of Sendbird's APIs for one app. Any thread may use it.
///
/// During a token rotation, several tokens are configured. When Sendbird rejects a token, the client tries the next one, and remembers the
/// accepted token. After a 429, the client sends no further request with the same name until the wait is over. Tokens and Sendbird's
/// answers never appear in logs or metrics.
package final class PlatformClient: Sendable {
    package typealias Sender = @Sendable (ClientRequest, @escaping @Sendable (Result<ClientResponse, ClientError>) -> Void) -> Void
    /// Called once, on any thread; must not block. The value is null when the answer has no body.
    package typealias Completion = @Sendable (Result<JSONValue, PlatformError>) -> Void

    private struct State {
        /// The index of the last token that was not rejected.
        var token = 0
        var isRefused = false
        /// The time at which requests with a name may be sent again.
        var held: [String: MonotonicMilliseconds] = [:]
    }

    package static let defaultTimeoutMilliseconds: Int = TimeLimit.milliseconds(5000)

    private let api: PlatformAPI
    private let baseURL: String
    private let tokens: [SecretBytes]
    private let timeoutMilliseconds: Int
    private let clocks: Clocks
    private let observer: PlatformObserver?
    private let send: Sender
    private let state = Monitor(State())

    /// - Parameters:
    ///   - baseURL: `https://host`, without a path or a trailing slash.
    ///   - tokens: at least one, in the order in which they are tried.
    ///   - timeoutMilliseconds: the timeout of each HTTP request; positive.
    ///   - observer: nil if another component counts and logs the requests.
    ///   - send: sends HTTP requests; the owner must keep the HTTP client open.
    package init(
        _ api: PlatformAPI, baseURL: String, tokens: [SecretBytes], timeoutMilliseconds: Int = defaultTimeoutMilliseconds, clocks: Clocks,
        observer: PlatformObserver?, send: @escaping Sender
    ) {
        precondition(!tokens.isEmpty, "at least one token is required")
        self.api = api
        self.baseURL = baseURL
        self.tokens = tokens
        self.timeoutMilliseconds = timeoutMilliseconds
        self.clocks = clocks
        self.observer = observer
        self.send = send
    }

    /// The maximum duration of a request in which every token is tried.
    package var longestMilliseconds: UInt64 { UInt64(timeoutMilliseconds * tokens.count) }

    var isRefused: Bool { state.withLock { $0.isRefused } }

    /// Returns the remaining wait for requests with a name; 0 when they may be sent.
    func holdMilliseconds(of name: String) -> UInt64 {
        let now = clocks.monotonicMilliseconds()
        return state.withLock { now.remaining(until: $0.held[name] ?? 0) }
    }

    /// - Parameters:
    ///   - limit: the total timeout in milliseconds for all attempted tokens; nil for `longestMilliseconds`.
    ///   - completion: called exactly once, possibly before this method returns.
    package func send(_ request: PlatformRequest, withinMilliseconds limit: UInt64? = nil, _ completion: @escaping Completion) {
        let now = clocks.monotonicMilliseconds()
        let (first, wait) = state.withLock { state in
            let wait = now.remaining(until: state.held[request.name] ?? 0)
            if wait == 0 { state.held[request.name] = nil }
            return (state.token, wait)
        }
        guard wait == 0 else {
            observer?.count(request.name, .heldBack)
            return completion(.failure(.heldBack(retryAfterMilliseconds: wait)))
        }
        attempt(request, tried: 0, first: first, until: limit.map { now + $0 }, completion)
    }

    /// - Parameters:
    ///   - tried: the number of tokens that were tried so far.
    ///   - first: the index of the first token that was tried.
    private func attempt(
        _ request: PlatformRequest, tried: Int, first: Int, until deadline: MonotonicMilliseconds?, _ completion: @escaping Completion
    ) {
        let index = (first + tried) % tokens.count
        let left = deadline.map { Int(clamping: clocks.monotonicMilliseconds().remaining(until: $0)) }
        guard left != 0 else {
            return end(
                request, answer: .failure(.unavailable(reason: ClientReason.timeout.rawValue, mayHaveArrived: true)), token: nil,
                completion: completion)
        }
        let timeout = min(left ?? .max, timeoutMilliseconds)
        guard let ready = request.request(api, baseURL: baseURL, token: tokens[index], timeoutMilliseconds: timeout) else {
            let reason = NotifierReason.requestCannotBeMade.rawValue
            return end(request, answer: .failure(.unavailable(reason: reason, mayHaveArrived: false)), token: nil, completion: completion)
        }
        let start = clocks.monotonicNanoseconds()
        send(ready) { [self] result in
            observer?.observe(nanoseconds: clocks.monotonicNanoseconds() - start)
            let answer = Self.answer(result, now: clocks.unixMilliseconds())
            guard case .failure(.unauthorized) = answer, tried + 1 < tokens.count else {
                return end(request, answer: answer, token: index, completion: completion)
            }
            attempt(request, tried: tried + 1, first: first, until: deadline, completion)
        }
    }

    private static func answer(_ result: Result<ClientResponse, ClientError>, now: UnixMilliseconds) -> Result<JSONValue, PlatformError> {
        switch result {
        case .success(let response): PlatformAnswer.of(response, now: now)
        case .failure(let error):
            .failure(.unavailable(reason: ClientReason.word(error), mayHaveArrived: !error.isBeforeSending))
        }
    }

    /// Records the accepted token, and the wait that Sendbird requested.
    /// - Parameter token: the index of the last token that was used; nil when nothing was sent.
    private func end(
        _ request: PlatformRequest, answer: Result<JSONValue, PlatformError>, token: Int?, completion: @escaping Completion
    ) {
        let now = clocks.monotonicMilliseconds()
        let change = state.withLock { state -> Bool? in
            let wasRefused = state.isRefused
            switch answer {
            case .failure(.unauthorized): state.isRefused = true
            case .failure(.unavailable): break
            default:
                state.isRefused = false
                if let token { state.token = token }
            }
            if case .failure(.rateLimited(let wait)) = answer { state.held[request.name] = now.saturating(adding: wait) }
            return state.isRefused == wasRefused ? nil : state.isRefused
        }
        if let change { observer?.log(isRefused: change, api) }
        observer?.count(request.name, PlatformObserver.Outcome(answer))
        completion(answer)
    }
}
