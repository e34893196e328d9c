import Core
import Crypto
import HTTPClient
import HTTPServer
import JSON
import Observability
import Storage
import TestSupport
import Testing
import Threading
import Time
import Tracing

@testable import Configuration
@testable import HelpDesk
@testable import Pyrus
@testable import Sendbird
@testable import Service

/// The routes of Pyrus and Sendbird over a store, with clocks that only `pass` advances.
///
/// Apps: `shop` of Pyrus; `APP` and `OTHER` of Sendbird, with the notifiers `log`, `backend` (http) and `apns` for the devices `ios`.
final class SendbirdFixture: RouteFixture {
    static let metric = "deskgate_webhook_events_total"
    static let time: UnixMilliseconds = TestTime.now.milliseconds
    /// The tokens of `APP`: the former token of Chat follows the current one.
    static let chatToken = 51
    static let formerChatToken = 52
    static let deskToken = 53

    let store: any Store
    let log: TestLog
    let router: Router
    let registry = MetricsRegistry()
    let revocations = SnapshotReference(Revocations.none)
    private let directory: ConfigurationDirectory
    private let closesStore: Bool
    /// Desk's Platform API for all apps.
    private let deskServer: ScriptedServer
    private let lookup: any Notifier
    private let elapsed = Monitor<UInt64>(0)
    private let platform = LazyClient(settings: ClientSettings())

