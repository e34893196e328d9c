internal import HTTPServer
package import JSON
internal import Threading
package import Time

package struct SimulatedChatSettings: Sendable {
    package static let defaultAppID = "my-app"
    /// The limit of Sendbird's largest plan for all methods except GET.
    package static let defaultRequestsPerSecond = 200

    /// An IPv4 address of this machine.
    package var host = "127.0.0.1"
    /// 0 lets the system choose.
    package var port: UInt16 = 0
    /// The API token that authenticates requests and signs webhooks.
    package var token: String
    package var appID = defaultAppID
    /// The URL that receives Chat's webhooks; nil sends none.
    package var webhookURL: String?
    package var includesMembers = false
    /// The limit for each kind of request; positive.
    package var requestsPerSecond = defaultRequestsPerSecond
    package var now: @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }
    /// Called for each webhook that was sent or abandoned, on a thread of the simulator.
    package var observer: @Sendable (SimulatedWebhooks.Sent) -> Void = { _ in }

    package init(token: String = SimulatedDeskSettings.newToken()) {
        self.token = token
    }
}

/// A simulated Sendbird Chat: the parts of its Platform API that Deskgate uses, and its webhooks. Its channels are those of the simulated
/// Desk's tickets.
///
/// Requests contain the token in `Api-Token`. The owner must call `stop` before releasing it.
package final class SimulatedChat: Sendable {
    package let token: String
    /// Nil when no webhooks are sent.
    package let webhooks: SimulatedWebhooks?
    /// The base of all URLs: `http://127.0.0.1:PORT`.
    package let url: String
    private let rules: ChatRules
    private let server: HTTPSimulator

    /// - Throws: when the port is in use, or the URL for webhooks is invalid.
    init(
        _ settings: SimulatedChatSettings, records: Monitor<ChatRecords>, desk: SimulatedDesk, faults: FaultScript
    ) throws(SimulatorSet.Failure) {
        token = settings.token
        let webhooks = try SimulatedWebhooks.start(
            .sendbirdChat, to: settings.webhookURL, token: settings.token, observer: settings.observer)
        self.webhooks = webhooks
        rules = ChatRules(settings, records: records, desk: desk) { category, body in webhooks?.send(category, body) }
        server = try HTTPSimulator(
            .sendbirdChat, host: settings.host, port: settings.port, tokenHeader: "api-token", faults: faults,
            refusal: Self.refusal, routes: rules.routes, webhooks: webhooks)
        url = "http://\(settings.host):\(server.port)"
    }

    /// Call it once.
    func stop() { server.stop() }

    /// Posts a message in the channel of a ticket.
    /// - Returns: the message's number; nil when no ticket has the channel.
    @discardableResult
    package func post(_ post: Post, in channel: String) -> Int64? { rules.post(post, in: channel) }

    /// Changes the `data` of a message, as the vendor's SDK does when the customer answers.
    /// - Returns: false for an unknown message.
    @discardableResult
    package func edit(_ message: Int64, in channel: String, data: String) -> Bool {
        rules.edit(message, in: channel) { $0.data = data } != nil
    }

    /// Returns a message in the API's form; nil for an unknown one.
    package func message(_ id: Int64, in channel: String) -> JSONValue? {
        rules.records.withLock { $0.message(id, in: channel) }?.json(in: channel)
    }

    /// Creates a user, as the first connection of the vendor's SDK does. An existing user is not changed.
    package func meet(_ userID: String) { rules.meet(userID) }

    package func hasUser(_ userID: String) -> Bool { rules.records.withLock { $0.user(userID) } != nil }

    /// Returns a user's valid session tokens, the oldest first.
    package func sessions(of userID: String) -> [String] {
        let now = rules.settings.now()
        return rules.records.withLock { $0.user(userID) }?.sessions.filter { now < $0.end }.map(\.token) ?? []
    }

    /// Returns a user's push tokens, the oldest first.
    /// - Parameter service: `apns`, `gcm` or `huawei`.
    package func pushTokens(of userID: String, _ service: String) -> [String] {
        rules.records.withLock { $0.user(userID) }?.pushTokens[service] ?? []
    }

    private static func refusal(_ answer: Fault.Answer) -> SimulatorAnswer {
        let usual = answer.status == 429 ? ChatRules.Code.rateLimited : ChatRules.Code.notFound
        var refusal = ChatRules.refusal(Int(answer.reason) ?? usual, "A simulated fault.", status: answer.status)
        if let retryAfter = answer.retryAfter { refusal.headers.append(("X-RateLimit-RetryAfter", retryAfter)) }
        return refusal
    }
}
