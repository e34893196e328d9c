internal import Configuration
internal import HTTPClient
internal import HTTPServer
internal import Observability
package import POSIX
internal import Service
internal import Simulators

/// A demonstration of bots in one process, only on loopback: the service, a sample backend, a scripted model, the customer's app.
///
/// One thread owns it, and must call `stop` before it releases it.
package final class BotDemo {
    private let shop: SampleShop
    private let caller: BotDemoCaller
    private let client: Client
    private let reloader: ConfigurationReloader
    /// The functions that stop the parts, in the order of their starts.
    private var stops: [() -> Void]

    /// Starts the service and the shop in a directory created by `deskgate init --bot-demo`. Call it before any other thread is started,
    /// and after `Signals` is created.
    /// - Throws: when a file is missing or invalid, or a port is in use.
    package init(directory: String) throws(DemoFailure) {
        let file = Path.resolve("config.json", in: directory)
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration(contentsOf: file)
        } catch {
            throw DemoFailure("\(error)")
        }
        let settings = try BotDemoFiles(directory: directory).shopSettings()
        var stops: [() -> Void] = []
        do {
            let shop = try SampleShop(settings)
            stops.append { shop.stop() }
            let service = try DemoService(
                configuration, file: file, log: Path.resolve("deskgate.log", in: directory), stops: &stops)
            caller = try BotDemoCaller(service.client, configuration)
            (self.shop, client, reloader, self.stops) = (shop, service.client, service.reloader, stops)
        } catch {
            for stop in stops.reversed() { stop() }
            throw DemoFailure("\(error)")
        }
    }

    /// Plays a customer's conversation with the model, and attacks on it.
    /// - Parameter say: receives the events, line by line.
    /// - Returns: a sentence for each unexpected result; empty when everything was as expected.
    /// - Throws: if a request got no response.
    package func play(_ say: @escaping (String) -> Void) throws(DemoFailure) -> [String] {
        var story = BotStory(caller, shop: shop, client: client, say: say)
        try story.play()
        return story.surprises
    }

    /// Runs until a stop signal; applies changes of the configuration.
    package func goOn(until signals: Signals) {
        reloader.run(signals)
    }

    /// Stops all parts; the directory stays. Call it once.
    package func stop() {
        for stop in stops.reversed() { stop() }
        stops = []
    }
}
