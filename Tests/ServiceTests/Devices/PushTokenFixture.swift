import Core
import Crypto
import HTTPClient
import HTTPServer
import Observability
import TestSupport
import Threading
import Time
import Tracing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The route for devices over a recording store, with a clock that the test sets.
final class PushTokenFixture: RouteFixture {
    static let metric = "deskgate_push_token_requests_total"
    static let path = "/pyrus/push-token"
    static let start: UnixMilliseconds = TestTime.now.milliseconds + 250

    let store: RecordingStore
    let log: TestLog
    let router: Router
    private let fixture: ServiceFixture
    var configuration: Configuration { fixture.configuration }
    let registry = MetricsRegistry()
    private let wakeUps = Monitor(0)
    private let elapsed = Monitor<UInt64>(0)

    /// - Parameter members: added to the root of the configuration.
    init(failure: StoreError? = nil, members: String = #""log":{}"#) throws {
        fixture = try ServiceFixture(members: members, logLevel: .debug)
        log = fixture.log
        store = RecordingStore(failure: failure)
        let metrics = HelpDeskMetrics(registry)
        let clocks = Clocks(
            unixSeconds: { TestTime.now }, unixMilliseconds: { [elapsed] in Self.start + elapsed.withLock { $0 } })
        let state = HelpDeskState(
            fixture.configuration, authorizer: try fixture.configuration.makeAuthorizer(), metrics: metrics)
        let tracer = TraceExporter(registry: registry, logger: log.logger, clocks: clocks, version: "1", instance: { "" }).tracer
        let services = HelpDeskServices(
            state: SnapshotReference(state), revocations: SnapshotReference(.none), store: store, metrics: metrics, clocks: clocks,
            random: RandomPool(),
            logger: log.logger, denials: DenialLog(logger: log.logger, monotonicMilliseconds: clocks.monotonicMilliseconds),
            tracer: tracer, client: LazyClient(settings: ClientSettings()), invalidation: CacheInvalidation(),
            onChange: { [wakeUps] in wakeUps.update { $0 += 1 } })
        router = Router(try HelpDesk.pyrus.serve(fixture.configuration, services).routes)
    }

    deinit {
        store.close()
    }

    var wakeUpCount: Int { wakeUps.withLock { $0 } }

    func wait(until milliseconds: UInt64) {
        elapsed.update { $0 = milliseconds }
    }

    func send(_ body: [UInt8], headers: [String: String] = [:]) -> ReceivedResponse {
        client.send(.post, Self.path, headers: headers, body: body)
    }
}
