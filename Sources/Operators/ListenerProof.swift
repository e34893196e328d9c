internal import Configuration
internal import Crypto
internal import HTTPServer
internal import JSON
internal import Threading

/// Proves that a listener knows the admin tokens, so that commands send a token to no other process.
///
/// The caller sends a nonce, and the listener answers with its HMAC under each token, which also covers the address that it listens on. A
/// process that holds the port but not the token cannot answer, and cannot relay the answer of a service that listens elsewhere. The caller
/// accepts the proof of exactly the token that it sends: whoever has a token of a lesser role must not get a greater one.
///
/// Strangers can ask too. They learn how many tokens there are, but not whether one of theirs has a role: the proofs are in the order of
/// their own bytes. Only a token that can be guessed could be found from its proof, and such tokens need `allow_insecure_secrets`.
final class ListenerProof: Sendable {
    /// The length of the nonce in bytes.
    static let nonceCount = 32
    /// Domain separation: this HMAC is valid for nothing else.
    private static let label: StaticString = "deskgate/listener/v1"

    private static let wrongNonce = Response.error(400, "malformed", "nonce: expected \(nonceCount) bytes as base64url.")
    private static let unproven = Response.error(404, "not_found", "No admin token is configured; set admin.token.")

    private let name = Monitor<String?>(nil)

    /// Sets the listener's address once it is known. Before that, no proof is given.
    func listens(on address: ListenAddress) {
        let text = Self.name(of: address)
        name.withLock { $0 = text }
    }

    /// `GET /v1/listener-proof?nonce=`, which needs no token.
    static let route = AdminRoute(
        .get, "/v1/listener-proof", .anyone, summary: "Proves to commands that this listener knows their token.",
        [
            AdminRoute.Parameter(
                "nonce", .query, .matching("^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"), isRequired: true,
                text: "\(nonceCount) random bytes as base64url.")
        ],
        answer: AdminRoute.Answer(
            ["proofs"], ["proofs": Schema.array(Schema.text)],
            text: "The HMACs of the nonce and the listener's address under each admin token, as base64url, in no order of theirs.",
            refusals: [404]),
        .fromMemory { request, _, listener in
            listener.proof.answer(request.queryItems(), listener.services.state.current.tokens)
        })

    fileprivate func answer(_ query: [QueryItem], _ tokens: [AdminToken]) -> Response {
        guard !tokens.isEmpty, let name = name.withLock({ $0 }) else { return Self.unproven }
        guard let values = try? AdminQuery(query).values(of: Self.route.parameters), let nonce = values["nonce"].flatMap(Self.nonce) else {
            return Self.wrongNonce
        }
        guard let proofs = try? Self.proofs(tokens, name, nonce) else {
            return .error(503, "undecided", "The proof could not be made; try again.", headers: [("Retry-After", "1")])
        }
        return Response(
            status: 200, json: ["proofs": .array(proofs.sorted().map { .string($0) })], headers: [("Cache-Control", "no-store")])
    }

    private static func proofs(_ tokens: [AdminToken], _ name: String, _ nonce: [UInt8]) throws(CryptoError) -> [String] {
        var proofs: [String] = []
        for token in tokens { proofs.append(Base64URL.encode(try code(token.secret, name, nonce).span)) }
        return proofs
    }

    /// The proof of a listener on this address.
    /// - Throws: when OpenSSL fails.
    static func code(_ token: SecretBytes, _ address: ListenAddress, _ nonce: [UInt8]) throws(CryptoError) -> InlineArray<32, UInt8> {
        try code(token, name(of: address), nonce)
    }

    private static func code(_ token: SecretBytes, _ name: String, _ nonce: [UInt8]) throws(CryptoError) -> InlineArray<32, UInt8> {
        let key = try token.withSpan { span throws(CryptoError) in try HMACKey<SHA256>(secret: span) }
        return try key.code { message throws(CryptoError) in
            try message.append(label)
            try message.append(nonce.span)
            try message.append(name.utf8.span)
        }
    }

    private static func nonce(_ text: String) -> [UInt8]? {
        Base64URL.decode(text).flatMap { $0.count == nonceCount ? $0 : nil }
    }

    /// The name of an address in the proof, equal on both sides. A Unix socket's path is left out: it may differ in the caller's container,
    /// and only a user who may write to its directory can replace the socket.
    private static func name(of address: ListenAddress) -> String {
        switch address {
        case .tcp: address.onThisMachine.resolved.description
        case .unix: "unix"
        }
    }
}
