import Core
import HTTPServer
import JSON
import Storage
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Access to deliveries from outside the service, while it runs and while it is stopped.
@Suite struct AdminDeliverAccessTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func address(onUnixSocket: Bool) -> ListenAddress {
        onUnixSocket ? .unix(path: directory.path("admin.sock")) : .tcp(host: "127.0.0.1", port: 0)
    }

    @Test(arguments: [false, true]) func `sends requests to the running service`(_ onUnixSocket: Bool) throws {
        let fixture = try AdminDeliverFixture()
        let server = try fixture.serve(address(onUnixSocket: onUnixSocket))
        defer { server.stop(drainMilliseconds: 1000) }
        var configuration = fixture.configuration
        configuration.admin.listener.address = server.address
        try check(AdminAccess(configuration, clocks: ServiceFixture.clocks))
        #expect(fixture.wakeUpCount == 2)
        configuration.admin.tokens = []
        let failure = #expect(throws: AdminAccess.Failure.self) {
            try AdminAccess(configuration).perform(DeliveryAction.list(DeliveryFilter(), after: nil, limit: 1))
        }
        #expect(failure?.description.contains("; set admin.token") == true)
    }

    @Test func `opens the store of a stopped service`() throws {
        let path = directory.path("store.db")
        let store = try SQLiteStore(path: path)
        try AdminDeliverFixture.fill(store)
        var configuration = try AdminDeliverFixture().configuration
        configuration.store.kind = .sqlite(path: path)
        configuration.store.minimumFreeMegabytes = 0
        let access = AdminAccess(configuration, clocks: ServiceFixture.clocks)
        #expect(throws: AdminAccess.Failure.self) { try access.perform(DeliveryAction.list(DeliveryFilter(), after: nil, limit: 1)) }
        store.close()
        try check(access)
    }

    @Test func `the error does not suggest stopping a service that holds the store`() throws {
        let configuration = try AdminDeliverFixture.configuration(storedIn: directory)
        let store = try SQLiteStore(path: directory.path("store.db"))
        defer { store.close() }
        let failure = #expect(throws: AdminAccess.Failure.self) { try AdminAccess(configuration).perform(StatusAction()) }
        let text = try #require(failure?.description)
        #expect(text.contains("store.db is used by "))
        #expect(text.contains(", and nothing answers at \(configuration.admin.listener.address), where this configuration has "))
        #expect(!text.contains("stop it"))
    }

    @Test func `a stopped service is reported with its inaccessible store`() throws {
        let configuration = try AdminDeliverFixture.configuration(storedIn: directory)
        try directory.write("store.db", String(repeating: "no database", count: 1000))
        let access = AdminAccess(configuration, start: { "deskgate serve" })
        let failure = #expect(throws: AdminAccess.Failure.self) { try access.perform(StatusAction()) }
        let text = try #require(failure?.description)
        let start = "the service does not run; start it: deskgate serve. "
        #expect(text.hasPrefix("\(start)Its store cannot be used: cannot open \(directory.path("store.db")): "))
    }

    @Test func `an explanation of a user reports that the service is stopped`() throws {
        let configuration = try AdminDeliverFixture.configuration(storedIn: directory)
        try SQLiteStore(path: directory.path("store.db")).close()
        let access = AdminAccess(configuration, clocks: ServiceFixture.clocks)
        let answer = try access.perform(ExplainAction(appID: "shop", userID: "somebody")).json
        #expect(answer["outcome"] == "problem")
        #expect(answer["finding"] == "The service does not run.")
        let line = "deskgate serve --config \(try #require(configuration.sources.files.first))"
        #expect(answer["remedy"]?.text?.hasPrefix("Start it: systemctl start deskgate, or \(line). ") == true)
    }

    @Test func `a command on a host without a service makes no statement about the store's other users`() throws {
        let place = try PostgresSchemaFixture()
        try place.store().close()
        var configuration = try AdminDeliverFixture().configuration
        configuration.store.kind = .postgres(try place.settings())
        let access = AdminAccess(configuration, clocks: ServiceFixture.clocks)
        let answer = try access.perform(ExplainAction(appID: "shop", userID: "somebody")).json
        #expect(answer["outcome"] == "note")
        #expect(answer["finding"]?.text?.hasPrefix("No service runs on this host, so the command has read the store itself.") == true)
        #expect(answer["remedy"]?.text?.hasPrefix("Run the command where a service runs, or start one here: ") == true)
        let status = try access.perform(StatusAction()).json
        #expect(status["reasons"] == ["no service runs on this host"])
        #expect(status["problems"]?.elements.map { $0["severity"] } == ["warning"])
    }

    @Test(arguments: [false, true]) func `opens the store when no service listens`(_ onUnixSocket: Bool) throws {
        let fixture = try AdminDeliverFixture()
        let server = try fixture.serve(address(onUnixSocket: onUnixSocket))
        let address = server.address
        server.stop(drainMilliseconds: 1000)
        var configuration = fixture.configuration
        configuration.admin.listener.address = address
        configuration.store.kind = .memory
        let failure = #expect(throws: AdminAccess.Failure.self) {
            try AdminAccess(configuration).perform(DeliveryAction.list(DeliveryFilter(), after: nil, limit: 1))
        }
        #expect(failure?.description == "the service does not run. Its store cannot be used: it is in memory and ended with the service")
    }

    @Test func `creates no store`() throws {
        var configuration = try AdminDeliverFixture().configuration
        configuration.store.kind = .sqlite(path: directory.path("store.db"))
        #expect(throws: AdminAccess.Failure.self) { try AdminAccess(configuration).perform(DeliveryAction.show(AdminDeliverFixture.id(1))) }
        #expect(directory.contents().isEmpty)
    }

    /// Lists and removes tokens through the listener of a running service, and in the store of a stopped one.
    @Test(arguments: [false, true]) func `reaches push tokens`(_ isRunning: Bool) throws {
        let path = directory.path("store.db")
        let store = try SQLiteStore(path: path)
        let fixture = try AdminDeliverFixture(store: store)
        for number in 1...3 {
            try AdminDeviceRoutesTests.register(store, user: AdminDeliverFixture.oddUser, device: "d\u{E9} \(number)&=%")
        }
        try AdminDeviceRoutesTests.register(store, user: "user-1", device: "d1")
        var configuration = fixture.configuration
        let server = try fixture.serve(.tcp(host: "127.0.0.1", port: 0))
        defer { server.stop(drainMilliseconds: 1000) }
        if isRunning {
            configuration.admin.listener.address = server.address
        } else {
            store.close()
            configuration.store.kind = .sqlite(path: path)
            configuration.store.minimumFreeMegabytes = 0
        }
        let access = AdminAccess(configuration, clocks: ServiceFixture.clocks)
        func devices(_ filter: DeviceFilter, after: Device.Key? = nil, limit: Int = 9) throws -> [String] {
            let answer = try access.perform(DeviceAction.list(filter, after: after, limit: limit))
            return try AdminDeviceRoutesTests.names(ReceivedResponse(status: answer.status, headers: [:], body: answer.json.serialized()))
        }
        let odd = DeviceFilter(appID: "shop", userID: AdminDeliverFixture.oddUser)
        let one = DeviceFilter(appID: "shop", userID: AdminDeliverFixture.oddUser, deviceID: "d\u{E9} 2&=%")
        #expect(try devices(one) == ["\(AdminDeliverFixture.oddUser) d\u{E9} 2&=%"])
        let key = Device.Key(appID: "shop", userID: AdminDeliverFixture.oddUser, deviceID: "d\u{E9} 2&=%")
        #expect(try devices(DeviceFilter(appID: "shop"), after: key, limit: 1) == ["\(AdminDeliverFixture.oddUser) d\u{E9} 3&=%"])
        #expect(try access.perform(DeviceAction.remove(one)).json == ["removed": 1])
        #expect(try access.perform(DeviceAction.remove(odd)).json == ["removed": 2])
        #expect(try devices(DeviceFilter(appID: "shop")) == ["user-1 d1"])
        #expect(fixture.wakeUpCount == (isRunning ? 2 : 0))
    }

    /// Checks that each action has its effect, with a running and a stopped service.
    private func check(_ access: AdminAccess) throws {
        var filter = DeliveryFilter()
        filter.userID = AdminDeliverFixture.oddUser
        filter.ticketID = 9_007_199_254_740_993
        filter.receivedFrom = AdminDeliverFixture.time - 10
        #expect(try numbers(access, .list(filter, after: nil, limit: 10)) == [4])
        #expect(try numbers(access, .list(DeliveryFilter(), after: nil, limit: 3)) == [4, 3, 2])
        #expect(try access.perform(DeliveryAction.show(AdminDeliverFixture.id(9))).status == 404)
        #expect(try access.perform(DeliveryAction.retryOne(AdminDeliverFixture.id(1))).status == 409)
        #expect(try access.perform(DeliveryAction.retryOne(AdminDeliverFixture.id(2))).json == ["retried": 1])
        #expect(try access.perform(DeliveryAction.retry(filter)).json["retried"] == 1)
        #expect(try access.perform(DeliveryAction.retry(DeliveryFilter())).json["retried"] == 0)
        let set = RetryCursor(endedBy: .max, total: 5)
        #expect(try access.perform(DeliveryAction.retry(DeliveryFilter(), after: set)).json["total"] == 5, "the cursor arrives")
        #expect(try access.perform(DeliveryAction.purge(.delivered, before: AdminDeliverFixture.time)).json == ["purged": 0])
        #expect(try access.perform(DeliveryAction.purge(.delivered, before: AdminDeliverFixture.time + 11)).json == ["purged": 1])
        #expect(try access.perform(DeliveryAction.giveUp(notifier: "sink-3")).json == ["purged": 1])
        #expect(try numbers(access, .list(DeliveryFilter(), after: nil, limit: 10)) == [4, 3, 2])
    }

    private func numbers(_ access: AdminAccess, _ action: DeliveryAction) throws -> [Int] {
        let answer = try access.perform(action)
        return try ReceivedResponse(status: answer.status, headers: [:], body: answer.json.serialized()).numbers()
    }
}
