import Core
import Crypto
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Service

/// The proof covers the address that the caller connected to, so a process cannot relay the proof of another replica.
@Suite struct ListenerProofAddressTests {
    private let fixture: AdminDeliverFixture

    init() throws {
        fixture = try AdminDeliverFixture()
    }

    /// The service's proofs for a caller that has connected to this address.
    private func proofs(at address: ListenAddress, _ nonce: [UInt8]) throws -> JSONValue? {
        try ListenerProofTests.get(address, "?nonce=\(Base64URL.encode(nonce.span))").object()["proofs"]
    }

    /// The proofs that a command accepts over a connection to this address.
    private func accepted(at address: ListenAddress, _ nonce: [UInt8]) throws -> JSONValue {
        let codes = try fixture.configuration.admin.tokens.map { token in
            Base64URL.encode(try ListenerProof.code(token.secret, address: address, nonce: nonce).span)
        }
        return .array(codes.sorted().map { .string($0) })
    }

    /// A process on 127.0.0.1 of one machine relays to a replica on another machine that listens on all addresses. It reaches the replica
    /// at another address than 127.0.0.1, with the same port.
    @Test(arguments: ["127.0.0.2", "127.1.2.3"])
    func `a listener on all addresses gives a relay no proof for another address`(_ reached: String) throws {
        let server = try fixture.serve(.tcp(host: "0.0.0.0", port: 0))
        defer { server.stop(drainMilliseconds: 1000) }
        guard case .tcp(_, let port) = server.address else {
            Issue.record("no TCP address")
            return
        }
        let nonce = TestSecret.bytes(1)
        let relayed = try proofs(at: .tcp(host: reached, port: port), nonce)
        #expect(try relayed != accepted(at: .tcp(host: "127.0.0.1", port: port), nonce))
        #expect(try relayed == accepted(at: .tcp(host: reached, port: port), nonce))
    }

    @Test func `a Unix socket gives a relay no proof for a port`() throws {
        let directory = try TemporaryDirectory()
        let server = try fixture.serve(.unix(path: directory.path("admin.sock")))
        defer { server.stop(drainMilliseconds: 1000) }
        let nonce = TestSecret.bytes(2)
        let relayed = try proofs(at: server.address, nonce)
        #expect(try relayed != accepted(at: .tcp(host: "127.0.0.1", port: 8081), nonce))
        #expect(try relayed == accepted(at: .unix(path: "/another/path"), nonce))
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.2", "127.1", "localhost", "0.0.0.0", "0", "::", "0:0::0", "::1", "::ffff:127.0.0.1"])
    func `a command accepts the service for any spelling of its address`(_ host: String) throws {
        let server = try fixture.serve(.tcp(host: host, port: 0))
        defer { server.stop(drainMilliseconds: 1000) }
        var configuration = fixture.configuration
        configuration.admin.listener.address = server.address
        let access = AdminAccess(configuration, clocks: ServiceFixture.clocks)
        #expect(try access.performInService(DeliveryAction.list(DeliveryFilter(), after: nil, limit: 9)).status == 200)
    }
}
