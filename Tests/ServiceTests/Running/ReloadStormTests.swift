import Core
import HTTPServer
import TestSupport
import Testing
import Threading

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// A hundred consecutive reloads under load, half of them with invalid configurations.
@Suite struct ReloadStormTests {
    private static let reloads = 100

    private struct Progress {
        var answers: [String: Int] = [:]
        var failures: [String] = []
        var comment = 1
        var isOver = false
        var count: Int { answers.values.reduce(0, +) }
    }

    private enum Load: CaseIterable {
        case valid, otherKey, wrong, webhook

        /// The next request, and its response, which is the same with every configuration.
        func exchange(_ progress: Monitor<Progress>) throws -> ExchangeCase {
            switch self {
            case .valid: try authorization(TestKey(), 200)
            case .otherKey: try authorization(TestKey(app: "bank", keyID: 3, secret: 3), 200)
            case .wrong: try authorization(TestKey(secret: 9), 403)
            case .webhook:
                ExchangeCase(
                    name: "webhook", path: "/pyrus/webhook/\(TestSecret.text(21))",
                    body: WebhookBody.json(comment: ["comment_id": "\(takeComment(progress))"]), status: 200, answer: WebhookCases.accepted)
            }
        }

        private func authorization(_ key: TestKey, _ status: Int) throws -> ExchangeCase {
            ExchangeCase(
                name: "authorize \(key.app)",
                body: try AuthorizeCases.json(["app_id": "\"\(key.app)\"", "security_key": "\"\(key.text())\""]),
                status: status, answer: status == 200 ? AuthorizeCases.authorized : AuthorizeCases.denied)
        }

        private func takeComment(_ progress: Monitor<Progress>) -> Int {
            progress.withLock { progress in
                progress.comment += 1
                return progress.comment
            }
        }
    }

    private static func json(keys: [Int], listen: String = #""port":0"#, secret: String = "webhook", last: String = "}") -> String {
        let keys = keys.map { #"{"id":\#($0),"secret":{"file":"secrets/app-\#($0).key"}}"# }.joined(separator: ",")
        return """
            {"listen":{\(listen)},"admin":{"port":0,"token":{"file":"secrets/admin-token"}},"store":{"type":"memory"},
             "notifiers":{"log":{"type":"log"}},
             "apps":[{"app_id":"shop","keys":[\(keys)],"webhook":{"secret":{"file":"secrets/\(secret)"}},"notifiers":["log"]},
                     {"app_id":"bank","keys":[{"id":3,"secret":{"file":"secrets/app-3.key"}}]}]\(last)
            """
    }

    /// Configurations that must not come into force: each would deny valid requests or lose the webhook.
    private static let broken = [
        "{", "", json(keys: [1], last: ""), json(keys: [2, 2]), json(keys: [2], listen: #""port":1"#), json(keys: [2], secret: "nowhere"),
        json(keys: []), json(keys: [2], last: #","unknown":1}"#), #"{"apps":[]}"#,
    ]

    @Test func `gives no wrong response and drops no request`() throws {
        let progress = Monitor(Progress())
        let fixture = try ServiceFixture(json: ServiceFixture.json(keys: [1]))
        try fixture.directory.scratch.write("secrets/webhook", TestSecret.text(21))
        let service = try RunningService(
            fixture.directory.configuration(Self.json(keys: [1])), logger: fixture.log.logger, clocks: ServiceFixture.clocks)
        defer { service.stop() }
        let address = service.publicAddress
        let clients = Load.allCases.map { load in
            startThread {
                do {
                    let client = try SocketClient(address)
                    while !progress.withLock(\.isOver) {
                        let exchange = try load.exchange(progress)
                        let response = try exchange.send(to: client)
                        progress.update { progress in
                            progress.answers[exchange.name, default: 0] += 1
                            guard response.status != exchange.status || response.text != exchange.answer else { return }
                            progress.failures.append("\(exchange.name): \(response.status) \(response.text)")
                        }
                    }
                } catch {
                    progress.update { $0.failures.append("\(load): \(error)") }
                }
            }
        }
        for number in 0..<Self.reloads {
            let isBroken = number.isMultiple(of: 2)
            let json = isBroken ? Self.broken[number / 2 % Self.broken.count] : Self.json(keys: number % 4 == 1 ? [2, 1] : [1])
            try fixture.directory.scratch.write("config.json", json)
            let isInForce = service.reload { () throws(ConfigurationError) in try Configuration(contentsOf: fixture.directory.file) }
            #expect(isInForce == !isBroken, "\(json)")
            // Ensures that requests and reloads overlap.
            let goal = progress.withLock(\.count) + 4
            let isMixed = progress.wait(timeoutMilliseconds: WaitLimit.milliseconds) {
                !$0.failures.isEmpty || $0.count >= goal ? true : nil
            }
            #expect(isMixed == true)
        }
        progress.update { $0.isOver = true }
        for client in clients { client.join() }
        let end = progress.withLock { $0 }
        #expect(end.failures == [])
        #expect(Set(end.answers.keys) == ["authorize shop", "authorize bank", "webhook"])
        try checkCounts(service, end)
    }

    /// Each response was counted once across all reloads, and each webhook was accepted once.
    private func checkCounts(_ service: RunningService, _ end: Progress) throws {
        let metrics = try ExchangeCase(name: "metrics", method: .get, path: "/metrics", status: 200, answer: "")
            .send(to: SocketClient(service.adminAddress)).text
        func sum(_ name: String, _ labels: String) -> Int {
            metrics.split(separator: "\n").filter { $0.hasPrefix("\(name){") && $0.contains(labels) }
                .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
        }
        let webhooks = end.answers["webhook"] ?? 0
        #expect(sum("deskgate_authorize_requests_total", #"app="bank",result="authorized""#) == end.answers["authorize bank"])
        #expect(sum("deskgate_authorize_requests_total", #"app="shop""#) == end.answers["authorize shop"])
        #expect(sum("deskgate_webhook_events_total", #"app="shop",result="accepted""#) == webhooks)
        #expect(sum("deskgate_config_reloads_total", #"result="success""#) == Self.reloads / 2)
        #expect(sum("deskgate_config_reloads_total", #"result="failure""#) == Self.reloads / 2)
    }
}
