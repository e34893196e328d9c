internal import AdminAPI
package import Configuration
internal import Crypto
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Threading
package import Time

/// Queries a running service's public listener for its health, like a container's health check. It sends no secret.
///
/// If the listener uses TLS, only a server with the certificate of the configuration is accepted, whatever name the certificate is for.
package struct HealthProbe {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        /// Whether a process has the address but does not respond.
        fileprivate(set) var isHang = false
        /// Whether a service responds, but rejects the request.
        fileprivate(set) var isRefusal = false
        package fileprivate(set) var isSilence = false
        /// Whether the service could not be reached, which proves nothing about it.
        package fileprivate(set) var isUnasked = false
        /// Whether something answers that is not Deskgate's public listener.
        package fileprivate(set) var isStranger = false
    }

    package struct Answer {
        /// Whether it is alive, or ready, depending on the request.
        package let isWell: Bool
        /// Whether chats are authorized, `ready` or `not_ready`; nil if the service does not report it.
        package let authorization: String?
    }

    private let timeoutMilliseconds: Int
    private let address: ListenAddress
    private let tls: TLSIdentity?
    private let now: UnixSeconds

    /// Prepares a probe of the service with this public listener.
    package init(_ listen: Configuration.Listener, now: UnixSeconds = SystemClock.unixSeconds()) {
        self.init(listen.address, tls: listen.settings.tls, now: now)
    }

    /// Prepares a probe of a listener.
    /// - Parameters:
    ///   - tls: its certificate; nil when it does not use TLS.
    ///   - now: the time for checking the expiry of a certificate.
    ///   - timeoutMilliseconds: the timeout of a response.
    init(
        _ address: ListenAddress, tls: TLSIdentity?, now: UnixSeconds = SystemClock.unixSeconds(),
        timeoutMilliseconds: Int = TimeLimit.milliseconds(5000)
    ) {
        self.now = now
        self.timeoutMilliseconds = timeoutMilliseconds
        self.address = address.onThisMachine
        self.tls = tls
    }

    /// Whether the service answers; with `isReady`, also whether webhooks and registrations can be stored.
    /// - Throws: when no response arrives, or one that is not Deskgate's.
    package func ask(isReady: Bool) throws(Failure) -> Answer {
        if case .tcp(_, 0) = address {
            throw Failure(description: "the system chooses the port; give listen.port a number", isUnasked: true)
        }
        let path = isReady ? "/readyz" : "/livez"
        switch try answer(to: path) {
        case .success(let response):
            let body = JSONValue(parsing: response.body)
            // For example `too_many_connections`, which does not show the service's health.
            if response.status == 503, let code = body?["error"]?.text {
                throw Failure(
                    description: "the listener at \(address) refuses the request (\(printable(code))); deskgate status shows why",
                    isRefusal: true)
            }
            // Another server with the port could send the same status.
            guard let word = body?["status"]?.text, isReady ? ServiceReadiness(rawValue: word) != nil : word == HealthRoutes.alive else {
                throw Failure(
                    description: "a program other than Deskgate responds at \(address) (GET \(path): \(response.status)); stop it, or give "
                        + "listen another address",
                    isStranger: true)
            }
            let authorization = body?["authorization"]?.text
            return Answer(isWell: response.status == 200, authorization: authorization)
        case .failure(let error):
            if let doubt = certificateProblem(error) { throw Failure(description: "the listener at \(address) is not accepted: \(doubt)") }
            if let hang = ListenerFailure.hang(error, at: address, usesTLS: tls != nil) {
                throw Failure(description: "the listener at \(address) \(hang)", isHang: true)
            }
            throw Failure(description: "nothing answers at \(address): \(error)", isSilence: true)
        }
    }

    /// Returns the reason why the listener does not present the certificate in its file; nil when it does, or does not respond.
    func certificateProblem() -> String? {
        if case .tcp(_, 0) = address { return nil }
        guard case .failure(let error)? = try? answer(to: "/livez") else { return nil }
        return certificateProblem(error)
    }

    private func certificateProblem(_ error: ClientError) -> String? { tls.flatMap { ListenerFailure.certificate(error, $0, now: now) } }

    /// Whether the listener accepts a request and does not respond within the time limit. Any response suffices. A failure of the probe
    /// itself, such as a lack of descriptors, does not show the listener's state.
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
                throw Failure(description: "the certificate of $.listen.tls cannot be read", isUnasked: true)
            }
            let server = PinnedServer(certificate: tls.certificate, keyDigest: Base64.encode(digest.span))
            settings = ClientSettings(server: server, unixSocket: unixSocket)
        }
        do throws(ThreadError) {
            return try Client(settings: settings)
        } catch {
            throw Failure(description: error.description, isUnasked: true)
        }
    }

    private func request(_ path: String) throws(Failure) -> ClientRequest {
        let host = unixSocket == nil ? address.description : "localhost"
        do throws(ClientRequest.Problem) {
            return try ClientRequest(
                .get, "\(tls == nil ? "http" : "https")://\(host)\(path)", headers: [], body: [],
                timeoutMilliseconds: timeoutMilliseconds, responseBodyLimit: 1 << 16)
        } catch {
            throw Failure(description: error.description, isUnasked: true)
        }
    }
}

extension Configuration {
    // A handshake on this machine takes milliseconds. While the service hangs, commands must not wait twice as long as for its health.
    private static let handshakeMilliseconds = TimeLimit.milliseconds(2000)

    /// The listeners of the running service that present another certificate than the one in their file. An expired certificate in a file
    /// causes a separate warning.
    package func certificatesNotInForce(now: UnixSeconds) -> [ConfigurationProblem] {
        [("$.listen.tls.certificate", listen), ("$.admin.tls.certificate", admin.listener)].compactMap { path, listener in
            guard let tls = listener.settings.tls, let end = ListenerFailure.expiry(tls), end > now else { return nil }
            let probe = HealthProbe(listener.address, tls: tls, now: now, timeoutMilliseconds: Self.handshakeMilliseconds)
            return probe.certificateProblem().map {
                ConfigurationProblem(path: path, message: "the listener at \(listener.address) is not accepted: \($0)")
            }
        }
    }
}
