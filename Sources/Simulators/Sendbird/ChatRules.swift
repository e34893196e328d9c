internal import Crypto
internal import HTTPServer
internal import JSON
internal import Threading
internal import Time

/// The rules of the Chat Platform API for users: session tokens and push tokens.
///
/// Sources: Sendbird, Chat Platform API v3, "Create a user", "Update a user", "Issue a session token", "Add a registration or device
/// token", "Error codes", "Rate limits". The codes of refusals are inferred where those pages omit them.
final class ChatRules: Sendable {
    /// Receives a category and a webhook's body, in order.
    typealias Observer = @Sendable (_ category: String, _ body: JSONValue) -> Void

    enum Code {
        static let missing = 400105
        static let notAllowed = 400108
        static let tooLong = 400110
        static let invalidValue = 400111
        static let notFound = 400201
        static let exists = 400202
        static let invalidToken = 400401
        static let rateLimited = 500910
    }

    private static let longestUserID = 80
    private static let longestNickname = 80
    private static let defaultLifetimeMilliseconds: UInt64 = 7 * 86_400_000
    /// The services, with the member of a registration that contains the token.
    private static let services = ["apns": "apns_device_token", "gcm": "gcm_reg_token", "huawei": "huawei_device_token"]

    let settings: SimulatedChatSettings
    let records: Monitor<ChatRecords>
    let desk: SimulatedDesk
    let observer: Observer
    private let windows = Monitor((second: UnixSeconds(rawValue: 0), counts: [String: Int]()))

    init(_ settings: SimulatedChatSettings, records: Monitor<ChatRecords>, desk: SimulatedDesk, observer: @escaping Observer) {
        self.settings = settings
        self.records = records
        self.desk = desk
        self.observer = observer
    }

    var routes: [SimulatedRoute] {
        [
            route(.get, path: "/v3/applications/settings/webhook", name: "view_webhook", answer: viewWebhook),
            route(.post, path: "/v3/users", name: "create_user", answer: createUser),
            route(.get, path: "/v3/users/:user", name: "view_user") { [self] call in
                user(call.parameter).map { .ok($0.json) } ?? Self.noUser
            },
            route(.put, path: "/v3/users/:user", name: "update_user", answer: updateUser),
            route(.post, path: "/v3/users/:user/token", name: "issue_session_token", answer: issueToken),
            route(.delete, path: "/v3/users/:user/token", name: "end_sessions") { [self] call in
                records.withLock { $0.endSessions(of: call.parameter) } ? SimulatorAnswer(status: 200) : Self.noUser
            },
            route(.get, path: "/v3/users/:user/push/:service", name: "list_push_tokens", answer: listPushTokens),
            route(.post, path: "/v3/users/:user/push/:service", name: "add_push_token", answer: addPushToken),
            route(.delete, path: "/v3/users/:user/push/:service/:token", name: "remove_push_token", answer: removePushToken),
        ] + messageRoutes
    }

    /// A rejection in the API's own form. Almost all have the status 400.
    static func refusal(_ code: Int, _ message: String, status: Int = 400) -> SimulatorAnswer {
        SimulatorAnswer(status: status, json: ["error": true, "code": .integer(Int64(code)), "message": .string(message)])
    }

    static let noUser = refusal(Code.notFound, "User not found.")

    /// Makes a route that checks the token and counts the request.
    func route(
        _ method: HTTPServer.Method, path: String, name: String, answer: @escaping @Sendable (SimulatedCall) -> SimulatorAnswer
    ) -> SimulatedRoute {
        SimulatedRoute(method, path: path, name: name) { [self] call in
            guard call.token.utf8.elementsEqual(settings.token.utf8) else {
                return Self.refusal(Code.invalidToken, "The API token is invalid.")
            }
            guard isInTime(name) else {
                var refusal = Self.refusal(Code.rateLimited, "Too many requests.", status: 429)
                refusal.headers.append(("X-RateLimit-RetryAfter", "1"))
                return refusal
            }
            return answer(call)
        }
    }

    /// Counts a request of this name; false when the limit of this second is exceeded.
    private func isInTime(_ name: String) -> Bool {
        let now = settings.now().seconds
        return windows.withLock { windows in
            if windows.second != now { windows = (now, [:]) }
            windows.counts[name, default: 0] += 1
            return windows.counts[name, default: 0] <= settings.requestsPerSecond
        }
    }

