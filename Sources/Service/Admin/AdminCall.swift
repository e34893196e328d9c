internal import Crypto
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Threading

/// Asks a running service through its admin listener.
///
/// Where that uses TLS, only the server with the certificate of the configuration is asked, whatever name it is for and whoever has signed it: anybody
/// else would get the token.
struct AdminCall {
    private static let timeoutMilliseconds = 65_000
    private static let answerLimit = 8 << 20

    private static let mistrust =
        "only the server with the certificate of $.admin.tls is told the token; if that file has been replaced, restart the service"

    private let address: ListenAddress
    private let base: String
    private let unixSocket: String?
    private let tls: TLSIdentity?
    private let token: SecretBytes?

    /// Prepares the call; nil when the listener's port is one that the system chooses, which nobody can know.
    init?(_ admin: Configuration.Admin) {
        address = admin.listener.address
        tls = admin.listener.settings.tls
        let host: String
        switch address {
        case .tcp(_, let port):
            guard port != 0 else { return nil }
            (host, unixSocket) = (address.onThisMachine.description, nil)
        case .unix(let path): (host, unixSocket) = ("localhost", path)
        }
        base = "\(tls == nil ? "http" : "https")://\(host)"
        token = admin.token
    }

    /// Does it; nil when nobody listens there.
    func perform(_ action: some AdminAction) throws(AdminAccess.Failure) -> AdminAnswer? {
        switch try send(try request(for: action)) {
        case .success(let response): return try answer(response)
        case .failure(.connect): return nil
        case .failure(.tls(let text)): throw failure("\(ClientError.tls(text)); \(Self.mistrust)")
        case .failure(let error): throw failure("\(error)")
        }
    }

    private func settings() throws(AdminAccess.Failure) -> ClientSettings {
        guard let tls else { return ClientSettings(unixSocket: unixSocket) }
        guard let digest = CertificateKey.digest(ofCertificate: tls.certificate) else {
            throw failure("the certificate of $.admin.tls cannot be read")
        }
        let server = PinnedServer(certificate: tls.certificate, keyDigest: Base64.encode(digest.span))
        return ClientSettings(server: server, unixSocket: unixSocket)
    }

    private func request(for action: some AdminAction) throws(AdminAccess.Failure) -> ClientRequest {
        let parts = action.request
        var headers: [(name: String, value: String)] = []
        if let token {
            let text = token.withSpan { span in span.indices.map { span[$0] } }
            headers.append(("Authorization", "Bearer \(String(decoding: text, as: UTF8.self))"))
        }
        do throws(ClientRequest.Invalid) {
            return try ClientRequest(
                parts.method, base + parts.target, headers: headers, body: parts.body, timeoutMilliseconds: Self.timeoutMilliseconds,
                responseBodyLimit: Self.answerLimit)
        } catch {
            throw failure(error.description)
        }
    }

    private func send(_ request: ClientRequest) throws(AdminAccess.Failure) -> Result<ClientResponse, ClientError> {
        let settings = try settings()
        let client: Client
        do throws(ThreadError) {
            client = try Client(settings: settings)
        } catch {
            throw failure(error.description)
        }
        defer { client.close() }
        let result = Monitor<Result<ClientResponse, ClientError>?>(nil)
        client.send(request) { answer in result.update { $0 = answer } }
        return result.wait { $0 } ?? .failure(.cancelled)
    }

    private func answer(_ response: ClientResponse) throws(AdminAccess.Failure) -> AdminAnswer {
        guard !response.isTruncated, let value = try? JSONDocument(parsing: response.body.span).value(), case .object = value else {
            throw failure("what listens there does not answer as Deskgate does")
        }
        return AdminAnswer(status: response.status, value)
    }

    private func failure(_ reason: String) -> AdminAccess.Failure {
        AdminAccess.Failure(description: "cannot ask the admin listener at \(address): \(reason)")
    }
}
