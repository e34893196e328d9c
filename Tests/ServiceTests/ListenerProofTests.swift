import Core
import Crypto
import Glibc
import HTTPServer
import Storage
import TestSupport
import Testing
import Threading

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct ListenerProofTests {
    private static let path = "\(ListenerProof.route.path)"
    private static let someProof = String(repeating: "A", count: 43)

    enum Rogue: CaseIterable {
        case wrongProof, shortProof, noProof, notFound, noHTTP, closing, oversized, redirect

        fileprivate var script: ScriptedServer.Script {
            switch self {
            case .wrongProof: .everyRequest(.respond(200, body: #"{"proofs":["\#(someProof)"]}"#))
            case .shortProof: .everyRequest(.respond(200, body: #"{"proofs":[""]}"#))
            case .noProof: .everyRequest(.respond(200, body: #"{"deliveries":[]}"#))
            case .notFound: .everyRequest(.respond(404))
            case .noHTTP: .everyConnection(.readRequest, .send("hello\r\n\r\n"))
            case .closing: .everyConnection(.readRequest, .close)
            case .oversized: .everyRequest(.respond(200, body: String(repeating: "x", count: 100_000)))
            case .redirect: .everyRequest(.respond(307, headers: ["Location: /v1/deliveries"]))
            }
        }
    }

    private let directory: TemporaryDirectory
    private let configuration: Configuration

    init() throws {
        directory = try TemporaryDirectory()
        configuration = try AdminDeliverFixture.configuration(storedIn: directory)
    }

    private func store() throws -> SQLiteStore {
        try SQLiteStore(path: directory.path("store.db"))
    }

    /// Lists deliveries while another process listens on this port.
    private func list(port: UInt16) throws -> (answer: AdminAnswer, remarks: [String]) {
        var configuration = configuration
        configuration.admin.listener.address = .tcp(host: "127.0.0.1", port: port)
        var remarks: [String] = []
        let answer = try AdminAccess(configuration).perform(DeliveryAction.list(DeliveryFilter(), after: nil, limit: 9)) {
            remarks.append($0)
        }
        return (answer, remarks)
    }

    static func get(_ address: ListenAddress, _ query: String) throws -> ReceivedResponse {
        let client = try SocketClient(address)
        try client.send("GET \(path)\(query) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try client.readResponse()
    }

    private func expectNoToken(_ rogue: ScriptedServer) {
        for request in rogue.requests {
            #expect(request.target.hasPrefix("\(Self.path)?nonce="))
            #expect(!"\(request)".contains(ServiceFixture.token))
        }
        #expect(!rogue.requests.isEmpty)
    }

    @Test(arguments: Rogue.allCases) func `a rogue listener learns nothing, and the command opens the store`(_ kind: Rogue) throws {
        try store().close()
        let rogue = try ScriptedServer(kind.script)
        defer { rogue.stop() }
        let (answer, remarks) = try list(port: rogue.port)
        #expect(answer.status == 200)
        #expect(remarks.count == 1)
        #expect(remarks[0].hasPrefix("127.0.0.1:\(rogue.port) is held by a process that has not proven to know the admin token ("))
        expectNoToken(rogue)
    }

    @Test func `a store in use is reported with the foreign listener`() throws {
        let store = try store()
        defer { store.close() }
        let rogue = try ScriptedServer(Rogue.wrongProof.script)
        defer { rogue.stop() }
        let failure = #expect(throws: AdminAccess.Failure.self) { try list(port: rogue.port) }
        let text = try #require(failure?.description)
        #expect(text.hasPrefix("127.0.0.1:\(rogue.port) is held by a process that has not proven to know the admin token"))
        #expect(text.hasSuffix("store.db is used by another process"))
        expectNoToken(rogue)
    }

    /// The proof of a service with another address is invalid here.
    @Test func `a relayed proof is rejected`() throws {
        try store().close()
        let fixture = try AdminDeliverFixture()
        let service = try fixture.serve(.tcp(host: "127.0.0.1", port: 0))
        defer { service.stop(drainMilliseconds: 1000) }
        let relay = try Server(
            .tcp(host: "127.0.0.1", port: 0), router: Self.relay(to: service.address), settings: ServerSettings(threads: 1))
        defer { relay.stop(drainMilliseconds: 1000) }
        guard case .tcp(_, let port) = relay.address else { return }
        let (answer, remarks) = try list(port: port)
        #expect(answer.status == 200)
        #expect(
            remarks == [
                "127.0.0.1:\(port) is held by a process that has not proven to know the admin token (its proof is wrong or for another "
                    + "address), and did not get it; run deskgate reload if its token or certificate has changed; if a port mapping "
                    + "or a proxy leads to the service, run the command in the service's container, or use admin.unix; stop the "
                    + "process if it is not Deskgate"
            ])
    }

    /// Relays the request for a proof, and returns the service's own proof.
    private static func relay(to address: ListenAddress) -> Router {
        Router([
            Route(
                ListenerProof.route.path,
                [
                    (
                        .get,
                        { request, responder in
                            let nonce = String(decoding: request.queryItems()[0].value, as: UTF8.self)
                            request.withHeader("Authorization") { if $0 != nil { Issue.record("the token was sent") } }
                            let answer = try? Self.get(address, "?nonce=\(nonce)")
                            return responder.respond(Response(status: 200, body: answer?.body ?? []))
                        }
                    )
                ])
        ])
    }

    /// A rogue process that takes the port between the proof and the request gets neither the token nor the request.
    @Test func `the token is sent on the connection of the proof`() throws {
        try store().close()
        let token = try #require(configuration.admin.tokens.first?.secret)
        let address = Monitor<ListenAddress?>(nil)
        let server = try Server(
            .tcp(host: "127.0.0.1", port: 0), router: Self.closing(token, address), settings: ServerSettings(threads: 1))
        defer { server.stop(drainMilliseconds: 1000) }
        address.update { $0 = server.address }
        guard case .tcp(_, let port) = server.address else { return }
        let failure = #expect(throws: AdminAccess.Failure.self) { try list(port: port) }
        #expect(failure?.description.hasSuffix("it closed the connection before the request; try again") == true)
    }

    /// Sends a valid proof, closes the connection, and must get no request on another one.
    static func closing(_ token: SecretBytes, _ address: Monitor<ListenAddress?>) -> Router {
        Router([
            Route(
                ListenerProof.route.path,
                [
                    (
                        .get,
                        { request, responder in
                            let nonce = Base64URL.decode(String(decoding: request.queryItems()[0].value, as: UTF8.self)) ?? []
                            let proof = address.withLock { $0 }.flatMap { try? ListenerProof.code(token, address: $0, nonce: nonce) }
                            let text = proof.map { Base64URL.encode($0.span) } ?? ""
                            return responder.respond(
                                Response(status: 200, headers: [("Connection", "close")], body: Array(#"{"proofs":["\#(text)"]}"#.utf8)))
                        }
                    )
                ]),
            Route(
                "/v1/deliveries",
                [
                    (
                        .get,
                        { _, responder in
                            Issue.record("the token was sent on another connection")
                            return responder.respond(Response(status: 200))
                        }
                    )
                ]),
        ])
    }

    @Test func `a proof needs a nonce of the right length`() throws {
        let fixture = try AdminDeliverFixture()
        let server = try fixture.serve(.tcp(host: "127.0.0.1", port: 0))
        defer { server.stop(drainMilliseconds: 1000) }
        for query in [
            "", "?nonce=", "?nonce=AAAA", "?nonce=\(Self.someProof)A", "?nonce=\(Self.someProof)&nonce=\(Self.someProof)", "?x=1",
        ] {
            #expect(try Self.get(server.address, query).status == 400, "\(query)")
        }
        #expect(try Self.get(server.address, "?nonce=\(Self.someProof)").status == 200)
    }

    /// A socket that cannot be opened, for any reason, does not mean that no service listens.
    @Test func `a socket that cannot be opened is reported`() throws {
        try store().close()
        var configuration = configuration
        #expect(unsafe symlink("loop", directory.path("loop")) == 0)
        configuration.admin.listener.address = .unix(path: directory.path("loop/admin.sock"))
        let failure = #expect(throws: AdminAccess.Failure.self) {
            try AdminAccess(configuration).perform(DeliveryAction.list(DeliveryFilter(), after: nil, limit: 9))
        }
        #expect(failure?.description.contains("run the command as the user that the service runs as") == true)
    }
}
