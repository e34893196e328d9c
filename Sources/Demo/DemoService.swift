internal import Configuration
internal import HTTPClient
internal import Observability
internal import POSIX
internal import Service

/// The service of a demonstration, with its log in a file, and a client for its callers.
struct DemoService {
    let client: Client
    let reloader: ConfigurationReloader

    /// - Parameters:
    ///   - configuration: the contents of `file`.
    ///   - log: the path of the log, which is created or continued.
    ///   - stops: receives functions that stop its parts, also of parts that started before one failed.
    init(_ configuration: Configuration, file: String, log: String, stops: inout [() -> Void]) throws {
        let log = try AppendedFile(log, mode: 0o600)
        let sink = try LogSink(descriptor: log.descriptor, format: configuration.log.format)
        stops.append { withExtendedLifetime(log) { sink.close() } }
        let logger = Logger(level: configuration.log.level, sink: sink)
        let service = try RunningService(configuration, logger: logger)
        stops.append { service.stop() }
        let client = try Client()
        stops.append { client.close() }
        self.client = client
        reloader = ConfigurationReloader(service, file: file, startedWith: configuration, logger: logger)
    }
}
