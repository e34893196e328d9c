import Core
import JSON
import Storage
import TestSupport
import Testing
import Threading
import Time

/// `deskgate users seen` with the store of a stopped service.
@Suite struct SeenTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace(["store": ["minimum_free_megabytes": 0]])
        try SQLiteStore(path: workspace.directory.path("deskgate.db")).close()
    }

    private func run(_ words: String...) throws -> Deskgate.Result {
        try Deskgate.run(["users", "seen"] + words + ["--config", workspace.configuration])
    }

    @Test func `it reports the number of cancelled pushes, and stores an event`() throws {
        let result = try run("--app", Workspace.app, "--user", "user-1", "--ticket", "4211")
        #expect(result.code == 0)
        #expect(result.output == "Recorded. 0 pushes that waited are not sent.\n")
        let store = try SQLiteStore(path: workspace.directory.path("deskgate.db"))
        defer { store.close() }
        let event = try #require(try store.page(of: DeliveryFilter(), after: nil, limit: 1).deliveries.first?.event)
        #expect(event.kind == .conversationSeen)
        #expect(event.identity.ticketID == 4211)
    }

    @Test func `its JSON equals the listener's`() throws {
        let result = try run("--app", Workspace.app, "--user", "user-1", "--json")
        #expect(try result.json["superseded"] == 0)
    }

    @Test func `an app that is not configured is rejected`() throws {
        let result = try run("--app", "nobody", "--user", "user-1")
        #expect(result.code != 0)
        #expect(result.errors.contains("no app of this name is configured"))
    }
}
