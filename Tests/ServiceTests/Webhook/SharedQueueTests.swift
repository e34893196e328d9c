import Core
import HTTPServer
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Two apps that share a notifier whose queue is full.
@Suite struct SharedQueueTests {
    private static let json = """
        {"apps":[{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],"webhook":{"secret":{"file":"secrets/app-3.key"}}},
                 {"app_id":"bank","keys":[{"id":1,"secret":{"file":"secrets/app-2.key"}}],"webhook":{"secret":{"file":"secrets/app-4.key"}}}],
         "log":{},"notifiers":{"log":{"type":"log"}},"store":{"type":"memory","max_pending_per_notifier":2}}
        """

    /// No accepted delivery ends without an attempt.
    @Test func `an app without room gets a time to retry`() throws {
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("secrets/app-4.key", TestSecret.text(4))
        let fixture = try ServiceFixture(in: directory, json: Self.json)
        let graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: ServiceFixture.clocks) {
            () throws(StoreError) in
            try fixture.configuration.store.open(devicesPerUser: 10)
        }
        defer { graph.store.close() }
        let client = InProcessClient(graph.publicRouter)
        func post(_ app: String, secret: Int, comment: Int) -> ReceivedResponse {
            let body = WebhookBody.json(token: ["app_id": "\"\(app)\""], comment: ["comment_id": "\(comment)"])
            return client.send(.post, "/pyrus/webhook/\(TestSecret.text(secret))", body: body)
        }
        for comment in 1...2 { #expect(post("shop", secret: 3, comment: comment).text == WebhookCases.accepted) }
        let refused = post("shop", secret: 3, comment: 3)
        #expect(refused.status == 503)
        #expect(refused.text.contains("queue_full"))
        #expect(refused.headers["retry-after"] == "30")
        #expect(post("bank", secret: 4, comment: 4).text == WebhookCases.accepted)
        #expect(post("shop", secret: 3, comment: 2).text == #"{"status":"duplicate"}"#)
        #expect(try graph.store.deliveries(DeliveryFilter(), limit: 9).map(\.state) == [.pending, .pending, .pending])
        #expect(try fixture.log.text().contains("raise max_pending_per_notifier"))
        let metrics = InProcessClient(graph.adminRouter).send(.get, "/metrics").text
        #expect(metrics.contains(#"deskgate_webhook_events_total{app="shop",result="unavailable"} 1"#))
    }
}
