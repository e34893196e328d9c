package import AdminAPI
package import Configuration
internal import Core
internal import Crypto
internal import Dispatch
internal import HTTPClient
internal import HelpDesk
internal import JSON
internal import Notifiers
package import Observability
internal import POSIX
internal import Threading
package import Time

/// Tests notifiers of a configuration from outside of the service.
///
/// A push notifier with the same configuration in the running service is tested by the service, with its own provider token: Apple rejects
/// tokens that are minted more often than every 20 minutes. All others are created for the test, with the same code as in the service.
package struct NotifierTrial {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Milliseconds after which a test push expires.
    private static let lifetimeMilliseconds: UInt64 = 3_600_000
    /// Milliseconds of an outcome in addition to the probe or the attempt itself.
    private static let marginMilliseconds: UInt64 = TimeLimit.milliseconds(5000)

    private let configuration: Configuration
    private let factory: NotifierFactory
    private let clocks: Clocks
    private let author: String?

    /// Prepares tests.
    /// - Parameter author: the author of pushes, a `PlainName`; nil when none is sent.
    package init(_ configuration: Configuration, logger: Logger, clocks: Clocks = .system, author: String? = nil) {
        self.configuration = configuration
        self.clocks = clocks
        self.author = author
        // Only the relay needs keys, and it is never tested, because the test would be a real registration.
        factory = NotifierFactory(logger: logger, clocks: clocks) { _, _ in nil }
    }

    /// Sends a push like one for a comment, and waits for its outcome.
    /// - Throws: when the notifier sends no pushes, or the push cannot be created.
    package func send(_ push: TestPush, through name: String) throws(Failure) -> NotifierVerdict {
        let configured = try pushNotifier(name)
        if let verdict = serviceAnswer(to: NotifierPushAction(push, notifier: name, file: file)).flatMap({ NotifierVerdict($0) }) {
            return verdict
        }
        let served = try make([configured])
        defer { for notifier in served { notifier.close() } }
        return try send(push, through: served[0].notifier, configured)
    }

    /// Sends a push through an existing notifier.
    func send(
        _ push: TestPush, through notifier: any Notifier, _ configured: Configuration.Notifier
    ) throws(Failure) -> NotifierVerdict {
        let delivery: Delivery
        do {
            delivery = try self.delivery(of: push, through: configured)
        } catch {
            throw Failure(description: "the push cannot be created: \(error)")
        }
        let pending = Trial(configured, notifier, now: clocks.unixSeconds())
        notifier.deliver(delivery, completion: pending.completion)
        return pending.verdict()
    }

    /// Makes each provider verify its credential, concurrently. Nothing is shown on any phone.
    /// - Parameter sendsTest: whether to send each `http` notifier a signed `operator.test` event.
    /// - Returns: the verdicts in the order of the configuration; nil for a notifier that only a delivery can verify.
    package func proveAll(
        sendsTest: Bool = false
    ) throws(Failure) -> [(name: String, type: NotifierType, verdict: NotifierVerdict?)] {
        let tried = configuration.notifiers.filter { $0.type.isPush || (sendsTest && $0.type == .http) }
        let inService = tried.contains(where: \.type.isPush) ? serviceVerdicts() : [:]
        let others = tried.filter { inService[$0.name] == nil }
        let served = try make(others)
        defer { for notifier in served { notifier.close() } }
        let proven = try prove(Array(zip(others, served.map(\.notifier))))
        let verdicts = Dictionary(proven.map { ($0.name, $0.verdict) }) { first, _ in first }
        return configuration.notifiers.map { ($0.name, $0.type, inService[$0.name] ?? verdicts[$0.name]) }
    }

    /// Makes the providers of existing notifiers verify their credentials, concurrently.
    func prove(_ notifiers: [(Configuration.Notifier, any Notifier)]) throws(Failure) -> [(name: String, verdict: NotifierVerdict)] {
        var trials: [(name: String, trial: Trial)] = []
        for (configured, notifier) in notifiers {
            let trial = Trial(configured, notifier, now: clocks.unixSeconds())
            trials.append((configured.name, trial))
            if let notifier = notifier as? any ProvableNotifier {
                notifier.prove(trial.completion)
            } else {
                notifier.deliver(try testEvent(through: configured), completion: trial.completion)
            }
        }
        return trials.map { ($0.name, $0.trial.verdict()) }
    }

    private func make(_ notifiers: [Configuration.Notifier]) throws(Failure) -> [ServedNotifier] {
        do throws(NotifierFactory.Failure) {
            return try factory.make(all: notifiers)
        } catch {
            throw Failure(description: error.description)
        }
    }

    /// The running service's verdicts on its own notifiers, by name; empty when it cannot be called.
    private func serviceVerdicts() -> [String: NotifierVerdict] {
        let verdicts = serviceAnswer(to: NotifierProofAction(file: file))?["notifiers"]?.elements ?? []
        return Dictionary(
            verdicts.compactMap { json in
                guard let name = json["notifier"]?.text, let verdict = NotifierVerdict(json) else { return nil }
                return (name, verdict)
            }
        ) { first, _ in first }
    }

    private func serviceAnswer(to action: some AdminAction) -> JSONValue? {
        guard let answer = try? AdminAccess(serviceAt: configuration.admin, author: author).performInService(action),
            answer.status == 200
        else {
            return nil
        }
        return answer.json
    }

    /// The absolute path of the configuration; empty when it is unknown, so that it differs from the service's.
    private var file: String {
        configuration.sources.files.first.flatMap { try? FileSystem.absolutePath(of: $0) } ?? ""
    }

    /// Makes the help desks verify the credentials of their apps, concurrently, without changing anything.
    /// - Returns: the verdicts in the order of the configuration.
    package func proveApps() throws(Failure) -> [(app: String, credential: String, verdict: NotifierVerdict)] {
        let client: Client
        do throws(ThreadError) {
            client = try Client(settings: ClientSettings())
        } catch {
            throw Failure(description: "\(error)")
        }
        defer { client.close() }
        let probes = configuration.apps.flatMap { app in
            HelpDesk.all.filter { $0.kind == app.helpDesk }.flatMap { $0.probes(app, clocks, client) }
        }
        let outcomes = probes.map { probe in
            let outcome = Monitor<DeliveryOutcome?>(nil)
            probe.prove { result in outcome.update { $0 = result } }
            return outcome
        }
        return zip(probes, outcomes).map { probe, outcome in
            let outcome = outcome.wait(timeoutMilliseconds: probe.timeoutMilliseconds + Self.marginMilliseconds) { $0 }
            return (probe.appID, probe.name, NotifierVerdict(outcome, remedy: probe.remedy))
        }
    }

    private func pushNotifier(_ name: String) throws(Failure) -> Configuration.Notifier {
        let usable = configuration.notifiers.filter(\.type.isPush).map(\.name)
        guard let found = configuration.notifiers.first(where: { $0.name == name }), found.type.isPush else {
            let known = usable.isEmpty ? "none is configured" : "there are: \(usable.joined(separator: ", "))"
            throw Failure(description: "\(printable(name)) is no notifier that sends pushes; \(known)")
        }
        return found
    }

    /// A comment of an invented ticket, for an unregistered device.
    private func delivery(of push: TestPush, through notifier: Configuration.Notifier) throws(CryptoError) -> Delivery {
        let now = clocks.unixMilliseconds()
        let key = Device.Key(appID: appID(of: notifier), userID: "push-test", deviceID: "push-test")
        let comment = Comment(
            appID: key.appID, userID: key.userID, ticketID: 1, commentID: HelpDeskID(Int64(now.rawValue)), deviceID: key.deviceID,
            deviceType: nil,
            body: push.body, author: Comment.Author(name: push.title), createdAt: nil, attachments: [])
        let id = try UUIDv7(milliseconds: now, from: RandomPool()).event
        let event = Event(comment, id: id, receivedAt: now, lifetimeMilliseconds: Self.lifetimeMilliseconds)
        let device = Device(
            key: key, type: push.type ?? (notifier.type == .apns ? "ios" : "android"), token: try PushToken(push.token), registeredAt: now,
            seenAt: now)
        return Delivery(
            id: id.delivery(0), notifier: notifier.name, event: event, deviceID: key.deviceID, device: device, attempts: 1, dueAt: now)
    }

    private func testEvent(through notifier: Configuration.Notifier) throws(Failure) -> Delivery {
        let now = clocks.unixMilliseconds()
        let id: UUIDv7
        do throws(CryptoError) {
            id = try UUIDv7(milliseconds: now, from: RandomPool()).event
        } catch {
            throw Failure(description: "the event cannot be created: \(error)")
        }
        let test = OperatorTest(appID: appID(of: notifier), notifier: notifier.name)
        let event = Event(test, id: id, now: now, lifetimeMilliseconds: Self.lifetimeMilliseconds)
        return Delivery(id: id.delivery(0), notifier: notifier.name, event: event, deviceID: nil, attempts: 1, dueAt: now)
    }

    /// The first app that uses a notifier, otherwise the first app.
    private func appID(of notifier: Configuration.Notifier) -> String {
        let app = configuration.apps.first { $0.notifiers.contains(notifier.name) || $0.routes.notifiers.contains(notifier.name) }
        return app?.id ?? configuration.apps[0].id
    }

    private struct Trial {
        private let configured: Configuration.Notifier
        private let notifier: any Notifier
        private let now: UnixSeconds
        private let timeoutMilliseconds: UInt64
        private let outcome = Monitor<DeliveryOutcome?>(nil)

        init(_ configured: Configuration.Notifier, _ notifier: any Notifier, now: UnixSeconds) {
            self.configured = configured
            self.notifier = notifier
            self.now = now
            timeoutMilliseconds = notifier.longestAttemptMilliseconds + NotifierTrial.marginMilliseconds
        }

        var completion: @Sendable (DeliveryOutcome) -> Void {
            { [outcome] result in outcome.update { $0 = result } }
        }

        func verdict() -> NotifierVerdict {
            outcome.wait(timeoutMilliseconds: timeoutMilliseconds) { $0 }.map { NotifierVerdict(configured, $0, of: notifier, now: now) }
                ?? .silent(configured, notifier, now: now)
        }
    }
}
