internal import Core
internal import Crypto
internal import HTTPClient
internal import JSON
internal import Time

/// The requests of the help desk, the company's backend, the phones and an operator. Any thread may make them; they block.
struct DemoCaller: Sendable {
    typealias Answer = DemoRequests.Answer

    let requests: DemoRequests
    let ports: DemoPorts
    let secrets: DemoSecrets

    /// The help desk asks whether a person may chat.
    func authorize(_ app: DemoApp, user: String, key: String) throws(DemoFailure) -> Answer {
        try post("/pyrus/authorize", .object(Self.credentials(app, user: user, key: key)))
    }

    private static func credentials(_ app: DemoApp, user: String, key: String) -> JSONObject {
        ["app_id": .string(app.rawValue), "user_id": .string(user), "security_key": .string(key)]
    }

    func register(_ phone: DemoPhone, _ key: String) throws(DemoFailure) -> Answer {
        try post(
            "\(phone.app.prefix)/push-token",
            [
                "app_id": .string(phone.app.rawValue), "user_id": .string(phone.user), "security_key": .string(key),
                "instance_id": .string(phone.device), "type": .string(phone.type), "token": .string(phone.token),
            ])
    }

    func post(_ comment: DemoComment) throws(DemoFailure) -> Answer {
        guard let secret = comment.app.webhook else { preconditionFailure("Sendbird signs its webhooks") }
        // The path ends with a secret, which no error may contain.
        return try send(.post, port: ports.listen, path: "/pyrus/webhook/\(secrets[secret])", shown: "/pyrus/webhook", body: comment.json)
    }

    /// The app of Sendbird Desk requests a session token.
    func session(_ user: String, _ key: String) throws(DemoFailure) -> Answer {
        try post("/sendbird/session-token", .object(Self.credentials(.market, user: user, key: key)))
    }

    /// A customer of Sendbird Desk creates or changes a ticket.
    /// - Parameter act: the end of the path, such as `create`.
    func ticket(_ act: String, user: String, key: String, members: JSONObject) throws(DemoFailure) -> Answer {
        var body = Self.credentials(.market, user: user, key: key)
        for member in members.members { body.append(member.value, forKey: member.key) }
        return try post("/sendbird/tickets/\(act)", .object(body))
    }

    /// A customer's app starts the bot, or confirms a call of the bot.
    /// - Parameter act: `start` or `confirm`.
    func bot(_ act: String, user: String, key: String, members: JSONObject = [:]) throws(DemoFailure) -> Answer {
        var body = Self.credentials(.market, user: user, key: key)
        for member in members.members { body.append(member.value, forKey: member.key) }
        return try post("/bots/\(DemoConfiguration.bot)/\(act)", .object(body))
    }

    func call(_ function: String, _ arguments: JSONValue, ticket: JSONValue) throws(DemoFailure) -> Answer {
        try post("/bots/\(DemoConfiguration.bot)/call", ["ticket": ticket, "name": .string(function), "arguments": arguments])
    }

    /// The company's backend gets a key, with a token that has no other permission.
    /// - Parameter lifetimeSeconds: nil for the default lifetime.
    func mint(_ app: DemoApp, _ user: String, lifetimeSeconds: Int64? = nil) throws(DemoFailure) -> String {
        var body: JSONObject = ["app_id": .string(app.rawValue), "user_id": .string(user)]
        if let lifetimeSeconds { body.append(.integer(lifetimeSeconds), forKey: "ttl_seconds") }
        let answer = try send(.post, port: ports.admin, path: "/v1/keys", body: .object(body), token: .mintToken)
        guard answer.status == 201, let key = answer.body["security_key"]?.text else {
            throw DemoFailure("no key was minted: the response has the status \(answer.status)")
        }
        return key
    }

    /// The company's backend mints a key by itself, as docs/SECURITY-KEY.md describes.
    /// - Parameters:
    ///   - secret: the app's secret with this id.
    ///   - issuedAgo: the age of the key, in seconds.
    ///   - lifetimeSeconds: the seconds until it expires.
    func makeKey(
        _ app: DemoApp, user: String, secret: DemoSecret, keyID: UInt32, issuedAgo: UInt64, lifetimeSeconds: UInt64
    ) throws(DemoFailure) -> String {
        do throws(CryptoError) {
            let bytes = SecretBytes(count: 32) { _ = Base64URL.decode(secrets[secret].utf8.span, into: &$0) }
            let hmac = try bytes.withSpan { span throws(CryptoError) in try HMACKey<SHA256>(secret: span) }
            let issuedAt = SystemClock.unixSeconds().saturating(subtracting: issuedAgo)
            return try SecurityKey.mint(
                appID: app.rawValue.utf8.span, userID: user.utf8.span, keyID: keyID, secret: hmac, issuedAt: issuedAt,
                expiresAt: issuedAt + lifetimeSeconds, salt: randomBytes())
        } catch {
            throw DemoFailure("no key was minted: \(error)")
        }
    }

    func operate(_ path: String, _ body: JSONObject) throws(DemoFailure) {
        try requests.expect(
            200...201, answer: send(.post, port: ports.admin, path: path, body: .object(body), token: .adminToken), what: "POST \(path)")
    }

    func look(_ path: String) throws(DemoFailure) -> JSONValue {
        let answer = try send(.get, port: ports.admin, path: path, body: nil, token: .readToken)
        try requests.expect(200...200, answer: answer, what: "GET \(path)")
        return answer.body
    }

    private func post(_ path: String, _ body: JSONValue) throws(DemoFailure) -> Answer {
        try send(.post, port: ports.listen, path: path, body: body)
    }

    /// - Parameter shown: the path in an error message; nil for `path`.
    private func send(
        _ method: ClientMethod, port: UInt16, path: String, shown: String? = nil, body: JSONValue?, token: DemoSecret? = nil
    ) throws(DemoFailure) -> Answer {
        try requests.send(
            method, url: "http://127.0.0.1:\(port)\(path)", shown: shown ?? path, body: body, bearer: token.map { secrets[$0] })
    }
}
