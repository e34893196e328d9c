internal import Observability

/// Counts one listener's responses by route and status, without a lock for common statuses.
struct HTTPCounters: Sendable {
    private static let usual = [200, 400, 403, 404, 405, 503]

    private let family: MetricFamily<Counter>
    private let listener: String
    private let routes: [String]
    /// The counters of the common statuses, by route.
    private let counters: [NumberedCounters]

    /// Makes the counters of a listener whose routes have these paths, in the order of their indices.
    /// - Parameter watched: a status that operators watch; its series exists from the start for each route. Other series appear with their
    ///   first response.
    init(_ family: MetricFamily<Counter>, listener: String, routes: [String], watched: Int?) {
        self.family = family
        self.listener = listener
        // Requests that match no route are counted together, because the caller chooses their path.
        self.routes = ["other"] + routes
        counters = self.routes.map { route in NumberedCounters(Self.usual) { family.child(listener, route, "\($0)") } }
        if let watched { for route in routes { family.child(listener, route, "\(watched)").showZero() } }
    }

    /// Counts a response; `route` is -1 for a request without a route.
    func count(route: Int, status: Int) {
        if !counters[route + 1].increment(status) { family.child(listener, routes[route + 1], "\(status)").increment() }
    }
}
