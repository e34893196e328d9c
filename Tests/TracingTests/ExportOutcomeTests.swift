import Core
import HTTPClient
import Testing
import Time

@testable import Tracing

/// The rules of OTLP over HTTP for responses.
@Suite struct ExportOutcomeTests {
    private func outcome(_ status: Int, retryAfter: String? = nil, _ body: String = "") -> ExportOutcome {
        ExportOutcome(status: status, retryAfter: retryAfter, body: Array(body.utf8), of: 10, now: 1_700_000_000_000)
    }

    @Test(arguments: [
        ("", 0), ("{}", 0), ("not JSON", 0), ("[]", 0), ("7", 0), (#"{"partialSuccess":null}"#, 0), (#"{"partialSuccess":{}}"#, 0),
        (#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#, 3), (#"{"partialSuccess":{"rejectedSpans":4}}"#, 4),
        (#"{"partialSuccess":{"rejectedSpans":"99"}}"#, 10), (#"{"partialSuccess":{"rejectedSpans":"-1"}}"#, 0),
        (#"{"partialSuccess":{"errorMessage":"a warning"}}"#, 0), (#"{"partialSuccess":{"rejectedSpans":true}}"#, 0),
    ])
    func `a success may reject spans`(body: String, rejected: Int) {
        #expect(outcome(200, body) == .taken(rejected: rejected))
        #expect(outcome(202, body) == .taken(rejected: rejected))
    }

    @Test(arguments: [429, 502, 503, 504])
    func `some statuses are retried`(status: Int) {
        #expect(outcome(status) == .retry(afterMilliseconds: nil, reason: "status_\(status)"))
        #expect(outcome(status, retryAfter: "7") == .retry(afterMilliseconds: 7000, reason: "status_\(status)"))
        #expect(outcome(status, retryAfter: "soon") == .retry(afterMilliseconds: nil, reason: "status_\(status)"))
    }

    @Test(arguments: [301, 302, 400, 401, 403, 404, 408, 413, 500, 501, 505])
    func `other statuses are not retried`(status: Int) {
        #expect(outcome(status, retryAfter: "7") == .refused(reason: "status_\(status)"))
    }

    @Test func `an unreachable collector is retried`() {
        #expect(ExportOutcome(.failure(.connect), of: 1, now: 0) == .retry(afterMilliseconds: nil, reason: "unreachable"))
        #expect(ExportOutcome(.failure(.timeout(.waiting)), of: 1, now: 0) == .retry(afterMilliseconds: nil, reason: "timeout"))
        #expect(ExportOutcome(.failure(.invalidURL), of: 1, now: 0) == .refused(reason: "invalid_url"))
    }
}
