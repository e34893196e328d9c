import Core
import HTTPServer
import JSON
import Observability
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The routes of deliveries over a store in memory, with a clock that does not advance.
///
/// Deliveries 1 to 4: delivered at once; dead after two attempts; pending; and dead by expiry. The last one is for another app, whose name
/// a query must escape.
final class AdminDeliverFixture {
    static let time: UnixMilliseconds = TestTime.now.milliseconds
    static let oddUser = "a b+c&d=é%"

    let store: any Store
    let configuration: Configuration
    let directory: ConfigurationDirectory
    let log: TestLog
    private let state: SnapshotReference<OperatorState>
    private let admin: AdminListener
    private let wakeUps = Monitor(0)
    private let revocations = SnapshotReference(Revocations.none)

    /// - Parameters:
    ///   - members: additional members of `admin`.
    ///   - others: additional members of the root.
    ///   - appMembers: additional members of the app, each followed by a comma.
    ///   - duringRevocation: called on the thread that makes a revocation, before its response.
    init(
        store: any Store = MemoryStore(), port: UInt16 = 0, members: String = ServiceFixture.roleTokens,
        others: String = #""log":{}"#, appMembers: String = "", clock: Monitor<UInt64> = Monitor(0),
        duringRevocation: @escaping @Sendable () -> Void = {}
    ) throws {
        self.store = store
        directory = try ConfigurationDirectory()
        configuration = try directory.configuration(
            ServiceFixture.json(admin: #""port":\#(port),\#(members)"#, members: others)
                .replacing(#""keys":["#, with: #"\#(appMembers)"keys":["#))
        log = try TestLog(in: directory.scratch, level: .info)
        state = SnapshotReference(
            OperatorState(
                configuration, authorizer: try configuration.makeAuthorizer(),
                registryAudience: AppSubscriptions(configuration).registry))
        admin = AdminListener(
            AdminServices(
                state: state, store: store, registry: MetricsRegistry(),
                clocks: Clocks(unixSeconds: { TestTime.now }, monotonicNanoseconds: { clock.withLock { $0 } }), logger: log.logger,
                denials: DenialLog(logger: log.logger, monotonicMilliseconds: { 0 }), status: { _ in .null },
                openAPI: { Response(status: 200, json: [:]) }, holds: { [:] }, notifiers: { [] },
                onGivenUp: { _, _, _ in },
                onRevocation: { [revocations] _ in
                    duringRevocation()
                    if let book = try? store.revocationSet() { revocations.replace(with: book.snapshot) }
                }, revocations: revocations,
                tickets: { app in app == "shop" ? CannedTickets() : nil },
                trials: {
                    NotifierTrials { notifiers, _ in
                        notifiers.map { Self.goodVerdict($0.name) }
                    } send: { _, notifier, _ in
                        Self.goodVerdict(notifier.name)
                    }
                },
                onWork: { [wakeUps] in wakeUps.update { $0 += 1 } }))
        try Self.fill(store)
    }

    deinit {
        admin.stop()
        store.close()
    }

    /// The notifier `log` and a push notifier, as members of the root.
    static let pushNotifiers =
        #""notifiers":{"log":{"type":"log"},"phones":{"type":"rustore","project_id":"p","token":{"file":"secrets/app-3.key"}}}"#

    private static func goodVerdict(_ notifier: String) -> JSONValue {
        ["notifier": .string(notifier), "status": "good", "reason": "credential_accepted", "remedy": .null]
    }

    /// A configuration with a store in a directory.
    static func configuration(storedIn directory: TemporaryDirectory) throws -> Configuration {
        var configuration = try AdminDeliverFixture().configuration
        configuration.store.kind = .sqlite(path: directory.path("store.db"))
        configuration.store.minimumFreeMegabytes = 0
        return configuration
    }

    var wakeUpCount: Int { wakeUps.withLock { $0 } }

    var router: Router {
        admin.router(isLocal: false)
    }

    /// Reloads with other members of `admin`.
    func reload(members: String, others: String = #""log":{}"#) throws {
        let next = try directory.configuration(ServiceFixture.json(admin: #""port":0,\#(members)"#, members: others))
        state.replace(
            with: OperatorState(next, authorizer: try next.makeAuthorizer(), registryAudience: AppSubscriptions(next).registry))
    }

    /// Serves the routes like the service; the caller must stop the server.
    func serve(_ address: ListenAddress, tls: TLSIdentity? = nil) throws -> Server {
        try Server(address, router: router, settings: ServerSettings(threads: 1, tls: tls), observer: { _, _ in })
    }

    func send(_ method: HTTPServer.Method, _ path: String, body: String = "") -> ReceivedResponse {
        InProcessClient(router).send(method, path, headers: Self.authorization, body: Array(body.utf8))
    }

    static let authorization = ["Authorization": "Bearer \(ServiceFixture.token)"]

    static func userReference(app: String, user: String, _ configuration: Configuration) -> String {
        let (app, user) = (Array(app.utf8), Array(user.utf8))
        return (try? configuration.makeAuthorizer())?.userReference(appID: app.span, userID: user.span) ?? ""
    }

    static func id(_ number: Int) -> UUIDv7 {
        event(number).id.delivery(0)
    }

    static func fill(_ store: any Store) throws {
        for number in 1...4 { try accept(store, number) }
        // It has the id of a delivery, so that the same id is valid in all paths.
        try store.revoke(
            Revocation(
                id: id(2), appID: "shop", subject: .user("revoked"), issuedBefore: 1, reason: "", author: "test", createdAt: time))
        store.begin(
            BotCall(
                id: id(2), appID: "shop", userID: "user-1", bot: "orders", function: "cancel", argumentsSHA256: "", at: time - 50,
                ending: BotCall.Ending(.failed, statusCode: 500, reason: "server_error", at: time)), isAwaited: { true }
        ) { _ in }
        try tryOnce(store, number: 1, attempt: 1, at: time, next: .delivered, reason: "status_204")
        try tryOnce(store, number: 2, attempt: 1, at: time, next: .retry(at: time + 100), reason: "status_503")
        try tryOnce(store, number: 2, attempt: 2, at: time + 100, next: .dead, reason: "status_404")
        #expect(try store.work([], [claim(4, at: time + 50_000)])[0].get().expired == 1)
    }

    /// Accepts the event with this number.
    /// - Parameters:
    ///   - notifier: the notifier of the delivery; by default one that is not configured.
    ///   - requiresDevice: whether the delivery ends without a target; no device is registered here.
    static func accept(_ store: any Store, _ number: Int, notifier: String? = nil, requiresDevice: Bool = false) throws {
        let done = Monitor(false)
        let subscription = Subscription(notifier: notifier ?? "sink-\(number)", requiresDevice: requiresDevice)
        store.accept(IncomingEvent(event(number), to: [subscription])) { result in
            if (try? result.get()) == .accepted { done.update { $0 = true } }
        }
        try #require(done.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil } == true)
    }

    /// Claims the delivery with this number, and ends the attempt.
    static func tryOnce(
        _ store: any Store, number: Int, attempt: Int, at time: UnixMilliseconds, next: FinishedAttempt.Next, reason: String
    ) throws {
        #expect(try store.work([], [claim(number, at: time)])[0].get().deliveries.map(\.id) == [id(number)])
        _ = try store.work([FinishedAttempt(id: id(number), attempt: attempt, next: next, reason: reason, now: time + 10)], [])
    }

    private static func claim(_ number: Int, at time: UnixMilliseconds) -> Claim {
        Claim(notifier: "sink-\(number)", now: time, leaseMilliseconds: 1000, limit: 10)
    }

    private static func event(_ number: Int) -> Event {
        Event(
            id: UUIDv7(milliseconds: 1, random: InlineArray(repeating: UInt8(number))).event, kind: .commentCreated,
            identity: Event.Identity(
                appID: number == 4 ? "bank" : "shop", ticketID: 9_007_199_254_740_993, commentID: HelpDeskID(Int64(number)),
                deviceID: "device"),
            userID: number == 4 ? oddUser : "user-1", occurredAt: time - 1000, receivedAt: time - 10 + UInt64(number),
            expiresAt: time + (number == 4 ? 40_000 : 60_000), data: Array(#"{"body":"what a person wrote"}"#.utf8))
    }
}

extension ReceivedResponse {
    /// The body as an object.
    func object() throws -> JSONObject {
        guard case .object(let object) = try JSONDocument(parsing: body.span).value() else { throw SocketClient.Failure.closed }
        return object
    }

    /// The last digits of the ids in a list, which are the fixture's numbers.
    func numbers() throws -> [Int] {
        guard case .array(let deliveries) = try object()["deliveries"] else { throw SocketClient.Failure.closed }
        return deliveries.compactMap { delivery in
            guard case .object(let delivery) = delivery, case .string(let id) = delivery["id"] else { return nil }
            return (1...9).first { AdminDeliverFixture.id($0).description == id }
        }
    }
}
