internal import Configuration
internal import HTTPClient
internal import JSON
internal import Observability
package import POSIX
internal import Service
internal import Simulators
internal import Threading
internal import Time

/// A demonstration: the service with simulated push providers, a help desk, a company's backend, phones and failures, in one process and
/// only on loopback.
///
/// One thread owns it, and must call `stop` before it releases it.
package final class Demo {
    /// The maximum time of the opening in milliseconds; it takes some seconds.
    private static let openingMilliseconds: UInt64 = TimeLimit.milliseconds(60_000)
    private static let pollMilliseconds: UInt64 = 100

    package let guide: DemoGuide
    private let files: DemoFiles
    private let simulators: SimulatorSet
    private let caller: DemoCaller
    private var market: DemoMarket
    private let reloader: ConfigurationReloader
    private var keys: [String: String] = [:]
    /// The functions that stop the parts, in the order of their starts.
    private var stops: [() -> Void]

    /// Creates the files and starts the service. Call it before any other thread is started, and after `Signals` is created.
    package init(_ files: DemoFiles, _ ports: DemoPorts) throws(DemoFailure) {
        var stops: [() -> Void] = []
        do {
            let secrets = try files.makeSecrets()
            var settings = SimulatorSettings()
            // A corrected credential must not reach Apple's limit, which is for faulty programs.
            settings.providerTokenLimit = 1000
            // The record of pushes is not used.
            settings.recordLimit = 1
            let simulators = try SimulatorSet(settings)
            stops.append { simulators.stop() }
            DemoOpening.refuse(in: simulators)
            let sendbird = try Self.simulateSendbird(ports)
            stops.append { sendbird.stop() }
            let receivers = try DemoReceivers(secrets)
            stops.append { receivers.stop() }
            try Self.configure(files, ports: ports, simulators: simulators, sendbird: sendbird, receivers: receivers)
            let configuration = try Configuration(contentsOf: files.configuration)
            let service = try DemoService(configuration, file: files.configuration, log: files.log, stops: &stops)
            (self.files, self.simulators, self.stops) = (files, simulators, stops)
            guide = DemoGuide(ports, keyID: simulators.credentials.apnsKeyID)
            caller = DemoCaller(requests: DemoRequests(client: service.client), ports: ports, secrets: secrets)
            market = DemoMarket(caller, sendbird)
            reloader = service.reloader
        } catch {
            for stop in stops.reversed() { stop() }
            throw DemoFailure("\(error)")
        }
    }

    /// Creates events until each view of the page has contents.
    /// - Parameter wait: waits for some milliseconds; returns false to end the opening.
    /// - Returns: false when `wait` has ended it.
    package func open(_ wait: (UInt64) -> Bool) throws(DemoFailure) -> Bool {
        var opening = DemoOpening(caller)
        try opening.play()
        try market.play()
        keys = opening.keys
        let start = SystemClock.monotonicMilliseconds()
        while try !hasShown(opening) {
            guard SystemClock.monotonicMilliseconds().elapsed(since: start) < Self.openingMilliseconds else {
                throw DemoFailure("the views got no contents within a minute; \(files.log) contains the cause")
            }
            guard wait(Self.pollMilliseconds) else { return false }
        }
        return true
    }

    private func hasShown(_ opening: DemoOpening) throws(DemoFailure) -> Bool {
        guard try opening.hasShown() else { return false }
        return try market.hasShown()
    }

    /// Runs until a stop signal; applies changes of the configuration.
    package func goOn(until signals: Signals) throws(DemoFailure) {
        do throws(ThreadError) {
            let trickle = try DemoTrickle(DemoDay(caller, simulators: simulators, market: market, keys: keys))
            stops.append { trickle.stop() }
        } catch {
            throw DemoFailure("\(error)")
        }
        reloader.run(signals)
    }

    /// Stops all parts; the directory stays. Call it once.
    package func stop() {
        for stop in stops.reversed() { stop() }
        stops = []
    }

    /// Sendbird, which sends the webhooks of the app `market`.
    private static func simulateSendbird(_ ports: DemoPorts) throws -> SimulatedSendbird {
        var settings = SimulatedSendbirdSettings()
        let app = DemoApp.market.rawValue
        settings.chat.appID = app
        settings.chat.webhookURL = "http://127.0.0.1:\(ports.listen)/sendbird/chat-webhook/\(app)"
        settings.desk.webhookURL = "http://127.0.0.1:\(ports.listen)/sendbird/desk-webhook/\(app)"
        return try SimulatedSendbird(settings)
    }

    private static func configure(
        _ files: DemoFiles, ports: DemoPorts, simulators: SimulatorSet, sendbird: SimulatedSendbird, receivers: DemoReceivers
    ) throws {
        let providers = try SimulatorFiles(directory: files.providers)
        try providers.write(simulators)
        try providers.write(sendbird)
        guard case .object(let settings) = providers.settings(sendbird) else { preconditionFailure("an app's settings are an object") }
        let configuration = DemoConfiguration(
            files: files, ports: ports, providers: providers.notifiers(simulators),
            sendbird: settings, receivers: receivers.address,
            now: SystemClock.unixSeconds())
        try files.write(configuration: configuration.text)
    }
}
