import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct BackendCacheTests {
    private static let cache = #","cache":{"positive_seconds":60,"negative_seconds":5}"#

    @Test(arguments: [
        (200, "", 60), (403, "", 5), (200, "max-age=10", 10), (200, "max-age=3600", 60), (403, "max-age=3600", 5), (403, "max-age=2", 2),
    ])
    func `lasts for its lifetime`(status: Int, cacheControl: String, seconds: UInt64) throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(status, headers: ["Cache-Control: \(cacheControl)"])), verify: Self.cache) {
            (service, backend) throws in
            #expect(try service.ask().status == status)
            fixture.pass(milliseconds: seconds * 1000 - 1)
            for path in BackendCaller.routes { #expect(try service.ask(path).status == status) }
            #expect(backend.requests.count == 1)
            fixture.pass(milliseconds: 1)
            #expect(try service.ask().status == status)
            #expect(backend.requests.count == 2)
        }
    }

    @Test(arguments: [
        ("no-store", Self.cache), ("private, no-cache", Self.cache), ("max-age=0", Self.cache),
        ("max-age=30\r\nCACHE-CONTROL: no-store", Self.cache), ("", #","cache":{"positive_seconds":0}"#),
    ])
    func `may have no lifetime`(cacheControl: String, members: String) throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(200, headers: ["cache-control: \(cacheControl)"])), verify: members) {
            (service, backend) throws in
            for _ in 1...3 { #expect(try service.ask().status == 200) }
            #expect(backend.requests.count == 3)
        }
    }

    @Test func `belongs to one key`() throws {
        try BackendFixture().withService(.requests([[.respond(200)], [.respond(403)]])) { (service, backend) throws in
            #expect(try service.ask().status == 200)
            #expect(try service.ask(key: TestKey(issuedAt: TestTime.now - 1).text()).status == 403)
            #expect(try service.ask().status == 200)
            #expect(backend.requests.count == 2)
        }
    }

    @Test func `never outlives the key`() throws {
        let fixture = try BackendFixture()
        let key = try TestKey(expiresAt: TestTime.now + 10).text()
        try fixture.withService(.everyRequest(.respond(200)), verify: #","cache":{"positive_seconds":86400}"#) {
            (service, backend) throws in
            #expect(try service.ask(key: key).status == 200)
            fixture.pass(milliseconds: 70_000)
            #expect(try service.ask(key: key).status == 200)
            fixture.pass(milliseconds: 1000)
            for path in BackendCaller.routes { #expect(try service.ask(path, key: key).status == 403) }
            #expect(backend.requests.count == 1)
        }
    }

    @Test func `is forgotten on demand`() throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(200)), mode: "backend") { (service, backend) throws in
            let users = ["user-1", "user-2"]
            for user in users { #expect(try service.ask(user: user).status == 200) }
            service.forget(appID: "shop", userID: "user-1")
            for user in users { #expect(try service.ask(user: user).status == 200) }
            #expect(backend.requests.map { $0.text.contains("user-1") } == [true, false, true])
            service.forget(appID: "bank", userID: nil)
            service.forget(appID: "shop", userID: nil)
            for user in users { #expect(try service.ask(user: user).status == 200) }
            #expect(backend.requests.count == 5)
        }
    }

    @Test func `a reload keeps unchanged entries`() throws {
        let backend = try ScriptedServer(.everyRequest(.respond(200)))
        defer { backend.stop() }
        let fixture = try BackendFixture()
        try fixture.withService(fixture.json(backend.url())) { (service) throws in
            #expect(try service.ask().status == 200)
            let notifiers = #"{"log":{"type":"log"},"second":{"type":"log"}}"#
            #expect(try fixture.reload(service, fixture.json(backend.url(), notifiers: notifiers)))
            #expect(try service.ask().status == 200)
            #expect(backend.requests.count == 1)
            for changed in [#","when_undecided":"deny""#, #","cache":{"positive_seconds":61}"#, ""] {
                #expect(try fixture.reload(service, fixture.json(backend.url(), changed)))
                #expect(try service.ask().status == 200)
            }
            #expect(backend.requests.count == 4)
        }
    }

    @Test func `a reload closes an open breaker`() throws {
        let (dead, alive) = (try ScriptedServer(.everyRequest(.respond(500))), try ScriptedServer(.everyRequest(.respond(200))))
        defer { for server in [dead, alive] { server.stop() } }
        let fixture = try BackendFixture()
        try fixture.withService(fixture.json(dead.url())) { (service) throws in
            for number in 1...6 { #expect(try service.ask(user: "user-\(number)").status == 503) }
            #expect(dead.requests.count == 5)
            #expect(try fixture.reload(service, fixture.json(alive.url())))
            #expect(try service.ask().status == 200)
        }
    }

    @Test func `running calls end with their former settings`() throws {
        let (old, new) = (try ScriptedServer(.everyRequest(.awaitRelease, .respond(200))), try ScriptedServer(.everyRequest(.respond(403))))
        defer { for server in [old, new] { server.stop() } }
        let fixture = try BackendFixture()
        try fixture.withService(fixture.json(old.url())) { (service) throws in
            let waiting = try BackendCaller.routes.map {
                try BackendCaller.begin(service.publicAddress, path: $0, body: BackendCaller.body($0))
            }
            #expect(old.waitForRequests(1))
            #expect(service.waitForQuestions(2))
            #expect(try fixture.reload(service, fixture.json(new.url())))
            #expect(try service.ask().status == 403)
            old.release(2)
            for client in waiting { #expect(try client.readResponse().status == 200) }
            #expect(try service.ask().status == 403)
            #expect(new.requests.count == 1)
            // Without a backend only the key decides.
            #expect(try fixture.reload(service, fixture.json(new.url(), mode: "key")))
            for path in BackendCaller.routes { #expect(try service.ask(path).status == 200) }
        }
    }
}

extension RunningService {
    fileprivate func forget(appID: String, userID: String?) {
        graph.helpDeskState.current.backends?.forget(appID: appID, userID: userID)
    }
}
