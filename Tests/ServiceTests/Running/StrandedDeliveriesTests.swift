import Core
import HTTPServer
import Storage
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Deliveries for a notifier that was removed from the configuration.
@Suite struct StrandedDeliveriesTests {
    private let fixture: ServiceFixture
    private let warning = "WARN  deliveries wait for a notifier that is not configured notifier=gone count=2 remedy="

    init() throws {
        fixture = try ServiceFixture()
        let store = try SQLiteStore(
            path: fixture.directory.scratch.path("deskgate.db"))
        defer { store.close() }
        for number in 1...2 {
            let event = Event(
                id: DeliveryFixture.event(number), kind: .commentCreated,
                identity: Event.Identity(appID: "shop", ticketID: 1, commentID: HelpDeskID(Int64(number)), deviceID: ""), userID: "user",
                occurredAt: Self.time, receivedAt: Self.time - 5000, expiresAt: Self.time + 60_000, data: Array("{}".utf8))
            store.accept(IncomingEvent(event, to: [Subscription(notifier: "gone")])) { _ in }
        }
    }

    private static let time = TestTime.now.milliseconds

    private func samples(_ service: RunningService) throws -> [String] {
        let response = try ExchangeCase(name: "metrics", method: .get, path: "/metrics", status: 0, answer: "")
            .send(to: SocketClient(service.adminAddress))
        return response.text.split(separator: "\n").filter { $0.hasPrefix("deskgate_queue_") && $0.contains("{") }.map(String.init)
    }

    private func warnings() throws -> Int { try fixture.log.lines().filter { $0.hasPrefix(warning) }.count }

    private func reload(_ service: RunningService, members: String) throws -> Bool {
        try fixture.directory.scratch.write("config.json", ServiceFixture.json(members: members))
        return service.reload { () throws(ConfigurationError) in try Configuration(contentsOf: fixture.directory.file) }
    }

    @Test func `are shown with a warning`() throws {
        try fixture.withService { service in
            let queues = try samples(service)
            #expect(
                queues == [
                    #"deskgate_queue_pending{notifier="gone"} 2"#, #"deskgate_queue_pending{notifier="log"} 0"#,
                    #"deskgate_queue_oldest_seconds{notifier="gone"} 5"#, #"deskgate_queue_oldest_seconds{notifier="log"} 0"#,
                ])
            #expect(try warnings() == 1)
            #expect(try reload(service, members: #""log":{}"#))
            #expect(try warnings() == 2)
            #expect(try reload(service, members: #""log":{},"notifiers":{"log":{"type":"log"},"gone":{"type":"log"}}"#))
            #expect(try warnings() == 2, "it is served again")
            #expect(eventually { (try? samples(service).contains(#"deskgate_queue_pending{notifier="gone"} 0"#)) == true })
        }
    }
}
