import HTTPServer
import TestSupport
import Testing
import Threading

@testable import AdminAPI
@testable import Configuration

/// Waiting changes of one token leave room for those of another token.
@Suite struct AdminShareTests {
    private let isOpen = Monitor(false)
    private let answers = Monitor<[Int]>([])

    /// Makes a revocation on its own thread.
    private func revoke(_ user: String, token: String, _ client: InProcessClient) -> DedicatedThread {
        startThread { [answers] in
            let body = #"{"app_id":"shop","user_id":"\#(user)"}"#
            let headers = ["Authorization": "Bearer \(token)"]
            let status = client.send(.post, "/v1/revocations", headers: headers, body: Array(body.utf8)).status
            answers.update { $0.append(status) }
        }
    }

    private func waitForAnswers(_ count: Int) -> Bool {
        answers.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.count >= count ? true : nil } == true
    }

    @Test func `a token's waiting changes leave room for others`() throws {
        let fixture = try AdminDeliverFixture(duringRevocation: { [isOpen] in
            _ = isOpen.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil }
        })
        let client = InProcessClient(fixture.router)
        // One is running, 63 wait, and one is rejected.
        var threads = (1...65).map { revoke("user-\($0)", token: ServiceFixture.token(.operate), client) }
        #expect(waitForAnswers(1))
        // For another token 64 wait before one is rejected.
        threads += (1...65).map { revoke("other-\($0)", token: ServiceFixture.token, client) }
        #expect(waitForAnswers(2))
        #expect(answers.withLock { $0 } == [503, 503])
        isOpen.update { $0 = true }
        for thread in threads { thread.join() }
        #expect(answers.withLock { $0.count { $0 == 503 } } == 2)
        #expect(answers.withLock { $0.count { $0 == 201 } } == 128)
        withExtendedLifetime(fixture) {}
    }
}
