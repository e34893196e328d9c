internal import Configuration
internal import Crypto
internal import HTTPServer
internal import JSON
internal import Threading

/// Proves that a listener has the admin tokens, so that commands do not send a token to any other process.
///
/// The caller sends a nonce. The listener answers with an HMAC under each token, over the nonce and the address of the connection. A
/// process that uses the port but lacks the token cannot answer. It cannot relay the answer of another replica either, because it reaches
/// that replica at another address than the caller's. Only TLS or a Unix socket prevents a relay that connects from the other replica's own
/// machine to the same loopback address. The caller accepts only the proof of the token that it sends, so that a process with a token of a
/// lesser role cannot obtain a token of a greater role.
///
/// Anyone can request the proofs. The answer reveals the number of tokens, but not the role of a token: the proofs are sorted by their own
/// bytes. Only a token that can be guessed could be found from its proof, and such tokens require `allow_insecure_secrets`.
enum ListenerProof {
    /// The length of the nonce in bytes.
    static let nonceCount = 32
    /// Domain separation: this HMAC is not valid for any other purpose.
    private static let label: StaticString = "deskgate/listener/v1"

    private static let wrongNonce = Response.error(400, code: "malformed", message: "nonce: expected \(nonceCount) bytes as base64url.")
    private static let unproven = Response.error(404, code: "not_found", message: "No admin token is configured; set admin.token.")

    /// `GET /v1/listener-proof?nonce=`, which needs no token.
    static let route = AdminRoute(
        .get, path: "/v1/listener-proof", role: .anyone, summary: "Proves to commands that this listener has their token.",
        parameters: [
            AdminRoute.Parameter(
                "nonce", place: .query, kind: .matching("^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"), isRequired: true,
                text: "\(nonceCount) random bytes as base64url.")
        ],
        answer: AdminRoute.Answer(
            ["proofs"], ["proofs": Schema.array(Schema.text)],
            text: "The HMACs of the nonce and the address that the caller connected to under each admin token, as base64url, in an "
                + "order that does not depend on the tokens.",
            refusals: [404]),
        handling: .fromMemory { request, _, listener in
            answer(request, listener.services.state.current.tokens)
        })

    private static func answer(_ request: borrowing Request, _ tokens: [AdminToken]) -> Response {
        guard !tokens.isEmpty, let address = request.localAddress() else { return unproven }
        let values = try? AdminQuery(request.queryItems()).values(of: route.parameters)
        guard let nonce = values?["nonce"].flatMap(Self.nonce) else { return wrongNonce }
        guard let proofs = try? Self.proofs(tokens, address: address, nonce: nonce) else {
            return .error(503, code: "undecided", message: "The proof could not be computed; retry.", headers: [("Retry-After", "1")])
        }
        return Response(
            status: 200, json: ["proofs": .array(proofs.sorted().map { .string($0) })], headers: [("Cache-Control", "no-store")])
    }

    private static func proofs(_ tokens: [AdminToken], address: String, nonce: [UInt8]) throws(CryptoError) -> [String] {
        var proofs: [String] = []
        for token in tokens { proofs.append(Base64URL.encode(try code(token.secret, address: address, nonce: nonce).span)) }
        return proofs
    }

    /// Returns the proof for a connection to this address.
    /// - Parameter address: from `ListenAddress.onThisMachine`. The path of a Unix socket is omitted: it may differ in the caller's
    ///   container, and only a user who may write to its directory can replace the socket.
    /// - Throws: when OpenSSL fails.
    static func code(_ token: SecretBytes, address: ListenAddress, nonce: [UInt8]) throws(CryptoError) -> InlineArray<32, UInt8> {
        switch address {
        case .tcp: try code(token, address: address.description, nonce: nonce)
        case .unix: try code(token, address: "unix", nonce: nonce)
        }
    }

    private static func code(_ token: SecretBytes, address: String, nonce: [UInt8]) throws(CryptoError) -> InlineArray<32, UInt8> {
        let key = try token.withSpan { span throws(CryptoError) in try HMACKey<SHA256>(secret: span) }
        return try key.code { message throws(CryptoError) in
            try message.append(label)
            try message.append(nonce.span)
            try message.append(address.utf8.span)
        }
    }

    private static func nonce(_ text: String) -> [UInt8]? {
        Base64URL.decode(text).flatMap { $0.count == nonceCount ? $0 : nil }
    }
}
