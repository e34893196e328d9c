import Core
import HTTPServer
import Observability
import Storage
import TestSupport

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The service's routes over a store in memory. One app receives webhooks and has a log notifier; nothing is delivered.
final class RegistrySite {
    static let deviceID = "device-1"
    let fixture: ServiceFixture
    let graph: ServiceGraph
    let client: InProcessClient

    /// - Parameter maxPending: the maximum number of pending deliveries in the store.
    init(maxPending: Int = 1_000_000) throws {
        fixture = try ServiceFixture(
            json: """
                {"apps":[{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],
                          "webhook":{"secret":{"file":"secrets/app-3.key"}}}],"log":{},
                 "notifiers":{"log":{"type":"log","requires_device":true}}}
                """, logLevel: .debug)
        var settings = StoreSettings()
        settings.maxPending = maxPending
        graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { [settings] in
            MemoryStore(settings: settings)
        }
        client = InProcessClient(graph.publicRouter)
    }

    deinit {
        graph.store.close()
    }

    /// A token that is long enough to be shown in part.
    static func token(_ name: String) -> String { "MARKER-\(name)-" + String(repeating: "x", count: 40) }

    /// Posts a webhook and requires that it is accepted.
    func webhook(_ comment: Int, token: String?, type: String? = "ios", device: String = deviceID) throws {
        guard post(comment, token: token, type: type, device: device).text == WebhookCases.accepted else {
            throw SocketClient.Failure.closed
        }
    }

    func post(_ comment: Int, token: String?, type: String? = "ios", device: String = deviceID) -> ReceivedResponse {
        let body = WebhookBody.json(
            token: [
                "device_id": "\"\(device)\"", "type": type.map { "\"\($0)\"" } ?? "null",
                "token": token.map { "\"\(Self.token($0))\"" } ?? "null",
            ], comment: ["comment_id": "\(comment)"])
        return client.send(.post, "/pyrus/webhook/\(TestSecret.text(3))", body: body)
    }

    /// Registers the device, or unsubscribes it.
    func register(token: String?) throws -> ReceivedResponse {
        let token = token.map { "\"\(Self.token($0))\"" } ?? "null"
        let body = try AuthorizeCases.json(extra: #","instance_id":"\#(Self.deviceID)","type":"ios","token":\#(token)"#)
        return client.send(.post, "/pyrus/push-token", body: body)
    }

    func devices() throws -> [Device] {
        try graph.store.devices(DeviceFilter(appID: "shop"), after: nil, limit: 100)
    }

    /// The deliveries of all events of a kind, newest first.
    func deliveries(_ kind: Event.Kind) throws -> [Delivery] {
        try graph.store.deliveries(DeliveryFilter(), limit: 100).filter { $0.event.kind == kind }
    }

    func metricsText() -> String {
        InProcessClient(graph.adminRouter).send(.get, "/metrics").text
    }
}
