import HTTPServer
import TestSupport
import Testing
import Threading

@testable import AdminAPI
@testable import Configuration

/// Changes by one token that wait for each other leave room for another token's.
@Suite struct AdminShareTests {
    private let isOpen = Monitor(false)
    private let answers = Monitor<[Int]>([])

    /// Makes a revocation on a thread of its own.
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

    @Test func `a tokens waiting changes leave room for others`() throws {
        let fixture = try AdminDeliverFixture(duringRevocation: { [isOpen] in
            _ = isOpen.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil }
        })
        let client = InProcessClient(fixture.router)
        // One is under way, 63 wait, and one is refused.
        var threads = (1...65).map { revoke("user-\($0)", token: ServiceFixture.token(.operate), client) }
        #expect(waitForAnswers(1))
        // Of another token 64 wait; only then one is refused.
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
