import Crypto
import HTTPClient
import TestSupport
import Threading

/// Measures consecutive calls on one persistent connection and on a new connection each (`ClientSettings.keepsConnections`), with the
/// server in this process. The times include the server's work for a new connection.
enum ConnectionCosts {
    private static let timeoutMilliseconds = 30_000

    /// The costs, in the order of the table.
    /// - Throws: when there is no server to call.
    static func measure(_ stopwatch: Stopwatch) throws -> [Cost] {
        let certificate = try LoopbackCertificate()
        let directory = try TemporaryDirectory()
        try directory.write("ca.pem", certificate.authority)
        let tls = try TLSServerContext(certificate: certificate.certificate, key: certificate.key, speaksHTTP2: false)
        let ways: [(name: String, keepsConnections: Bool, tls: TLSServerContext?)] = [
            ("call: HTTP, a kept connection", true, nil), ("call: HTTP, its own connection", false, nil),
            ("call: TLS, a kept connection", true, tls), ("call: TLS, its own, session resumed", false, tls),
        ]
        return try ways.map { name, keepsConnections, tls in
            let server = try ScriptedServer(.everyRequest(.respond(200)), tls: tls)
            defer { server.stop() }
            let client = try Client(
                settings: ClientSettings(keepsConnections: keepsConnections, certificateAuthorities: directory.path("ca.pem")))
            defer { client.close() }
            let url = server.url()
            return stopwatch.measure(name) { call(client, url) }
        }
    }

    /// Sends one request and waits for its response.
    private static func call(_ client: Client, _ url: String) -> Int {
        guard let request = try? ClientRequest(.post, url, body: [1], timeoutMilliseconds: timeoutMilliseconds) else {
            preconditionFailure("the server has a URL")
        }
        let status = Monitor<Int?>(nil)
        client.send(request) { result in
            status.update { $0 = if case .success(let response) = result { response.status } else { 0 } }
        }
        let received = status.wait { $0 }
        precondition(received == 200, "the server answers every request")
        return 1
    }
}
