import POSIX

/// Measures what a request costs in the process, without sockets; ends with 1 when a target is missed, with 2 when it cannot measure.
@main
enum DeskgateBenchmarks {
    static func main() {
        do {
            let costs = try Benchmarks().run()
            (costs.table + [""] + costs.targets.map(\.line)).forEach { print($0) }
            Process.exit(costs.targets.contains { $0.isKept == false } ? 1 : 0)
        } catch {
            print("cannot measure: \(error)")
            Process.exit(2)
        }
    }
}
