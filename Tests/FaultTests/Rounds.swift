import POSIX
import Testing

/// The number of runs of each scene: one in `make test`, and FAULT_ROUNDS in `make faults`.
enum Rounds {
    private static let asked = Process.environment("FAULT_ROUNDS").flatMap { Int($0) }
    /// The limit of the time until calls are accepted again, in milliseconds. `make test` does not measure it.
    private static let acceptsAfter: UInt64 = 30_000

    /// Runs a scene, and prints its result in one line.
    static func run(_ name: String, _ play: (_ round: Int) async throws -> Verdict) async throws {
        var verdicts: [Verdict] = []
        for round in 0..<(asked ?? 1) {
            let verdict = try await play(round)
            verdicts.append(verdict)
            #expect(verdict.broken == [], "\(name), round \(round)")
            if asked != nil { #expect(verdict.acceptsAfter <= acceptsAfter, "\(name), round \(round)") }
        }
        func sum(_ count: KeyPath<Verdict, Int>) -> Int { verdicts.reduce(0) { $0 + $1[keyPath: count] } }
        print(
            "fault: \(name): rounds=\(verdicts.count) accepted=\(sum(\.accepted)) refused=\(sum(\.refused)) repeated=\(sum(\.repeated))"
                + " delivered=\(sum(\.delivered)) delivered_twice=\(sum(\.deliveredTwice))"
                + " longest_gap_ms=\(verdicts.map(\.longestGap).max() ?? 0) again_after_ms=\(verdicts.map(\.acceptsAfter).max() ?? 0) broken=\(verdicts.reduce(0) { $0 + $1.broken.count })"
        )
    }
}