    // MARK: Users

    private func user(_ id: String) -> ChatRecords.User? { records.withLock { $0.user(id) } }

    private func viewWebhook(_ call: SimulatedCall) -> SimulatorAnswer {
        .ok([
            "webhook": [
                "enabled": .bool(settings.webhookURL != nil), "url": .string(settings.webhookURL ?? ""),
                "include_members": .bool(settings.includesMembers),
                "enabled_events": .array(ChatCategory.allCases.map { .string($0.rawValue) }),
            ]
        ])
    }

    private func createUser(_ call: SimulatedCall) -> SimulatorAnswer {
        guard let id = call.text("user_id"), !id.isEmpty, let nickname = call.text("nickname"), let profileURL = call.text("profile_url")
        else { return Self.refusal(Code.missing, "user_id, nickname and profile_url must be given.") }
        guard id.utf8.count <= Self.longestUserID else { return Self.refusal(Code.tooLong, "user_id is too long.") }
        return records.withLock { records in
            guard records.user(id) == nil else { return Self.refusal(Code.exists, "The user exists.") }
            let user = ChatRecords.User(id: id, nickname: nickname, profileURL: profileURL, createdAt: settings.now())
            records.add(user)
            return .ok(user.json)
        }
    }

    private func updateUser(_ call: SimulatedCall) -> SimulatorAnswer {
        let (nickname, profileURL) = (call.text("nickname"), call.text("profile_url"))
        guard (nickname ?? "").utf16.count <= Self.longestNickname else { return Self.refusal(Code.tooLong, "nickname is too long.") }
        let user = records.withLock { records in
            records.changeUser(call.parameter) { user in
                user.nickname = nickname ?? user.nickname
                user.profileURL = profileURL ?? user.profileURL
            }
        }
        return user.map { .ok($0.json) } ?? Self.noUser
    }

    private func issueToken(_ call: SimulatedCall) -> SimulatorAnswer {
        let now = settings.now()
        var end = now + Self.defaultLifetimeMilliseconds
        if let wanted = call.body?["expires_at"] {
            guard let number = wanted.integer, number > Int64(clamping: now.rawValue) else {
                return Self.refusal(Code.invalidValue, "expires_at is a moment to come, in milliseconds.")
            }
            end = UnixMilliseconds(rawValue: UInt64(number))
        }
        let token = RandomText.hexadecimal(bytes: 20)
        guard records.withLock({ $0.addSession(token, until: end, to: call.parameter) }) else { return Self.noUser }
        return .ok(["token": .string(token), "expires_at": .integer(Int64(clamping: end.rawValue))])
    }

    func meet(_ id: String) {
        records.withLock { records in
            guard records.user(id) == nil else { return }
            records.add(ChatRecords.User(id: id, nickname: "", profileURL: "", createdAt: settings.now()))
        }
    }

    // MARK: Push tokens

    private static let noService = refusal(Code.invalidValue, "The type of a push token is apns, gcm or huawei.")

    private func listPushTokens(_ call: SimulatedCall) -> SimulatorAnswer {
        guard let user = user(call.parameter) else { return Self.noUser }
        let tokens = user.pushTokens[call.parameters[1]] ?? []
        return .ok(["tokens": .array(tokens.map { .string($0) }), "type": .string(call.parameters[1]), "user": user.json])
    }

    private func addPushToken(_ call: SimulatedCall) -> SimulatorAnswer {
        let service = call.parameters[1]
        guard let member = Self.services[service] else { return Self.noService }
        guard let token = call.text(member), !token.isEmpty else { return Self.refusal(Code.missing, "\(member) must be given.") }
        guard records.withLock({ $0.addPushToken(token, service, to: call.parameter) }) else { return Self.noUser }
        return .ok(["token": .string(token), "type": .string(service)])
    }

    private func removePushToken(_ call: SimulatedCall) -> SimulatorAnswer {
        let (service, token) = (call.parameters[1], call.parameters[2])
        guard Self.services[service] != nil else { return Self.noService }
        guard records.withLock({ $0.removePushToken(token, service, of: call.parameter) }) else {
            return Self.refusal(Code.notFound, "There is no such user or push token.")
        }
        return .ok(["token": .string(token), "type": .string(service)])
    }
}

extension SimulatorAnswer {
    static func ok(_ json: JSONValue) -> SimulatorAnswer { SimulatorAnswer(status: 200, json: json) }
}
