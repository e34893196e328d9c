internal import HTTPServer
package import JSON
internal import Threading
package import Time

package struct SimulatedDeskSettings: Sendable {
    /// The address, an IPv4 address of this machine.
    package var host = "127.0.0.1"
    /// The port; 0 lets the system choose.
    package var port: UInt16 = 0
    /// The API token that requests must show, and that signs webhooks.
    package var token: String
    package var groupKeys: Set<String> = ["cs-team", "billing"]
    /// The registered keys of fields of tickets.
    package var ticketKeys: Set<String> = ["order", "language"]
    /// The registered keys of fields of customers.
    package var customerKeys: Set<String> = ["plan", "city"]
    package var hasUser: @Sendable (String) -> Bool = { _ in true }
    /// The name of a user of Sendbird Chat, which Desk shows as the customer's.
    package var displayName: @Sendable (String) -> String = { $0 }
    /// The status with which reopening is refused, as 404 or 405; nil reopens.
    package var reopenRefusal: Int?
    /// The number of the first customer or ticket.
    package var firstID: Int64 = 101
    /// The address of Desk's webhooks; nil sends none.
    package var webhookURL: String?
    /// The time, in milliseconds since 1970.
    package var now: @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }
    /// Called for each webhook that was sent or given up, on a thread of the simulator.
    package var observer: @Sendable (SimulatedWebhooks.Sent) -> Void = { _ in }

    /// The usual settings, with a token of its own.
    package init(token: String = SimulatedDeskSettings.newToken()) {
        self.token = token
    }

    package static func newToken() -> String { RandomText.hexadecimal(bytes: 20) }
}

/// A simulated Sendbird Desk: its Platform API, and its webhooks.
///
/// Requests show their token in `SENDBIRDDESKAPITOKEN`. The owner must call `stop` before it releases it.
package final class SimulatedDesk: Sendable {
    package enum Act: Sendable {
        case assign
        /// The ticket gets this state, such as `IDLE`.
        case set(state: String)
        case close
    }

    package let token: String
    /// The sender of webhooks; nil when there is no address for them.
    package let webhooks: SimulatedWebhooks?
    private let rules: DeskRules
    private let server: HTTPSimulator

    /// Starts it.
    /// - Throws: when the port is in use.
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

    /// The beginning of its addresses: `http://127.0.0.1:PORT`.
    package let url: String

    /// Stops it; call it once.
    package func stop() { server.stop() }

    /// Has support do something.
    /// - Returns: false when there is no such ticket.
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

    /// Learns of a message in Chat: with the customer's first one, support sees the ticket.
    package func notice(messageFrom userID: String, in channel: String) {
        guard let ticket = ticket(ofChannel: channel), ticket.customer.utf8.elementsEqual(userID.utf8) else { return }
        _ = rules.act(on: ticket.id) { ticket in ticket.hear() }
    }

    /// A ticket as the API writes it; nil when there is none.
    package func ticket(_ id: Int64) -> JSONValue? {
        rules.records.withLock { records in records.index(of: id).map { records.json(records.tickets[$0]) } }
    }

    /// The ticket of a channel, and the `user_id` of its customer.
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
