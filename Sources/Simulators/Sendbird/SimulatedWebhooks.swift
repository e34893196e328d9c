internal import Bytes
internal import Crypto
internal import HTTPClient
package import JSON
internal import Threading

/// Sends Desk's webhooks as Sendbird does: signed, in order, one second for an answer, three tries.
///
/// Sources: Sendbird, Desk Platform API v1, "Webhooks": `x-hub-signature: sha1=` and an HMAC over the body with the API token.
package final class SimulatedWebhooks: Sendable {
    /// A webhook that was sent or given up.
    package struct Sent: Sendable, Equatable {
        /// The event's type.
        package let event: String
        /// The body as sent.
        package let body: [UInt8]
        /// How often it was tried.
        package let tries: Int
        /// The status of the last answer; nil when there was none in time.
        package let status: Int?

        /// Whether it was accepted.
        package var isAccepted: Bool { status.map { (200..<300).contains($0) } ?? false }
    }

    private struct State {
        var waiting: [(event: String, body: [UInt8])] = []
        var sent: [Sent] = []
        var isEnding = false
    }

    private enum Step {
        case send(event: String, body: [UInt8])
        case end
    }

    private static let tries = 3
    private static let timeoutMilliseconds = 1000

    private let url: String
    private let key: HMACKey<SHA1>
    private let client: Client
    private let state = Monitor(State())
    private let thread: Monitor<OwnThread?>

    /// Starts the sender.
    /// - Throws: when the address cannot be called, or a thread cannot be started.
    init(to url: String, token: String, observer: @escaping @Sendable (Sent) -> Void) throws {
        // Shows whether the address is one.
        _ = try ClientRequest(.post, url, timeoutMilliseconds: Self.timeoutMilliseconds)
        self.url = url
        key = try HMACKey<SHA1>(secret: token.utf8.span)
        client = try Client(settings: ClientSettings(connectionsPerHost: 1, userAgent: "SendBird"))
        thread = Monitor(nil)
        do {
            let own = try OwnThread { [state, key, client] in
                while case .send(let event, let body)? = state.wait({ Self.next(&$0) }) {
                    let sent = Self.send(event, body, url, key, client)
                    state.update { $0.sent.append(sent) }
                    observer(sent)
                }
            }
            thread.withLock { $0 = own }
        } catch {
            client.close()
            throw error
        }
    }

    /// Every webhook so far, in order.
    package var sent: [Sent] { state.withLock { $0.sent } }

    /// Waits until so many have been sent or given up.
    /// - Returns: false on timeout.
    package func wait(for count: Int, milliseconds: UInt64 = 20_000) -> Bool {
        state.wait(timeoutMilliseconds: milliseconds) { $0.sent.count >= count ? true : nil } != nil
    }

    /// Queues a webhook.
    package func send(_ event: String, _ body: JSONValue) {
        state.update { $0.waiting.append((event, body.serialized())) }
    }

    /// Stops, and lets go what waits; call it once.
    func stop() {
        state.update { $0.isEnding = true }
        // Ends the call that is under way.
        client.close()
        thread.withLock { $0 }?.join()
    }

    private static func next(_ state: inout State) -> Step? {
        if state.isEnding { return .end }
        guard !state.waiting.isEmpty else { return nil }
        let next = state.waiting.removeFirst()
        return .send(event: next.event, body: next.body)
    }

    private static func send(_ event: String, _ body: [UInt8], _ url: String, _ key: HMACKey<SHA1>, _ client: Client) -> Sent {
        guard let signature = try? key.code(of: { message throws(CryptoError) in try message.append(body.span) }),
            let request = try? ClientRequest(
                .post, url,
                headers: [
                    ("Content-Type", "application/json"), ("x-hub-signature", "sha1=\(Hexadecimal.text(signature.span))"),
                ], body: body, timeoutMilliseconds: timeoutMilliseconds, connectTimeoutMilliseconds: timeoutMilliseconds)
        else { preconditionFailure("the address was tried at the start, and OpenSSL works") }
        for number in 1...tries {
            let result = Monitor<Result<ClientResponse, ClientError>?>(nil)
            client.send(request) { answer in result.update { $0 = answer } }
            let status = try? (result.wait { $0 } ?? .failure(.cancelled)).get().status
            let sent = Sent(event: event, body: body, tries: number, status: status)
            if sent.isAccepted || number == tries { return sent }
        }
        preconditionFailure("the last try returns")
    }
}