    /// - Parameters:
    ///   - shared: a store that the caller closes; without it, one in memory.
    ///   - members: additional members of the object `sendbird` of `APP`.
    ///   - deskTimeout: the timeout of calls to Desk, in milliseconds; nil for the default.
    ///   - desk: Desk's responses; by default it has no ticket.
    init(
        maxPending: Int = 1000, shared: (any Store)? = nil, members: String = "", deskTimeout: Int? = nil,
        desk: ScriptedServer.Script = .everyRequest(.respond(200, body: #"{"count":0,"results":[]}"#))
    ) throws {
        var settings = StoreSettings()
        settings.maxPending = maxPending
        directory = try ConfigurationDirectory()
        for number in 51...56 { directory.environment["T\(number)"] = TestSecret.text(number) }
        try directory.scratch.write("secrets/app-4.key", TestSecret.text(4))
        try directory.writePushCredentials()
        try directory.scratch.write("secrets/backend.whsec", TestSecret.signing(5))
        deskServer = try ScriptedServer(desk)
        var configuration = try directory.configuration(Self.json(deskPort: deskServer.port, members))
        configuration.apps[1].sendbird?.timeoutMilliseconds = deskTimeout
        log = try TestLog(in: directory.scratch, level: .debug)
        store = shared ?? MemoryStore(settings: settings)
        closesStore = shared == nil
        let metrics = HelpDeskMetrics(registry)
        let state = HelpDeskState(configuration, authorizer: try configuration.makeAuthorizer(), metrics: metrics)
        let clocks = Clocks(
            unixSeconds: { TestTime.now }, unixMilliseconds: { [elapsed] in Self.time + elapsed.withLock { $0 } },
            monotonicNanoseconds: { [elapsed] in (1000 + elapsed.withLock { $0 }) * 1_000_000 })
        let tracer = TraceExporter(registry: registry, logger: log.logger, clocks: clocks, version: "1", instance: { "" }).tracer
        let services = HelpDeskServices(
            state: SnapshotReference(state), revocations: revocations, store: store, metrics: metrics, clocks: clocks, random: RandomPool(),
            logger: log.logger, denials: DenialLog(logger: log.logger, monotonicMilliseconds: clocks.monotonicMilliseconds),
            tracer: tracer, client: platform, invalidation: CacheInvalidation(), onChange: {})
        let desks = try [HelpDesk.pyrus, .sendbird].map { try $0.serve(configuration, services) }
        router = Router(desks.flatMap(\.routes))
        lookup = try #require(desks.lazy.compactMap(\.lookup).first)
    }

    deinit {
        platform.close()
        deskServer.stop()
        if closesStore { store.close() }
    }

    private static func json(deskPort: UInt16, _ members: String) -> String {
        """
        {"apps":[
            {"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}]},
            {"app_id":"APP","help_desk":"sendbird","keys":[{"id":1,"secret":{"file":"secrets/app-2.key"}}],
             "sendbird":{"chat_token":[{"env":"T51"},{"env":"T52"}],"desk_token":{"env":"T53"},
                         "desk_url":"http://127.0.0.1:\(deskPort)"\(members)},
             "notifiers":["log","backend"],"routes":{"ios":"apns"}},
            {"app_id":"OTHER","help_desk":"sendbird","keys":[{"id":1,"secret":{"file":"secrets/app-3.key"}}],
             "sendbird":{"chat_token":{"env":"T54"},"desk_token":{"env":"T55"},
                         "desk_url":"http://127.0.0.1:\(deskPort)"},"notifiers":["log"]}],
         "notifiers":{"log":{"type":"log"},
            "backend":{"type":"http","url":"https://backend.example.com/","secret":{"file":"secrets/backend.whsec"}},
            "apns":{"type":"apns","key":{"file":"secrets/AuthKey_ABCDE12345.p8"},"key_id":"ABCDE12345","team_id":"FGHIJ67890","topic":"com.example.chat"}}}
        """
    }

    func pass(milliseconds: UInt64) { elapsed.update { $0 += milliseconds } }

    var now: UnixMilliseconds { Self.time + elapsed.withLock { $0 } }

    var questions: [String] { deskServer.requests.map(\.target) }

    /// Claims due held messages, makes the attempts, and reports them like the dispatcher, unless the process ends before.
    /// - Parameters:
    ///   - ends: whether the process ends before it reports them; the leases end a millisecond later.
    ///   - limit: the maximum number of deliveries to claim.
    /// - Returns: the outcomes: the next state, the reason, and the settings fault.
    func lookUpOwners(ends: Bool = false, limit: Int = 100) throws -> [String] {
        let now = now
        let claim = Claim(notifier: HeldMessage.notifier, now: now, leaseMilliseconds: ends ? 1 : 20_000, limit: limit)
        var outcomes: [String] = []
        for delivery in try store.work([], [claim], telling: .nobody)[0].get().deliveries {
            let answer = Monitor<DeliveryOutcome?>(nil)
            lookup.deliver(delivery) { outcome in answer.update { $0 = outcome } }
            let outcome = try #require(answer.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 })
            let (word, next): (String, FinishedAttempt.Next) =
                switch outcome.verdict {
                case .delivered: ("delivered", .delivered)
                case .retry(nil): ("retry", .retry(at: now))
                case .retry(let wait?): ("retry after \(wait)", .retry(at: now))
                case .dead, .deviceGone, .misconfigured: ("dead", .dead)
                }
            outcomes.append("\(word) \(outcome.reason)" + (outcome.settingsFault.map { " \($0)" } ?? ""))
            let finished = FinishedAttempt(id: delivery.id, attempt: delivery.attempts, next: next, reason: outcome.reason, now: now)
            if !ends { _ = try store.work([finished], [], telling: .nobody) }
        }
        return outcomes
    }

    /// Registers a customer's device, so that pushes are stored.
    func registerDevice(_ user: String = "user-1") throws {
        let key = try TestKey(app: "APP", user: user, secret: 2).text()
        let body =
            #"{"app_id":"APP","user_id":"\#(user)","security_key":"\#(key)","instance_id":"d1","type":"ios","token":"\#(Self.hex(Array(user.utf8).span))"}"#
        let response = client.send(.post, "/sendbird/push-token", headers: [:], body: Array(body.utf8))
        guard response.status == 200 else { throw Refused(text: response.text) }
    }

    struct Refused: Error { let text: String }

    func chat(_ body: String, app: String = "APP", token: Int = chatToken) throws -> ReceivedResponse {
        try chat(Array(body.utf8), app: app, token: token)
    }

    func chat(_ body: [UInt8], app: String = "APP", token: Int = chatToken) throws -> ReceivedResponse {
        client.send(
            .post, "/sendbird/chat-webhook/\(app)", headers: ["x-sendbird-signature": try Self.sign256(body, token)], body: body)
    }

    func desk(_ body: String, app: String = "APP", token: Int = deskToken) throws -> ReceivedResponse {
        let body = Array(body.utf8)
        return client.send(
            .post, "/sendbird/desk-webhook/\(app)", headers: ["x-hub-signature": "sha1=" + (try Self.sign1(body, token))], body: body)
    }

    static func sign256(_ body: [UInt8], _ token: Int) throws -> String {
        let key = try HMACKey<SHA256>(secret: Array(TestSecret.text(token).utf8).span)
        return hex(try key.code { message throws(CryptoError) in try message.append(body.span) }.span)
    }

    static func sign1(_ body: [UInt8], _ token: Int) throws -> String {
        let key = try HMACKey<SHA1>(secret: Array(TestSecret.text(token).utf8).span)
        return hex(try key.code { message throws(CryptoError) in try message.append(body.span) }.span)
    }

    private static func hex(_ code: Span<UInt8>) -> String {
        var text = ""
        for index in code.indices { text += (code[index] < 16 ? "0" : "") + String(code[index], radix: 16) }
        return text
    }

    /// The stored events, oldest first: the kind, the person, and the notifiers with their states.
    func events() throws -> [String] {
        var shown: [String] = []
        for delivery in try store.deliveries(DeliveryFilter(), limit: 1000).reversed() where delivery.event.identity.appID == "APP" {
            shown.append("\(delivery.event.kind.rawValue) \(delivery.event.userID) \(delivery.notifier) \(delivery.state.rawValue)")
        }
        return shown.filter { !$0.hasPrefix("push_token") }
    }

    func data(_ kind: Event.Kind) throws -> String? {
        try store.deliveries(DeliveryFilter(), limit: 1000).first { $0.event.kind == kind && $0.event.hasData }.map {
            String(decoding: $0.event.data, as: UTF8.self)
        }
    }
}
