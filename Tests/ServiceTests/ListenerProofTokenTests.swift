import Core
import Crypto
import HTTPServer
import JSON
import Storage
import TestSupport
import Testing
import Threading

@testable import AdminAPI
@testable import Configuration
@testable import Service

/// Commands and listeners with tokens of several roles: a command sends a token with a sufficient role, and only to a listener that has
/// proved to have it.
@Suite struct ListenerProofTokenTests {
    private let directory: TemporaryDirectory
    private let configuration: Configuration

    init() throws {
        directory = try TemporaryDirectory()
        configuration = try AdminDeliverFixture.configuration(storedIn: directory)
    }

    private func store() throws -> SQLiteStore {
        try SQLiteStore(path: directory.path("store.db"))
    }

    /// A process with a token of a lesser role must not get a greater one from a command.
    @Test(arguments: [AdminToken.Role.mint, .read]) func `a command sends a listener only tokens that it has`(_ known: AdminToken.Role)
        throws
    {
        try store().close()
        var configuration = configuration
        configuration.admin.tokens.removeFirst()
        let token = try #require(configuration.admin.tokens.first { $0.role == known }?.secret)
        let address = Monitor<ListenAddress?>(nil)
        let server = try Server(
            .tcp(host: "127.0.0.1", port: 0), router: ListenerProofTests.closing(token, address), settings: ServerSettings(threads: 1))
        defer { server.stop(drainMilliseconds: 1000) }
        address.update { $0 = server.address }
        configuration.admin.listener.address = server.address
        var remarks: [String] = []
        let answer = try AdminAccess(configuration).perform(DeliveryAction.retry(DeliveryFilter())) { remarks.append($0) }
        #expect(answer.json["retried"] == 0)
        #expect(remarks.count == 1)
        #expect(remarks.first?.contains("(its proof is wrong or for another address)") == true)
    }

    /// The command uses its first token with a sufficient role that the service has; during a rotation that may be either one.
    @Test(arguments: [AdminToken.Role.read, .operate]) func `any token with a sufficient role is used`(_ role: AdminToken.Role) throws {
        let fixture = try AdminDeliverFixture()
        let server = try fixture.serve(.tcp(host: "127.0.0.1", port: 0))
        defer { server.stop(drainMilliseconds: 1000) }
        var configuration = fixture.configuration
        configuration.admin.listener.address = server.address
        let unknown = AdminToken(.operate, SecretBytes(copying: TestSecret.bytes(250).span), name: "unknown", index: 0)
        configuration.admin.tokens = [unknown] + configuration.admin.tokens.filter { !$0.hasAllRoles && $0.role == role }
        let access = AdminAccess(configuration, clocks: ServiceFixture.clocks)
        #expect(try access.perform(DeliveryAction.list(DeliveryFilter(), after: nil, limit: 9)).status == 200)
        if role == .operate { #expect(try access.perform(DeliveryAction.retry(DeliveryFilter())).status == 200) }
        let lines = try fixture.log.lines().filter { $0.contains(" audit ") && $0.contains(" role=operate token=operate-holder ") }
        #expect(lines.count == (role == .operate ? 1 : 0))
    }

    /// Without a sufficient token the command sends no request, and reports the missing role.
    @Test func `a token without the role is not sent`() throws {
        let store = try store()
        let rogue = try ScriptedServer(.everyRequest(.respond(404)))
        defer { rogue.stop() }
        var configuration = configuration
        configuration.admin.tokens.removeAll { $0.role == .operate }
        configuration.admin.listener.address = .tcp(host: "127.0.0.1", port: rogue.port)
        let failure = #expect(throws: AdminAccess.Failure.self) {
            try AdminAccess(configuration).perform(DeliveryAction.retry(DeliveryFilter()))
        }
        let lack =
            "a running service is called with an admin token of the role operate, and none is configured; "
            + "add one to admin.tokens, or set admin.token"
        #expect(failure?.description.contains(lack) == true)
        store.close()
        var remarks: [String] = []
        #expect(try AdminAccess(configuration).perform(DeliveryAction.retry(DeliveryFilter())) { remarks.append($0) }.status == 200)
        #expect(remarks == [lack])
        #expect(rogue.requests.isEmpty)
    }

    /// One proof for each token; others cannot assign the proofs to tokens.
    @Test func `the proofs are not in the order of the tokens`() throws {
        let fixture = try AdminDeliverFixture()
        let server = try fixture.serve(.tcp(host: "127.0.0.1", port: 0))
        defer { server.stop(drainMilliseconds: 1000) }
        for number in 0..<8 {
            let nonce = TestSecret.bytes(number)
            let shown = try ListenerProofTests.get(server.address, "?nonce=\(Base64URL.encode(nonce.span))").object()["proofs"]
            let expected = try fixture.configuration.admin.tokens.map { token in
                Base64URL.encode(try ListenerProof.code(token.secret, address: server.address, nonce: nonce).span)
            }
            #expect(expected.count == 4)
            #expect(shown == .array(expected.sorted().map { .string($0) }))
        }
    }
}
