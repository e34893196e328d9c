import Core
import HTTPServer
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// A revocation takes precedence over cached responses of a backend and over responses on their way.
@Suite struct BackendRevocationTests {
    /// A change by an operator to `user-1` or to more users.
    struct Deed: Sendable, CustomTestStringConvertible {
        let path: String
        let members: String
        /// Whether it applies to `user-2` as well.
        let isForAll: Bool
        var testDescription: String { "\(path) \(members)" }

        init(_ path: String, _ members: String, isForAll: Bool = false) {
            (self.path, self.members, self.isForAll) = (path, members, isForAll)
        }

        func perform(on service: RunningService) throws {
            let response = try ExchangeCase(
                name: path, path: path, headers: AdminCases.authorization, body: Array(#"{"app_id":"shop",\#(members)}"#.utf8), status: 0,
                answer: ""
            ).send(to: SocketClient(service.adminAddress))
            #expect(response.status == 200 || response.status == 201, "\(response.text)")
        }
    }

    private static let signOut = Deed("/v1/users/sign-out", #""user_id":"user-1""#)
    private static let block = Deed("/v1/users/block", #""user_id":"user-1""#)
    private static let now = TestTime.now.rawValue
    static let deeds = [
        signOut, block, Deed("/v1/revocations", #""user_id":"user-1""#),
        Deed("/v1/revocations", #""issued_before":\#(now + 1)"#, isForAll: true),
        Deed("/v1/revocations", #""key_id":1"#, isForAll: true),
    ]
    private static let cache = #","cache":{"positive_seconds":86400}"#
    private static let requests = "deskgate_authorize_requests_total"

    @Test(arguments: deeds) func `a revoked key is denied despite a cached response`(deed: Deed) throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(200)), verify: Self.cache) { (service, backend) throws in
            for user in ["user-1", "user-2"] { #expect(try service.ask(user: user).status == 200) }
            try deed.perform(on: service)
            for path in BackendCaller.routes {
                #expect(try service.ask(path, user: "user-1").status == 403)
                #expect(try service.ask(path, user: "user-2").status == (deed.isForAll ? 403 : 200))
            }
            #expect(backend.requests.count == 2)
            #expect(
                try fixture.counts(service, Self.requests).contains(
                    #"{app="shop",result="denied",reason="revoked",key_id="1"} \#(deed.isForAll ? 2 : 1)"#))
        }
    }

    /// Such a device has no key, so the time of the registration decides.
    @Test(arguments: deeds) func `a device that the backend has allowed is signed out`(deed: Deed) throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(200)), mode: "backend") { (service, _) throws in
            #expect(try service.ask(BackendCaller.pushToken).status == 200)
            try deed.perform(on: service)
            let left = try service.graph.store.devices(DeviceFilter(appID: "shop"), after: nil, limit: 9)
            #expect(left.isEmpty == !deed.members.contains("key_id"))
        }
    }

    /// The time of the call decides, not that of the response. Another replica has signed the user out, and this one may not have the
    /// revocation yet.
    @Test func `a sign-out during the call applies on every replica`() throws {
        let fixture = try BackendFixture()
        let steps: [[ScriptedStep]] = [[.awaitRelease, .respond(200)], [.respond(200)]]
        try fixture.withService(.requests(steps), mode: "backend") { (service, backend) throws in
            let path = BackendCaller.pushToken
            let client = try BackendCaller.begin(service.publicAddress, path: path, body: BackendCaller.body(path))
            #expect(backend.waitForRequests(1))
            fixture.pass(milliseconds: 2000)
            try service.graph.store.revoke(.sample(1, appID: "shop", .user("user-1"), issuedBefore: TestTime.now + 2))
            backend.release()
            #expect(try client.readResponse().status == 403)
            #expect(try service.graph.store.devices(DeviceFilter(appID: "shop"), after: nil, limit: 9).isEmpty)
        }
    }

    /// A sign-out includes its whole second, also for devices that the backend allows.
    @Test func `a device registers again after the second of a sign-out`() throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(200)), mode: "backend") { (service, _) throws in
            try Self.signOut.perform(on: service)
            #expect(try service.ask(BackendCaller.pushToken).status == 403)
            fixture.pass(milliseconds: 1000)
            #expect(try service.ask(BackendCaller.pushToken).status == 200)
            #expect(try service.graph.store.devices(DeviceFilter(appID: "shop"), after: nil, limit: 9).count == 1)
        }
    }

    /// Deskgate cannot read the key, so it calls the backend again, and denies a blocked person without a call.
    @Test(arguments: deeds) func `a backend in backend mode is called again`(deed: Deed) throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(200)), verify: Self.cache, mode: "backend") { (service, backend) throws in
            for user in ["user-1", "user-2"] { #expect(try service.ask(user: user).status == 200) }
            try deed.perform(on: service)
            let isBlock = deed.path == Self.block.path
            for _ in 1...2 {
                #expect(try service.ask(user: "user-1").status == (isBlock ? 403 : 200))
                #expect(try service.ask(user: "user-2").status == 200)
            }
            let users = backend.requests.map { $0.text.contains("user-1") ? 1 : 2 }
            #expect(users == [1, 2] + (deed.isForAll ? [1, 2] : isBlock ? [] : [1]))
            let denied = #"{app="shop",result="denied",reason="revoked",key_id=""} 2"#
            #expect(try fixture.counts(service, Self.requests).contains(denied) == isBlock)
        }
    }

    /// A user who is signed out or blocked during the call is not allowed by its response, and registers no device with it.
    @Test(arguments: [signOut, block], ["key_and_backend", "backend"])
    func `a response that allows a revoked user is too late`(deed: Deed, mode: String) throws {
        // In backend mode the second response decides after a sign-out: the backend has received the sign-out by then.
        let isItsOwn = mode == "backend" && deed.path == Self.signOut.path
        let late: [[ScriptedStep]] = [[.awaitRelease, .respond(200)], [.respond(isItsOwn ? 403 : 200)]]
        let fixture = try BackendFixture()
        try fixture.withService(.requests(late), mode: mode) { (service, backend) throws in
            let waiting = try BackendCaller.routes.map {
                try BackendCaller.begin(service.publicAddress, path: $0, body: BackendCaller.body($0))
            }
            #expect(backend.waitForRequests(1))
            #expect(service.waitForQuestions(2))
            try deed.perform(on: service)
            backend.release()
            for client in waiting {
                let response = try client.readResponse()
                #expect(response.status == 403)
                #expect(response.text == AuthorizeCases.denied)
            }
            let reason = isItsOwn ? "backend_denied" : "revoked"
            let keyID = mode == "backend" ? "" : "1"
            #expect(
                try fixture.counts(service, Self.requests).contains(
                    #"{app="shop",result="denied",reason="\#(reason)",key_id="\#(keyID)"} 1"#))
            let person = DeviceFilter(appID: "shop", userID: "user-1", deviceID: nil)
            #expect(try service.graph.store.devices(person, after: nil, limit: 10).isEmpty)
            #expect(backend.requests.count == 2)
        }
    }

    /// A denial needs no second call, and responses for other users are used.
    @Test func `responses for other users are used`() throws {
        let fixture = try BackendFixture()
        let steps: [[ScriptedStep]] = [[.awaitRelease, .respond(403)], [.awaitRelease, .respond(200)]]
        try fixture.withService(.requests(steps), mode: "backend") { (service, backend) throws in
            let waiting = try ["user-1", "user-2"].enumerated().map { number, user in
                let client = try BackendCaller.begin(
                    service.publicAddress, path: BackendCaller.authorize, body: BackendCaller.body(user: user))
                #expect(backend.waitForRequests(number + 1))
                return client
            }
            try Self.signOut.perform(on: service)
            backend.release(2)
            #expect(try waiting.map { try $0.readResponse().status } == [403, 200])
            #expect(try service.ask(user: "user-2").status == 200)
            #expect(backend.requests.count == 2)
        }
    }

    /// Shadow mode denies a blocked user without calling the backend.
    @Test func `a block applies in shadow mode`() throws {
        let fixture = try BackendFixture()
        let backend = try ScriptedServer(.everyRequest(.respond(200)))
        defer { backend.stop() }
        let json = fixture.json(backend.url(), mode: "backend")
            .replacing(#""app_id":"shop","#, with: #""app_id":"shop","shadow_until":\#(Self.now + 1000),"#)
        try fixture.withService(json) { (service) throws in
            try Self.block.perform(on: service)
            #expect(try service.ask().status == 403)
            #expect(try service.ask(BackendCaller.pushToken).status == 403)
            fixture.pass(milliseconds: 1_000_000)
            #expect(try service.ask().status == 403)
            #expect(try fixture.counts(service, Self.requests) == [#"{app="shop",result="denied",reason="revoked",key_id=""} 2"#])
            #expect(backend.requests.isEmpty)
        }
    }
}
