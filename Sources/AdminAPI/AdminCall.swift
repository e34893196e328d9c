internal import Bytes
internal import Configuration
internal import Crypto
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import POSIX
internal import Threading
internal import Time

package struct AdminRequest: Sendable {
    let method: ClientMethod
    let target: String
    let body: [UInt8]

    /// - Parameter path: must need no percent escapes.
    init(_ method: ClientMethod, _ path: String, query: [(name: String, text: String)] = [], body: [UInt8] = []) {
        self.method = method
        let parts = query.map { "\($0.name)=\(Self.escaped($0.text))" }
        target = path + (parts.isEmpty ? "" : "?\(parts.joined(separator: "&"))")
        self.body = body
    }

    /// Percent-encodes all bytes but the unreserved ones (RFC 3986 section 2.3).
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 { bytes.append(percentEncoding: byte) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Sends an action to a running service through its admin listener, after the listener has proven that it has the token to be sent.
///
/// Any local user can listen on the port of a stopped service. So the token is sent only on the connection that carried its proof. If the
/// listener uses TLS, only a server with the certificate of the configuration is accepted, whatever name the certificate is for.
struct AdminCall {
    enum Outcome {
        case answered(AdminAnswer)
        case nobody
        /// The listening process has not proven itself, because it is another program or hangs, and did not get the token; the text
        /// explains this to a person.
        case stranger(String)
    }

    private static let timeoutMilliseconds: Int = TimeLimit.milliseconds(65_000)
    private static let proofTimeoutMilliseconds: Int = TimeLimit.milliseconds(5_000)
    private static let answerLimit = 8 << 20

    private let address: ListenAddress
    private let base: String
    private let unixSocket: String?
    private let tls: TLSIdentity?
    private let tokens: [AdminToken]
    private let author: String?

    /// Prepares the call; nil when the configured port is 0, because the system's choice is unknown.
    /// - Parameters:
    ///   - tokens: those with a sufficient role; the first one that the listener has is sent.
    ///   - author: the author of a change; nil for an action that changes nothing.
    init?(_ admin: Configuration.Admin, tokens: [AdminToken], author: String? = nil) {
        address = admin.listener.address.onThisMachine
        tls = admin.listener.settings.tls
        let host: String
        switch address {
        case .tcp(_, let port):
            guard port != 0 else { return nil }
            (host, unixSocket) = (address.description, nil)
        case .unix(let path): (host, unixSocket) = ("localhost", path)
        }
        base = "\(tls == nil ? "http" : "https")://\(host)"
        (self.tokens, self.author) = (tokens, author)
    }

    /// Runs the action.
    /// - Throws: when a proven service could not be called, or this user may not open the socket.
    func perform(_ action: some AdminAction) throws(AdminAccess.Failure) -> Outcome {
        if let unixSocket, try !isListening(unixSocket) { return .nobody }
        let client = try client()
        defer { client.close() }
        switch try prove(client) {
        case .proven(let token): return .answered(try ask(action, token: token, client: client))
        case .nobody: return .nobody
        case .hang(let text): return .stranger(text)
        case .stranger(let reason):
            return .stranger(
                "\(address) is held by a process that has not proven to know the admin token (\(reason)), and did not get it; "
                    + AdminListenerIdentity.remedy)
        }
    }

    /// The process at the address.
    /// - Throws: when it could not be called, for example because this user may not open the socket.
    func identity() throws(AdminAccess.Failure) -> AdminListenerIdentity {
        if let unixSocket, try !isListening(unixSocket) { return .nobody }
        let client = try client()
        defer { client.close() }
        return switch try prove(client) {
        case .proven: .service
        case .nobody: .nobody
        case .hang(let text): .hangs(text)
        case .stranger(let reason): .unproven(reason)
        }
    }

    /// Whether a process listens on a Unix socket. Throws when this user may not open it, because the answer is unknown then.
    private func isListening(_ path: String) throws(AdminAccess.Failure) -> Bool {
        do throws(SystemError) {
            try UnixSocket.probe(path)
            return true
        } catch {
            if error.isMissing || error.isRefused { return false }
            let reason = "\(error); run the command as the user that the service runs as\(Self.line(at: path))"
            throw AdminAccess.Failure(description: failure(reason).description, isForbidden: error.isForbidden)
        }
    }

    /// The command line for the user of a socket, as the end of a sentence; empty for root's.
    private static func line(at path: String) -> String {
        guard let (place, owner) = FileSystem.visibleOwner(of: path), owner != 0 else { return "" }
        return "; as root, or with sudo: \(FileOwner(id: owner, at: place).line("deskgate …"))"
    }

    private func client() throws(AdminAccess.Failure) -> Client {
        let settings = try settings()
        do throws(ThreadError) {
            return try Client(settings: settings)
        } catch {
            throw failure(error.description)
        }
    }

    private func settings() throws(AdminAccess.Failure) -> ClientSettings {
        guard let tls else { return ClientSettings(unixSocket: unixSocket, staysOnFirstConnection: true) }
        guard let digest = CertificateKey.digest(ofCertificate: tls.certificate) else {
            throw failure("the certificate of $.admin.tls cannot be read")
        }
        let server = PinnedServer(certificate: tls.certificate, keyDigest: Base64.encode(digest.span))
        return ClientSettings(server: server, unixSocket: unixSocket, staysOnFirstConnection: true)
    }

    private func failure(_ reason: String) -> AdminAccess.Failure {
        AdminAccess.Failure(description: "cannot ask the admin listener at \(address): \(reason)")
    }
}

extension AdminCall {
    private enum Proof {
        case proven(SecretBytes)
        case nobody
        case hang(String)
        case stranger(reason: String)
    }

    /// One sentence; nil when the process responds.
    private func hang(_ error: ClientError) -> String? {
        ListenerFailure.hang(error, at: address, usesTLS: tls != nil).map { "the admin listener at \(address) \($0)" }
    }

    /// Verifies the listener's proof that it has one of the tokens.
    private func prove(_ client: Client) throws(AdminAccess.Failure) -> Proof {
        let nonce = try nonce()
        let query = [(name: "nonce", text: Base64URL.encode(nonce.span))]
        let question = try request(
            AdminRequest(.get, "\(ListenerProof.route.path)", query: query), timeoutMilliseconds: Self.proofTimeoutMilliseconds)
        switch send(question, client) {
        case .failure(let error):
            if let text = hang(error) { return .hang(text) }
            if error == .connect { return .nobody }
            let certificate = tls.flatMap { ListenerFailure.certificate(error, $0, now: SystemClock.unixSeconds()) }
            return .stranger(reason: certificate ?? error.description)
        case .success(let response):
            guard response.status == 200 else { return .stranger(reason: "it answered with the status \(response.status)") }
            guard let token = try known(Self.proofs(in: response), nonce) else {
                return .stranger(reason: "its proof is wrong or for another address")
            }
            return .proven(token)
        }
    }

    private func nonce() throws(AdminAccess.Failure) -> [UInt8] {
        do throws(CryptoError) {
            let random: InlineArray<32, UInt8> = try randomBytes()
            return Array(copying: random.span)
        } catch {
            throw failure(error.description)
        }
    }

    /// The first of the tokens with a valid proof.
    private func known(_ proofs: [[UInt8]], _ nonce: [UInt8]) throws(AdminAccess.Failure) -> SecretBytes? {
        for token in tokens {
            do throws(CryptoError) {
                let expected = try ListenerProof.code(token.secret, address: address, nonce: nonce)
                if proofs.contains(where: { constantTimeEquals($0.span, expected.span) }) { return token.secret }
            } catch {
                throw failure(error.description)
            }
        }
        return nil
    }

    private static func proofs(in response: ClientResponse) -> [[UInt8]] {
        guard let value = try? JSONDocument(parsing: response.body.span).value(), case .object(let object) = value,
            case .array(let proofs) = object["proofs"]
        else { return [] }
        return proofs.compactMap { proof in
            guard case .string(let text) = proof else { return nil }
            return Base64URL.decode(text)
        }
    }

    private func ask(_ action: some AdminAction, token: SecretBytes, client: Client) throws(AdminAccess.Failure) -> AdminAnswer {
        let text = token.withSpan { span in Array(copying: span) }
        var headers = [(name: "Authorization", value: "Bearer \(String(decoding: text, as: UTF8.self))")]
        if let author, action.change != nil { headers.append(("\(AuthorHeader.name)", author)) }
        switch send(try request(action.request, headers: headers, timeoutMilliseconds: Self.timeoutMilliseconds), client) {
        case .success(let response): return try answer(response)
        case .failure(.connect): throw failure("it closed the connection before the request; try again")
        case .failure(let error):
            if let text = hang(error) { throw AdminAccess.Failure(description: text) }
            throw failure("\(error)")
        }
    }

    private func request(
        _ parts: AdminRequest, headers: [(name: String, value: String)] = [], timeoutMilliseconds: Int
    ) throws(AdminAccess.Failure) -> ClientRequest {
        do throws(ClientRequest.Problem) {
            return try ClientRequest(
                parts.method, base + parts.target, headers: headers, body: parts.body, timeoutMilliseconds: timeoutMilliseconds,
                responseBodyLimit: Self.answerLimit)
        } catch {
            throw failure(error.description)
        }
    }

    private func send(_ request: ClientRequest, _ client: Client) -> Result<ClientResponse, ClientError> {
        let result = Monitor<Result<ClientResponse, ClientError>?>(nil)
        client.send(request) { answer in result.update { $0 = answer } }
        return result.wait { $0 } ?? .failure(.cancelled)
    }

    private func answer(_ response: ClientResponse) throws(AdminAccess.Failure) -> AdminAnswer {
        guard !response.isTruncated, let value = try? JSONDocument(parsing: response.body.span).value(), case .object = value else {
            throw failure("the program that listens there does not answer as Deskgate does")
        }
        return AdminAnswer(status: response.status, value)
    }
}
