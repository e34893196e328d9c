import Core
import Postgres
import TestSupport
import Testing

@testable import Storage

/// The report on a server with a standby, for roles with different grants.
@Suite struct ServerReportTests {
    private let primary: PostgresServer
    private let standby: PostgresServer

    init() throws {
        primary = try PostgresServer()
        standby = try primary.standby()
        try primary.sql("CREATE ROLE watcher LOGIN")
        _ = try PostgresDatabase.migrate(try ConnectionSettings(primary.url().utf8.span), grantingTo: "watcher")
    }

    private func report(as role: String) throws -> ServerReport {
        try #require(try PostgresDatabase.report(try ConnectionSettings(primary.url(user: role).utf8.span)).server)
    }

    /// A superuser's report, once the standby has this synchronization state.
    private func waitForStandby(_ synchronization: String) throws {
        let follows = eventually {
            guard let standbys = try? report(as: "postgres").standbys else { return false }
            // The lag is unknown before the standby's first reply.
            return standbys.map(\.synchronization) == [synchronization] && standbys.allSatisfy { $0.behindBytes != nil }
        }
        try #require(follows)
    }

    @Test func `a role without the grant sees that a standby exists but not its state`() throws {
        try waitForStandby("async")
        let report = try report(as: "watcher")
        let seen = try #require(report.standbys.first)
        #expect(report.standbys.count == 1)
        #expect(seen.name == "standby")
        #expect(seen.state == nil)
        #expect(seen.synchronization == nil)
        #expect(seen.behindBytes == nil)
        #expect(report.connections == nil)
        #expect(report.missingGrant == "GRANT pg_read_all_stats TO watcher")
        #expect(report.blindSpot?.hasSuffix("; to see them, run as a superuser: GRANT pg_read_all_stats TO watcher") == true)
    }

    @Test func `a role without the grant gets no warning about a synchronous standby`() throws {
        try primary.setSynchronousStandby("standby")
        try waitForStandby("sync")
        #expect(try report(as: "watcher").warnings == [])
    }

    @Test(arguments: ["watcher", "postgres"])
    func `commits that wait for a missing standby are reported`(_ role: String) throws {
        try waitForStandby("async")
        try primary.setSynchronousStandby("other")
        let named = "synchronous_standby_names is other, and no such standby is connected"
        // A role without the grant sees that a standby exists, but not whether it is the synchronous one.
        let isKnown = role == "postgres"
        #expect(try report(as: role).warnings.contains { $0.hasPrefix(named) } == isKnown)
        standby.stop()
        #expect(
            eventually { (try? report(as: role).standbys.isEmpty) == true }, "the server notices that the standby has gone")
        #expect(try report(as: role).warnings.map { $0.hasPrefix(named) } == [true])
    }

    @Test(arguments: ["FIRST 2 (standby, other)", "ANY 2 (standby, other)"])
    func `fewer synchronous standbys than the setting requires are a warning`(_ names: String) throws {
        try primary.setSynchronousStandby(names)
        try waitForStandby(names.hasPrefix("ANY") ? "quorum" : "sync")
        let expected =
            "synchronous_standby_names is \(names), and 1 of the 2 required standbys are synchronous: "
            + "every commit waits until they are; start the standby, or remove it from synchronous_standby_names"
        #expect(try report(as: "postgres").warnings == [expected])
    }

    @Test func `the name in the grant is quoted`() throws {
        try primary.sql(#"CREATE ROLE "Watch-2" LOGIN IN ROLE watcher"#)
        #expect(try report(as: "Watch-2").missingGrant == #"GRANT pg_read_all_stats TO "Watch-2""#)
    }

    @Test(arguments: ["pg_read_all_stats", "pg_monitor"])
    func `a role with the grant gets the report of a superuser`(_ grant: String) throws {
        try primary.sql("GRANT \(grant) TO watcher")
        try waitForStandby("async")
        let report = try report(as: "watcher")
        let seen = try #require(report.standbys.first)
        #expect(seen.state != nil)
        #expect(seen.synchronization == "async")
        #expect(seen.behindBytes != nil)
        #expect(report.connections != nil)
        #expect(report.missingGrant == nil)
        #expect(report.blindSpot == nil)
        #expect(report.warnings.map { $0.prefix(25) } == ["no standby is synchronous"])
    }
}
