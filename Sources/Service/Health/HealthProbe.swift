package import Configuration
internal import Crypto
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Threading
internal import Time

/// Asks a running service's public listener for its health, as a container's health check does. It sends no secret.
///
/// If the listener uses TLS, only a server with the certificate of the configuration is accepted, whatever name the certificate is for.
package struct HealthProbe {
    /// Why there is no answer, in one line for a person.
    package struct Failure: Error, CustomStringConvertible {
        /// The cause.
        package let description: String
    }

    /// The answer of a service.
    package struct Answer {
        /// Whether it is alive, or ready, as was asked.
        package let isWell: Bool
        /// Whether chats are authorized, `ready` or `not_ready`; nil where the service does not say so.
        package let authorization: String?
    }

    private let timeoutMilliseconds: Int
    private let address: ListenAddress
    private let tls: TLSIdentity?

    /// Prepares a probe of the service that has a public listener.
    package init(_ listen: Configuration.Listener) {
        self.init(listen.address, tls: listen.settings.tls)
    }

    /// Prepares a probe of a listener.
    /// - Parameters:
    ///   - tls: its certificate; nil when it does not use TLS.
    ///   - timeoutMilliseconds: how long an answer may take.
    init(_ address: ListenAddress, tls: TLSIdentity?, timeoutMilliseconds: Int = TimeLimit.milliseconds(5000)) {
        self.timeoutMilliseconds = timeoutMilliseconds
        self.address = address.onThisMachine
        self.tls = tls
    }

    /// Whether the service answers; with `isReady`, also whether webhooks and registrations can be stored.
    /// - Throws: when no answer comes.
    package func ask(isReady: Bool) throws(Failure) -> Answer {
        if case .tcp(_, 0) = address { throw Failure(description: "the system chooses the port; give listen.port a number") }
        switch try answer(to: isReady ? "/readyz" : "/livez") {
        case .success(let response):
            let authorization = JSONValue(parsing: response.body)?["authorization"]?.text
            return Answer(isWell: response.status == 200, authorization: authorization)
        case .failure(let error): throw Failure(description: "nobody answers at \(address): \(error)")
        }
    }

    /// Whether the listener takes a request and lets the time pass without an answer. Any answer will do, and what keeps the probe itself from
    /// asking, such as a lack of descriptors, says nothing of the listener.
    func isUnanswered() -> Bool {
        guard case .failure(.timeout)? = try? answer(to: "/livez") else { return false }
        return true
    }

    private func answer(to path: String) throws(Failure) -> Result<ClientResponse, ClientError> {
        let result = Monitor<Result<ClientResponse, ClientError>?>(nil)
        let client = try client()
        defer { client.close() }
        client.send(try request(path)) { answer in result.update { $0 = answer } }
        return result.wait { $0 } ?? .failure(.cancelled)
    }

    private var unixSocket: String? {
        if case .unix(let path) = address { path } else { nil }
    }

    private func client() throws(Failure) -> Client {
        var settings = ClientSettings(unixSocket: unixSocket)
        if let tls {
            guard let digest = CertificateKey.digest(ofCertificate: tls.certificate) else {
                throw Failure(description: "the certificate of $.listen.tls cannot be read")
            }
            let server = PinnedServer(certificate: tls.certificate, keyDigest: Base64.encode(digest.span))
            settings = ClientSettings(server: server, unixSocket: unixSocket)
        }
        do throws(ThreadError) {
            return try Client(settings: settings)
        } catch {
            throw Failure(description: error.description)
        }
    }

    private func request(_ path: String) throws(Failure) -> ClientRequest {
        let host = unixSocket == nil ? address.description : "localhost"
        do throws(ClientRequest.Problem) {
            return try ClientRequest(
                .get, "\(tls == nil ? "http" : "https")://\(host)\(path)", headers: [], body: [],
                timeoutMilliseconds: timeoutMilliseconds, responseBodyLimit: 1 << 16)
        } catch {
            throw Failure(description: error.description)
        }
    }
}
