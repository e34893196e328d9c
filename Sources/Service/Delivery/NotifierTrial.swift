package import Configuration
internal import Core
internal import Crypto
internal import Dispatch
internal import HTTPClient
internal import HelpDesk
internal import Notifiers
package import Observability
internal import Threading
package import Time

/// Tries notifiers of a configuration outside of the service, with the same code as the service.
package struct NotifierTrial {
    /// Why a trial could not be run.
    package struct Failure: Error, CustomStringConvertible {
        /// One sentence.
        package let description: String
    }

    /// A push for one device.
    package struct Push: Sendable {
        /// The device's push token, not empty.
        package var token: String
        /// The device type; nil for the notifier's usual one.
        package var type: String?
        /// Shown as the author, if the notifier shows authors.
        package var title: String
        /// Shown as the text, if the notifier shows texts.
        package var body: String

        /// Makes a push.
        package init(token: String, type: String?, title: String, body: String) {
            self.token = token
            self.type = type
            self.title = title
            self.body = body
        }
    }

    /// After how many milliseconds a test push expires.
    private static let lifeMilliseconds: UInt64 = 3_600_000
    /// How much longer than a probe or an attempt itself its outcome may take, in milliseconds.
    private static let marginMilliseconds: UInt64 = TimeLimit.milliseconds(5000)

    private let configuration: Configuration
    private let factory: NotifierFactory
    private let clocks: Clocks

    /// Prepares trials.
    package init(_ configuration: Configuration, logger: Logger, clocks: Clocks = .system) {
        self.configuration = configuration
        self.clocks = clocks
        // Only the relay needs keys, and it is never tried, because the trial would be a real registration.
        factory = NotifierFactory(logger: logger, clocks: clocks) { _, _ in nil }
    }

    /// Sends a push as for a comment, and waits for its outcome.
    /// - Throws: when the notifier sends no pushes, or the push cannot be created.
    package func send(_ push: Push, through name: String) throws(Failure) -> NotifierVerdict {
        let configured = try pushNotifier(name)
        let delivery: Delivery
        do {
            delivery = try self.delivery(of: push, through: configured)
        } catch {
            throw Failure(description: "the push cannot be made: \(error)")
        }
        return try withNotifier(configured) { notifier in
            let pending = Trial(configured.type, notifier)
            notifier.deliver(delivery, completion: pending.completion)
            return pending.verdict()
        }
    }

    /// Has each provider verify its credential, all at the same time. Nothing is shown on any phone.
    /// - Parameter sendsTest: whether to send each `http` notifier a signed `operator.test` event.
    /// - Returns: the verdicts in the order of the configuration; nil for a notifier that only a delivery could prove.
    package func proveAll(
        sendsTest: Bool = false
    ) throws(Failure) -> [(name: String, type: NotifierType, verdict: NotifierVerdict?)] {
        let tried = configuration.notifiers.filter { $0.type.isPush || (sendsTest && $0.type == .http) }
        let served: [ServedNotifier]
        do throws(NotifierFactory.Failure) {
            served = try factory.make(all: tried)
        } catch {
            throw Failure(description: error.description)
        }
        defer { for notifier in served { notifier.close() } }
        var trials: [String: Trial] = [:]
        for (configured, served) in zip(tried, served) {
            let trial = Trial(configured.type, served.notifier)
            trials[configured.name] = trial
            if let notifier = served.notifier as? any ProvableNotifier {
                notifier.prove(trial.completion)
            } else {
                served.notifier.deliver(try testEvent(through: configured), completion: trial.completion)
            }
        }
        return configuration.notifiers.map { ($0.name, $0.type, trials[$0.name]?.verdict()) }
    }

    /// Has the help desks judge the credentials of their apps, all at the same time, without changing anything.
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

    private func withNotifier(
        _ configured: Configuration.Notifier, _ body: (any Notifier) -> NotifierVerdict
    ) throws(Failure) -> NotifierVerdict {
        do throws(NotifierFactory.Failure) {
            let served = try factory.make(configured)
            defer { served.close() }
            return body(served.notifier)
        } catch {
            throw Failure(description: error.description)
        }
    }

    /// A comment of an invented ticket, for an unregistered device.
    private func delivery(of push: Push, through notifier: Configuration.Notifier) throws(CryptoError) -> Delivery {
        let now = clocks.unixMilliseconds()
        let key = Device.Key(appID: appID(of: notifier), userID: "push-test", deviceID: "push-test")
        let comment = Comment(
            appID: key.appID, userID: key.userID, ticketID: 1, commentID: HelpDeskID(Int64(now.rawValue)), deviceID: key.deviceID,
            deviceType: nil,
            body: push.body, author: Comment.Author(name: push.title), createdAt: nil, attachments: [])
        let id = try UUIDv7(milliseconds: now, from: RandomPool()).event
        let event = Event(comment, id: id, receivedAt: now, lifeMilliseconds: Self.lifeMilliseconds)
        let device = Device(
            key: key, type: push.type ?? (notifier.type == .apns ? "ios" : "android"), token: try PushToken(push.token), registeredAt: now,
            seenAt: now)
        return Delivery(
            id: id.delivery(0), notifier: notifier.name, event: event, deviceID: key.deviceID, device: device, attempts: 1, dueAt: now)
    }

    /// A test event without a person.
    private func testEvent(through notifier: Configuration.Notifier) throws(Failure) -> Delivery {
        let now = clocks.unixMilliseconds()
        let id: UUIDv7
        do throws(CryptoError) {
            id = try UUIDv7(milliseconds: now, from: RandomPool()).event
        } catch {
            throw Failure(description: "the event cannot be made: \(error)")
        }
        let test = OperatorTest(appID: appID(of: notifier), notifier: notifier.name)
        let event = Event(test, id: id, now: now, lifeMilliseconds: Self.lifeMilliseconds)
        return Delivery(id: id.delivery(0), notifier: notifier.name, event: event, deviceID: nil, attempts: 1, dueAt: now)
    }

    /// The first app that uses a notifier, otherwise the first app.
    private func appID(of notifier: Configuration.Notifier) -> String {
        let app = configuration.apps.first { $0.notifiers.contains(notifier.name) || $0.routes.notifiers.contains(notifier.name) }
        return app?.id ?? configuration.apps[0].id
    }

    /// One trial and its outcome.
    private struct Trial {
        private let type: NotifierType
        private let notifier: any Notifier
        private let timeoutMilliseconds: UInt64
        private let outcome = Monitor<DeliveryOutcome?>(nil)

        init(_ type: NotifierType, _ notifier: any Notifier) {
            self.type = type
            self.notifier = notifier
            timeoutMilliseconds = notifier.longestAttemptMilliseconds + NotifierTrial.marginMilliseconds
        }

        var completion: @Sendable (DeliveryOutcome) -> Void {
            { [outcome] result in outcome.update { $0 = result } }
        }

        /// Waits for the outcome.
        func verdict() -> NotifierVerdict {
            outcome.wait(timeoutMilliseconds: timeoutMilliseconds) { $0 }.map { NotifierVerdict(type, $0, of: notifier) }
                ?? .silent(type, notifier)
        }
    }
}
