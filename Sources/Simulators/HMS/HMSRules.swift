internal import HTTP2Server
internal import JSON
internal import Time
internal import WebTokens

/// The rules of Huawei's Push Kit for a push; its OAuth endpoint is on the same port. The result is the `code` in the body, not the status.
final class HMSRules: SimulatorRules {
    private static let oauthPath = "/oauth2/v3/token"
    private static let payloadLimit = 4096

    private let appID: String
    private let secret: String
    private let tokens: AccessTokens
    private let devices: DeviceRegistry
    private let now: @Sendable () -> UnixMilliseconds

    init(appID: String, secret: String, _ tokens: AccessTokens, _ devices: DeviceRegistry, now: @escaping @Sendable () -> UnixMilliseconds)
    {
        self.appID = appID
        self.secret = secret
        self.tokens = tokens
        self.devices = devices
        self.now = now
    }

    func subject(of request: HTTP2Request) -> Fault.Subject {
        request.path == Self.oauthPath
            ? Fault.Subject(endpoint: .token, tokens: [])
            : Fault.Subject(endpoint: .send, tokens: Self.pushTokens(JSONValue(parsing: request.body)))
    }

    func refusal(_ answer: Fault.Answer, _ request: HTTP2Request) -> SimulatorAnswer {
        var refusal =
            request.path == Self.oauthPath
            ? SimulatorAnswer(status: answer.status, json: ["error": 1101, "error_description": .string(answer.reason)])
            : reply(answer.reason, "a simulated fault", status: answer.status)
        if let retryAfter = answer.retryAfter { refusal.headers.append(("retry-after", retryAfter)) }
        return refusal
    }

    func answer(_ request: HTTP2Request) -> SimulatorAnswer {
        if request.path == Self.oauthPath { return authorize(FormBody(received: request.body)) }
        guard request.method == "POST", request.path.hasPrefix("/v1/"), request.path.hasSuffix("/messages:send") else {
            return SimulatorAnswer(status: 404)
        }
        switch tokens.status(of: request.bearer, now: now().seconds) {
        case .unknown: return reply("80200001", "Oauth authentication error", status: 401)
        case .expired: return reply("80200003", "Oauth Token expired", status: 401)
        case .valid: break
        }
        guard request.path == "/v1/\(appID)/messages:send" else {
            return reply("80300002", "No permission to send message to these tokens")
        }
        return evaluate(request)
    }

    private func authorize(_ form: FormBody) -> SimulatorAnswer {
        guard form["grant_type"] == "client_credentials" else {
            return SimulatorAnswer(status: 400, json: ["error": 1102, "sub_error": 20018, "error_description": "invalid grant_type"])
        }
        guard form["client_id"] == appID, form["client_secret"] == secret else {
            return SimulatorAnswer(status: 400, json: ["error": 1101, "sub_error": 20042, "error_description": "invalid client"])
        }
        return SimulatorAnswer(
            status: 200,
            json: [
                "access_token": .string(tokens.issue(now: now().seconds)), "expires_in": .integer(Int64(tokens.lifetimeSeconds)),
                "token_type": "Bearer",
            ])
    }

    private func evaluate(_ request: HTTP2Request) -> SimulatorAnswer {
        guard let payload = JSONValue(parsing: request.body), let message = payload["message"], message.isObject else {
            return reply("80100003", "Incorrect message structure", status: 400)
        }
        let all = Self.pushTokens(payload)
        guard (1...1000).contains(all.count) else { return reply("80300010", "The number of tokens in the message body is wrong") }
        guard Self.hasContent(message) else { return reply("80100003", "Incorrect message structure", status: 400) }
        guard
            [message["android"], message["data"], message["notification"]].reduce(0, { $0 + ($1?.serialized().count ?? 0) })
                <= Self.payloadLimit
        else { return reply("80300008", "The message body size exceeds the default value") }
        let dead = all.filter { devices.refusal(of: $0, by: .hms) != nil }
        guard dead.count < all.count else { return reply("80300007", "All the tokens are invalid") }
        let push = push(all.first { !dead.contains($0) } ?? "", message: message, payload: payload, request: request)
        guard dead.isEmpty else {
            let reported: JSONValue = [
                "success": .integer(Int64(all.count - dead.count)), "failure": .integer(Int64(dead.count)),
                "illegal_tokens": .array(dead.map { .string($0) }),
            ]
            return reply("80100000", String(decoding: reported.serialized(), as: UTF8.self), push: push)
        }
        return reply("80000000", "Success", push: push)
    }

    private func push(_ token: String, message: JSONValue, payload: JSONValue, request: HTTP2Request) -> SimulatedPush {
        let places = [message["android"]?["notification"], message["notification"]]
        func shown(_ key: String) -> String { places.lazy.compactMap { $0?[key]?.text }.first ?? "" }
        return SimulatedPush(
            provider: .hms, token: token, id: RandomText.hexadecimal(bytes: 16), title: shown("title"), body: shown("body"),
            headers: request.recordableHeaders, payload: payload, isDryRun: payload["validate_only"] == .bool(true))
    }

    private func reply(_ code: String, _ message: String, status: Int = 200, push: SimulatedPush? = nil) -> SimulatorAnswer {
        let id = push?.id ?? RandomText.hexadecimal(bytes: 16)
        return SimulatorAnswer(
            status: status, json: ["code": .string(code), "msg": .string(message), "requestId": .string(id)], push: push)
    }

    /// Whether the message has a notification or data; data must be a string.
    private static func hasContent(_ message: JSONValue) -> Bool {
        let notifications = [message["notification"], message["android"]?["notification"]]
        let data = [message["data"], message["android"]?["data"]]
        return data.allSatisfy { $0.map { $0.text != nil } ?? true } && (notifications + data).contains { $0 != nil }
    }

    private static func pushTokens(_ payload: JSONValue?) -> [String] {
        payload?["message"]?["token"]?.elements.compactMap(\.text) ?? []
    }
}
