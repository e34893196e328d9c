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

/// The webhook's routes over a recording store, with a clock that does not advance.
///
/// Apps: `shop` has a path secret and two notifiers, `bank` two path secrets and no notifier, `sign` two signature secrets, `both` both
/// kinds. `none` accepts no webhooks, and `open`, with one notifier of each kind, accepts anonymous ones.
final class WebhookFixture: RouteFixture {
    static let metric = "deskgate_webhook_events_total"
    static let time: UnixMilliseconds = TestTime.now.milliseconds + 250

    let store: RecordingStore
    let log: TestLog
    let router: Router
    private let directory: ConfigurationDirectory
    let registry = MetricsRegistry()
    private let metrics: HelpDeskMetrics
    private let served: ServedHelpDesk
    private let wakeUps = Monitor(0)

    init(failure: StoreError? = nil, logLevel: LogLevel = .debug) throws {
        directory = try ConfigurationDirectory()
        for (name, number) in [
            ("SHOP", 21), ("BOTH_SIG", 22), ("BANK", 23), ("SIGN_SIG", 24), ("BANK_NEXT", 25), ("SIGN_NEXT", 26), ("BOTH", 27),
            ("OPEN", 28),
        ] {
            directory.environment[name] = TestSecret.text(number)
        }
        try directory.scratch.write("secrets/rustore", "a-token-of-the-provider\n")
        try directory.scratch.write("secrets/crm", TestSecret.signing(41))
        for number in 4...6 { try directory.scratch.write("secrets/app-\(number).key", TestSecret.text(number)) }
        let configuration = try directory.configuration(Self.json)
        log = try TestLog(in: directory.scratch, level: logLevel)
        store = RecordingStore(failure: failure)
        metrics = HelpDeskMetrics(registry)
        let state = HelpDeskState(configuration, authorizer: try configuration.makeAuthorizer(), metrics: metrics)
        let clocks = Clocks(unixSeconds: { TestTime.now }, unixMilliseconds: { Self.time })
        let tracer = TraceExporter(registry: registry, logger: log.logger, clocks: clocks, version: "1", instance: { "" }).tracer
        let services = HelpDeskServices(
            state: SnapshotReference(state), revocations: SnapshotReference(.none), store: store, metrics: metrics, clocks: clocks,
            random: RandomPool(),
            logger: log.logger, denials: DenialLog(logger: log.logger, monotonicMilliseconds: clocks.monotonicMilliseconds),
            tracer: tracer, client: LazyClient(settings: ClientSettings()), invalidation: CacheInvalidation(),
            onChange: { [wakeUps] in wakeUps.update { $0 += 1 } })
        served = try HelpDesk.pyrus.serve(configuration, services)
        router = Router(served.routes)
    }

    deinit {
        store.close()
    }

    var wakeUpCount: Int { wakeUps.withLock { $0 } }

    /// Reloads the configuration with another secret in the path of `shop`, and with one notifier.
    func reload(shopSecret: Int) throws {
        directory.environment["SHOP"] = TestSecret.text(shopSecret)
        var configuration = try directory.configuration(Self.json)
        configuration.apps[0].notifiers = ["journal"]
        let state = HelpDeskState(configuration, authorizer: try configuration.makeAuthorizer(), metrics: metrics)
        try served.prepare(configuration, state)()
    }

    /// The header with which an app signs a body.
    static func signature(of body: [UInt8], secret: Int, prefix: String = "", uppercased: Bool = false) throws -> [String: String] {
        let key = try HMACKey<SHA1>(secret: Array(TestSecret.text(secret).utf8).span)
        let code = try key.code { message throws(CryptoError) in try message.append(body.span) }
        let hex = code.indices.map { index in
            let text = String(code[index], radix: 16, uppercase: uppercased)
            return text.utf8.count == 1 ? "0\(text)" : text
        }
        return ["X-Pyrus-Sig": prefix + hex.joined()]
    }

