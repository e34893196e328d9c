import HTTPServer
import Time

/// Compares the times of requests that a client must not be able to distinguish.
///
/// In each block every kind is sent equally often, in random order, and only its median is kept, so that a drift of the machine or an
/// interrupt has no effect. Two kinds differ if the blocks' differences are significant (`threshold`) and their mean is more than
/// `tolerance` of the time. With enough blocks each nanosecond becomes significant, but a client cannot measure nanoseconds through a
/// network.
struct DenialTiming {
    private static let path = Array("/pyrus/authorize".utf8)
    private static let blocks = 60
    private static let requestsPerBlock = 150
    /// Of Student's t for paired samples, as in dudect: a larger difference is significant.
    private static let threshold = 4.5
    /// The tolerated difference of two kinds, as a share of the time.
    private static let tolerance = 0.05

    /// The medians of the blocks in nanoseconds.
    struct Times {
        let name: String
        let isForStrangers: Bool
        fileprivate(set) var medians: [Double] = []

        var typical: Double { medians.sorted()[medians.count / 2] }
    }

    private let router: Router
    private let exchange = StoredExchange(contentType: "application/json")

    init(_ router: Router) {
        self.router = router
    }

    /// Measures the requests; takes a second or two.
    func run(_ requests: [DeniedRequest]) -> [Times] {
        var times = requests.map { Times(name: $0.name, isForStrangers: $0.isForStrangers) }
        var bodies = requests.map { ReusableBody($0.body) }
        // Warms up, and exhausts the number of log lines per kind and minute.
        for index in bodies.indices { for _ in 0..<1000 { _ = nanoseconds(&bodies[index]) } }
        var order = bodies.indices.flatMap { [Int](repeating: $0, count: Self.requestsPerBlock) }
        for _ in 0..<Self.blocks {
            order.shuffle()
            var taken = [[UInt64]](repeating: [], count: bodies.count)
            for index in order { taken[index].append(nanoseconds(&bodies[index])) }
            for index in times.indices { times[index].medians.append(Double(taken[index].sorted()[Self.requestsPerBlock / 2])) }
        }
        return times
    }

    static func table(_ times: [Times]) -> [String] {
        let rows = times.map { time in
            let name = time.name + String(repeating: " ", count: max(0, 36 - time.name.count))
            return "| \(name) | \(Int(time.typical.rounded())) |"
        }
        return ["| the handler: denied as                | ns   |", "|--------------------------------------|-----:|"] + rows
    }

    static func target(_ times: [Times]) -> Target {
        let found = distinguishable(times)
        let shown = found.isEmpty ? "none" : found.map { "\($0.names) by \(percent($0.share))" }.joined(separator: "; ")
        return Target("denials that strangers can tell apart by more than \(percent(tolerance)): \(shown)", isKept: found.isEmpty)
    }

    private static func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }

    /// The pairs of kinds for unauthenticated clients that can be distinguished, with the difference as a share of the time.
    private static func distinguishable(_ times: [Times]) -> [(names: String, share: Double)] {
        let open = times.filter(\.isForStrangers)
        var found: [(names: String, share: Double)] = []
        for (index, one) in open.enumerated() {
            for other in open[(index + 1)...] {
                let differences = zip(one.medians, other.medians).map { $0 - $1 }
                let mean = differences.reduce(0, +) / Double(differences.count)
                let share = abs(mean) / min(one.typical, other.typical)
                if share > tolerance, abs(t(differences, mean)) > threshold { found.append(("\(one.name), \(other.name)", share)) }
            }
        }
        return found
    }

    private static func t(_ differences: [Double], _ mean: Double) -> Double {
        let count = Double(differences.count)
        let variance = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
        return variance == 0 ? .infinity : mean / (variance / count).squareRoot()
    }

    private func nanoseconds(_ body: inout ReusableBody) -> UInt64 {
        guard case .handler(let endpoint, _, _) = router.match(.post, path: Self.path.span) else {
            preconditionFailure("the public listener authorizes")
        }
        let start = SystemClock.monotonicNanoseconds()
        body.post(to: endpoint, exchange)
        let end = SystemClock.monotonicNanoseconds()
        precondition(exchange.response?.status == 403)
        return end - start
    }
}
