import Testing

@testable import Storage

/// Whether commits wait for missing standbys, according to the list of connected standbys.
@Suite struct SynchronousStandbyTests {
    private typealias Standby = ServerReport.Standby

    private static func standby(_ name: String, _ synchronization: String?, state: String? = "streaming") -> Standby {
        Standby(name: name, state: state, synchronization: synchronization, behindBytes: 0)
    }

    private static func warnings(_ names: String, _ standbys: [Standby], commit: String = "on") -> [String] {
        ServerReport(
            obstacle: nil, version: "15.4", isStandby: false, synchronousCommit: commit, synchronousStandbyNames: names, connections: 5,
            maximumConnections: 100, oldest: nil, replicas: [], standbys: standbys, slots: [], pending: [], clockOffsetMilliseconds: 0,
            missingGrant: nil
        ).warnings
    }

    @Test(arguments: ["a", "a, b", "*", "FIRST 1 (a, b)", "1 (a, b)", "first 2 (a, b)", "ANY 2(a, b)", "2 (a, b, c)"])
    func `as many synchronous standbys as the setting requires are ok`(_ names: String) {
        let both = [Self.standby("a", "sync"), Self.standby("b", "quorum")]
        #expect(Self.warnings(names, both) == [])
    }

    @Test(
        arguments: [("FIRST 2 (a, b)", "1 of the 2"), ("any 3 (a, b, c)", "1 of the 3"), ("2 (a, b)", "1 of the 2")]
            as [(String, String)])
    func `fewer synchronous standbys than required are reported`(_ names: String, _ share: String) {
        let warnings = Self.warnings(names, [Self.standby("a", "sync"), Self.standby("c", "async")])
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("\(share) required standbys are synchronous: every commit waits") == true)
    }

    /// It is not missing.
    @Test func `a standby that catches up is reported with its state`() {
        let warnings = Self.warnings("a", [Self.standby("a", "potential", state: "catchup")])
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains(" 0 of the 1 required standbys are synchronous; ") == true)
        #expect(warnings.first?.contains("; a is connected, and its state is catchup: every commit waits") == true)
    }

    @Test func `a potential standby causes no warning`() {
        #expect(Self.warnings("a, b", [Self.standby("a", "sync"), Self.standby("b", "potential")]) == [])
    }

    @Test func `a standby of unknown state may be synchronous`() {
        #expect(Self.warnings("a", [Self.standby("a", nil, state: nil)]) == [])
    }

    @Test(arguments: ["off", "local"])
    func `commits that need no standby do not wait`(_ commit: String) {
        #expect(Self.warnings("a", [], commit: commit).allSatisfy { !$0.contains("every commit waits") })
    }
}
