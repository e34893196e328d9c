internal import JSON
internal import Time

/// The data of a simulated Sendbird Chat: users and the messages of channels, in the terms of its Platform API.
struct ChatRecords {
    struct User {
        let id: String
        var nickname: String
        var profileURL: String
        let createdAt: UnixMilliseconds
        /// The session tokens with their expiries, the oldest first.
        var sessions: [(token: String, end: UnixMilliseconds)] = []
        /// The push tokens of each service, the oldest first.
        var pushTokens: [String: [String]] = [:]
    }

    struct Message {
        let id: Int64
        /// `MESG`, `FILE` or `ADMM`.
        let type: String
        /// The `user_id`; nil for an administrator.
        var sender: String?
        var nickname = ""
        var text = ""
        var customType = ""
        var data = ""
        var file: (name: String, size: Int64)?
        let createdAt: UnixMilliseconds
        var updatedAt: UnixMilliseconds?
    }

    /// The maximum number of a user's push tokens of each service, and of session tokens; the oldest is evicted. Sendbird's own limits are
    /// not simulated.
    private static let tokensOfUser = 20
    /// The number of messages that are stored per channel.
    private static let messagesOfChannel = 200

    private(set) var users = BoundedDictionary<User>(capacity: 50_000)
    private var channels = BoundedDictionary<[Message]>(capacity: 5000)
    private var nextID: Int64 = 8_000_000_001

    func user(_ id: String) -> User? { users[id] }

    mutating func add(_ user: User) { users.set(user, for: user.id) }

    /// - Returns: the changed user; nil for an unknown user.
    mutating func changeUser(_ id: String, _ change: (inout User) -> Void) -> User? {
        users.change(id) { user in
            change(&user)
            return user
        }
    }

    /// - Returns: false for an unknown user.
    mutating func addSession(_ token: String, until end: UnixMilliseconds, to id: String) -> Bool {
        users.change(id) { user -> Void in
            if user.sessions.count == Self.tokensOfUser { user.sessions.removeFirst() }
            user.sessions.append((token, end))
        } != nil
    }

    /// - Returns: false for an unknown user.
    mutating func endSessions(of id: String) -> Bool { users.change(id) { user -> Void in user.sessions = [] } != nil }

    /// - Returns: false for an unknown user.
    mutating func addPushToken(_ token: String, _ service: String, to id: String) -> Bool {
        users.change(id) { user -> Void in
            var tokens = user.pushTokens[service] ?? []
            guard !tokens.contains(token) else { return }
            if tokens.count == Self.tokensOfUser { tokens.removeFirst() }
            tokens.append(token)
            user.pushTokens[service] = tokens
        } != nil
    }

    /// - Returns: false for an unknown user or token.
    mutating func removePushToken(_ token: String, _ service: String, of id: String) -> Bool {
        users.change(id) { user in
            guard let index = user.pushTokens[service]?.firstIndex(of: token) else { return false }
            user.pushTokens[service]?.remove(at: index)
            return true
        } ?? false
    }

    func message(_ id: Int64, in channel: String) -> Message? { channels[channel]?.first { $0.id == id } }

    mutating func add(to channel: String, _ make: (Int64) -> Message) -> Message {
        defer { nextID += 1 }
        let message = make(nextID)
        let isKnown: Void? = channels.change(channel) { messages in
            if messages.count == Self.messagesOfChannel { messages.removeFirst() }
            messages.append(message)
        }
        if isKnown == nil { channels.set([message], for: channel) }
        return message
    }

    /// - Returns: the changed message; nil for an unknown one.
    mutating func change(_ id: Int64, in channel: String, _ change: (inout Message) -> Void) -> Message? {
        let changed = channels.change(channel) { messages -> Message? in
            guard let index = messages.firstIndex(where: { $0.id == id }) else { return nil }
            change(&messages[index])
            return messages[index]
        }
        return changed ?? nil
    }
}

extension ChatRecords.User {
    var json: JSONValue {
        [
            "user_id": .string(id), "nickname": .string(nickname), "profile_url": .string(profileURL), "is_active": true,
            "is_online": false, "access_token": "", "created_at": .integer(Int64(clamping: createdAt.seconds.rawValue)), "metadata": [:],
        ]
    }
}

extension ChatRecords.Message {
    func json(in channel: String) -> JSONValue {
        var message: JSONObject = ["type": .string(type), "channel_url": .string(channel)]
        if let sender { message.append(Self.sender(sender, nickname), forKey: "user") }
        for member in payload.members { message.append(member.value, forKey: member.key) }
        return .object(message)
    }

    var payload: JSONObject {
        var payload: JSONObject = [
            "message_id": .integer(id), "custom_type": .string(customType), "data": .string(data),
            "created_at": .integer(Int64(clamping: createdAt.rawValue)),
            "updated_at": .integer(Int64(clamping: (updatedAt ?? UnixMilliseconds(rawValue: 0)).rawValue)),
        ]
        if let file {
            payload.append(.string(file.name), forKey: "filename")
            payload.append(.integer(file.size), forKey: "filesize")
        } else {
            payload.append(.string(text), forKey: "message")
        }
        return payload
    }

    static func sender(_ id: String, _ nickname: String) -> JSONValue {
        ["user_id": .string(id), "nickname": .string(nickname), "profile_url": "", "metadata": [:]]
    }
}
