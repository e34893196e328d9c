import HTTPServer
import Observability
import TestSupport

/// A fixture of some routes alone: requested in process or on a socket, and counted by one metric.
protocol RouteFixture {
    static var metric: String { get }
    var router: Router { get }
    var registry: MetricsRegistry { get }
}

extension RouteFixture {
    var client: InProcessClient { InProcessClient(router) }

    func withServer<Result>(settings: ServerSettings = ServerSettings(), _ body: (ListenAddress) throws -> Result) throws -> Result {
        let server = try Server(.tcp(host: "127.0.0.1", port: 0), router: router, settings: settings, observer: { _, _ in })
        defer { server.stop(drainMilliseconds: 1000) }
        return try body(server.address)
    }

    /// The counters above zero, without the metric's name.
    func counts() -> [String] {
        metricsText().split(separator: "\n").filter { $0.hasPrefix("\(Self.metric){") && !$0.hasSuffix(" 0") }
            .map { String($0.dropFirst(Self.metric.count)) }
    }

    func metricsText() -> String {
        String(decoding: registry.render(), as: UTF8.self)
    }
}
