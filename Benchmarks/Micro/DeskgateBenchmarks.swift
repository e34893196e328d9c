import POSIX

/// Measures the cost of a request in the process, without sockets. With arguments it fills a store for other measurements instead.
///
/// Ends with 1 when a target is missed, with 2 when it cannot measure or fill.
@main
enum DeskgateBenchmarks {
    static func main() {
        do {
            let arguments = Process.arguments() ?? []
            if !arguments.isEmpty { return try FillCommand.run(arguments) }
            let fixture = try Fixture()
            let costs = try Benchmarks(fixture).run()
            let denials = DenialTiming(fixture.loggingRouter).run(try DeniedRequest.all(fixture))
            let targets = costs.targets + [DenialTiming.target(denials)]
            (costs.table + [""] + DenialTiming.table(denials) + [""] + targets.map(\.line)).forEach { print($0) }
            Process.exit(targets.contains { $0.isKept == false } ? 1 : 0)
        } catch {
            print("cannot measure: \(error)")
            Process.exit(2)
        }
    }
}
