internal import HTTPServer
package import JSON
internal import Threading
package import Time

package struct SimulatedDeskSettings: Sendable {
    /// An IPv4 address of this machine.
    package var host = "127.0.0.1"
    /// 0 lets the system choose.
    package var port: UInt16 = 0
    /// The API token that authenticates requests and signs webhooks.
    package var token: String
    package var groupKeys: Set<String> = ["cs-team", "billing"]
    /// The registered keys of tickets' fields.
    package var ticketKeys: Set<String> = ["order", "language"]
    /// The registered keys of customers' fields.
    package var customerKeys: Set<String> = ["plan", "city"]
    package var hasUser: @Sendable (String) -> Bool = { _ in true }
    /// The name of a user of Sendbird Chat, which Desk shows as the customer's.
    package var displayName: @Sendable (String) -> String = { $0 }
    /// The status with which reopening is rejected, such as 404 or 405; with nil, tickets can be reopened.
    package var reopenRefusal: Int?
    /// The number of the first customer or ticket.
    package var firstID: Int64 = 101
    /// The URL that receives Desk's webhooks; nil sends none.
    package var webhookURL: String?
    package var now: @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }
    /// Called for each webhook that was sent or abandoned, on a thread of the simulator.
    package var observer: @Sendable (SimulatedWebhooks.Sent) -> Void = { _ in }

    package init(token: String = SimulatedDeskSettings.newToken()) {
        self.token = token
    }

    package static func newToken() -> String { RandomText.hexadecimal(bytes: 20) }
}

/// A simulated Sendbird Desk: its Platform API, and its webhooks.
///
/// Requests contain the token in `SENDBIRDDESKAPITOKEN`. The owner must call `stop` before releasing it.
package final class SimulatedDesk: Sendable {
    /// An action of support in the dashboard.
    package enum Act: Sendable {
        /// Assigns the ticket, which becomes active.
        case assign
        /// Sets the state, such as `IDLE`.
        case set(state: String)
        case close
    }

    package let token: String
    /// Nil when no webhooks are sent.
    package let webhooks: SimulatedWebhooks?
    private let rules: DeskRules
    private let server: HTTPSimulator

    /// - Throws: when the port is in use, or the URL for webhooks is invalid.
    package init(_ settings: SimulatedDeskSettings, faults: FaultScript = FaultScript()) throws(SimulatorSet.Failure) {
        token = settings.token
        let address = Monitor("")
        let webhooks = try SimulatedWebhooks.start(
            .sendbirdDesk, to: settings.webhookURL, token: settings.token, observer: settings.observer)
        self.webhooks = webhooks
        rules = DeskRules(
            settings, url: { address.withLock { $0 } },
            observer: { event, ticket in
                webhooks?.send(
                    event, ["eventType": .string(event), "createdAt": .string(RFC3339.text(settings.now())), "data": ticket])
            })
        server = try HTTPSimulator(
            .sendbirdDesk, host: settings.host, port: settings.port, tokenHeader: "sendbirddeskapitoken", faults: faults,
            refusal: Self.refusal, routes: rules.routes, webhooks: webhooks)
        let own = "http://\(settings.host):\(server.port)"
        address.withLock { $0 = own }
        url = own
    }

    /// The base of all URLs: `http://127.0.0.1:PORT`.
    package let url: String

    /// Call it once.
    package func stop() { server.stop() }

    /// Performs an action of support.
    /// - Returns: false for an unknown ticket.
    @discardableResult
    package func perform(_ act: Act, onTicket id: Int64) -> Bool {
        rules.act(on: id) { ticket in
            switch act {
            case .assign: return ticket.assign()
            case .set(let state):
                ticket.state = state
                return ["TICKET.STATUS.UPDATED"]
            case .close:
                ticket.state = "CLOSED"
                ticket.closeState = "CLOSED"
                return ["TICKET.STATUS.UPDATED", "TICKET.CLOSED"]
            }
        }
    }

    /// Receives a message from Chat: after the customer's first message, support sees the ticket.
    package func notice(messageFrom userID: String, in channel: String) {
        guard let ticket = ticket(ofChannel: channel), ticket.customer.utf8.elementsEqual(userID.utf8) else { return }
        _ = rules.act(on: ticket.id) { ticket in ticket.handle() }
    }

    /// Returns a ticket in the API's form; nil for an unknown one.
    package func ticket(_ id: Int64) -> JSONValue? {
        rules.records.withLock { records in records.index(of: id).map { records.json(records.tickets[$0]) } }
    }

    func ticket(ofChannel channel: String) -> (id: Int64, customer: String)? {
        guard let id = rules.ticket(ofChannel: channel), let customer = rules.customer(of: id) else { return nil }
        return (id, customer)
    }

    private static func refusal(_ answer: Fault.Answer) -> SimulatorAnswer {
        var refusal = DeskRules.refusal(answer.status, code: answer.reason, detail: "A simulated fault.")
        if let retryAfter = answer.retryAfter { refusal.headers.append(("X-RateLimit-RetryAfter", retryAfter)) }
        return refusal
    }
}
