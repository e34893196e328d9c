import POSIX

/// Measures what a request costs in the process, without sockets; with arguments it fills a store for other measurements instead.
///
/// Ends with 1 when a target is missed, with 2 when it cannot do what was asked.
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