    private static let json = """
        {"apps":[
          {"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],
           "webhook":{"secret":{"env":"SHOP"}},"notifiers":["log","journal"]},
          {"app_id":"bank","keys":[{"id":1,"secret":{"file":"secrets/app-2.key"}}],
           "webhook":{"secret":[{"env":"BANK_NEXT"},{"env":"BANK"}]},"notifiers":[]},
          {"app_id":"sign","keys":[{"id":1,"secret":{"file":"secrets/app-3.key"}}],
           "webhook":{"signature_secret":[{"env":"SIGN_NEXT"},{"env":"SIGN_SIG"}]}},
          {"app_id":"both","keys":[{"id":1,"secret":{"file":"secrets/app-5.key"}}],
           "webhook":{"secret":{"env":"BOTH"},"signature_secret":{"env":"BOTH_SIG"}}},
          {"app_id":"none","keys":[{"id":1,"secret":{"file":"secrets/app-4.key"}}]},
          {"app_id":"open","keys":[{"id":1,"secret":{"file":"secrets/app-6.key"}}],"anonymous":"accept",
           "webhook":{"secret":{"env":"OPEN"}},"notifiers":["log","crm","pyrus"],"routes":{"default":"phones"}}],
         "notifiers":{"log":{"type":"log"},"journal":{"type":"log"},"pyrus":{"type":"pyrus"},
          "crm":{"type":"http","url":"https://crm.example.com/","secret":{"file":"secrets/crm"}},
          "phones":{"type":"rustore","project_id":"p","token":{"file":"secrets/rustore"}}},"deliveries":{"expire_after_seconds":60}}
        """
}

extension WebhookParser {
    /// Parses a body for an app that rejects anonymous ones.
    func comment() throws(WebhookError) -> Core.Comment? {
        if let anonymity { throw anonymity }
        return try comment(of: appID ?? "")
    }
}

/// Webhook bodies in the help desk's forms.
enum WebhookBody {
    static let members: [(String, String)] = [
        ("ticket_id", "9007199254740993"), ("author", #"{"name":"Ann","avatar_id":17,"avatar_color":"abcdef"}"#),
        ("created_at", #""2026-03-10T08:15:12Z""#),
        ("attachments", #"[{"id":5,"name":"a.png","size":1024,"is_text":false,"is_video":false}]"#),
    ]
    static let token: [(String, String)] = [
        ("user_id", #""user-1""#), ("app_id", #""shop""#), ("device_id", #""device-1""#), ("type", #""ios""#),
    ]
    static let comment: [(String, String)] = [("comment_id", "71"), ("body", #""Hello""#), ("is_inbound", "false")]

    /// A body with members replaced by raw JSON, added, or removed.
    static func json(_ changed: [String: String?] = [:], token: [String: String?] = [:], comment: [String: String?] = [:]) -> [UInt8] {
        let parts = members + [("token", object(self.token, token)), ("comment", object(self.comment, comment))]
        return Array(object(parts, changed).utf8)
    }

    /// The form of the vendor's feed, whose members about the comment are nested.
    static func nested() -> [UInt8] {
        let moved = ["author", "created_at", "attachments"]
        let changed = Dictionary(uniqueKeysWithValues: moved.map { ($0, String?.none) })
        let comment = Dictionary(uniqueKeysWithValues: members.filter { moved.contains($0.0) }.map { ($0.0, String?.some($0.1)) })
        return json(changed, comment: comment)
    }

    private static func object(_ members: [(String, String)], _ changed: [String: String?]) -> String {
        let kept = members.compactMap { name, value in (changed[name] ?? value).map { "\"\(name)\":\($0)" } }
        let added = changed.filter { change in !members.contains { $0.0 == change.key } }.sorted { $0.key < $1.key }
            .compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
        return "{\((kept + added).joined(separator: ","))}"
    }
}
