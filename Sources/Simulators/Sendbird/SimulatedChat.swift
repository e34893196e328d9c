internal import HTTPServer
package import JSON
internal import Threading
package import Time

package struct SimulatedChatSettings: Sendable {
    /// The default `appID`.
    package static let usualAppID = "my-app"
    /// The default `requestsPerSecond`: what Sendbird's largest plan allows for all but GET.
    package static let usualRequestsPerSecond = 200

    /// The address, an IPv4 address of this machine.
    package var host = "127.0.0.1"
    /// The port; 0 lets the system choose.
    package var port: UInt16 = 0
    /// The API token that requests must show, and that signs webhooks.
    package var token: String
    package var appID = usualAppID
    /// The address of Chat's webhooks; nil sends none.
    package var webhookURL: String?
    /// Whether webhooks name the members of the channel.
    package var includesMembers = false
    /// The number of requests of each kind that are answered in a second; positive.
    package var requestsPerSecond = usualRequestsPerSecond
    /// The time, in milliseconds since 1970.
    package var now: @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }
    /// Called for each webhook that was sent or given up, on a thread of the simulator.
    package var observer: @Sendable (SimulatedWebhooks.Sent) -> Void = { _ in }

    /// The usual settings, with a token of its own.
    package init(token: String = SimulatedDeskSettings.newToken()) {
        self.token = token
    }
}

/// A simulated Sendbird Chat: its Platform API as far as Deskgate uses it, and its webhooks. Its channels are those of the simulated Desk's
/// tickets.
///
/// Requests show their token in `Api-Token`. The owner must call `stop` before it releases it.
package final class SimulatedChat: Sendable {
    package let token: String
    /// The sender of webhooks; nil when there is no address for them.
    package let webhooks: SimulatedWebhooks?
    /// The beginning of its addresses: `http://127.0.0.1:PORT`.
    package let url: String
    private let rules: ChatRules
    private let server: HTTPSimulator

    /// Starts it.
    /// - Throws: when the port is in use, or the address for webhooks is none.
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

    /// Stops it; call it once.
    func stop() { server.stop() }

    /// Posts a message in the channel of a ticket.
    /// - Returns: the message's number; nil when no ticket has the channel.
    @discardableResult
    package func post(_ post: Post, in channel: String) -> Int64? { rules.post(post, in: channel) }

    /// Changes the `data` of a message, as the vendor's SDK does where the customer answers.
    /// - Returns: false when there is no such message.
    @discardableResult
    package func edit(_ message: Int64, in channel: String, data: String) -> Bool {
        rules.edit(message, in: channel) { $0.data = data } != nil
    }

    /// A message as the API writes it; nil when there is none.
    package func message(_ id: Int64, in channel: String) -> JSONValue? {
        rules.records.withLock { $0.message(id, in: channel) }?.json(in: channel)
    }

    /// Makes a user known, as the first connection of the vendor's SDK does. A known user is unchanged.
    package func meet(_ userID: String) { rules.meet(userID) }

    package func hasUser(_ userID: String) -> Bool { rules.records.withLock { $0.user(userID) } != nil }

    /// The session tokens of a user that have not ended, the oldest first.
    package func sessions(of userID: String) -> [String] {
        let now = rules.settings.now()
        return rules.records.withLock { $0.user(userID) }?.sessions.filter { now < $0.end }.map(\.token) ?? []
    }

    /// The push tokens of a user, the oldest first.
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
