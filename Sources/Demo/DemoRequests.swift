internal import HTTPClient
internal import JSON
internal import Threading
internal import Time

/// Blocking HTTP requests. Any thread may call them.
struct DemoRequests: Sendable {
    struct Answer: Sendable {
        let status: Int
        /// The body; null when it is not JSON.
        let body: JSONValue
    }

    private static let timeoutMilliseconds: Int = TimeLimit.milliseconds(10_000)
    private static let answerLimit = 1 << 20

    let client: Client

    /// Sends a request and waits for its answer.
    /// - Parameters:
    ///   - shown: the path in error messages, without secrets.
    ///   - bearer: a token to send; nil for none.
    func send(
        _ method: ClientMethod, url: String, shown: String, body: JSONValue?, bearer: String? = nil
    ) throws(DemoFailure) -> Answer {
        let what = "\(method.rawValue) \(shown)"
        var headers: [(name: String, value: String)] = [("Content-Type", "application/json")]
        if let bearer { headers.append(("Authorization", "Bearer \(bearer)")) }
        let request: ClientRequest
        do throws(ClientRequest.Problem) {
            request = try ClientRequest(
                method, url, headers: headers, body: body?.serialized() ?? [], timeoutMilliseconds: Self.timeoutMilliseconds,
                responseBodyLimit: Self.answerLimit)
        } catch {
            throw DemoFailure("\(what) cannot be sent: \(error)")
        }
        let result = Monitor<Result<ClientResponse, ClientError>?>(nil)
        client.send(request) { answer in result.update { $0 = answer } }
        // The client ends every request after its timeout.
        switch result.wait({ $0 }) {
        case .success(let response): return Answer(status: response.status, body: JSONValue(parsing: response.body) ?? .null)
        case .failure(let error): throw DemoFailure("\(what) was not answered: \(error)")
        case nil: throw DemoFailure("\(what) was not answered")
        }
    }

    /// Throws when a response is not as expected.
    func expect(_ statuses: ClosedRange<Int>, answer: Answer, what: String) throws(DemoFailure) {
        guard !statuses.contains(answer.status) else { return }
        let message = answer.body["message"]?.text.map { ": \($0)" } ?? ""
        throw DemoFailure("the service answered \(answer.status) to \(what)\(message)")
    }
}
