internal import Bytes
internal import Crypto
internal import HTTPClient
package import JSON
internal import Threading
internal import Time

/// Sends the webhooks of Desk or of Chat as Sendbird does: signed, in order, with three attempts and a timeout of one second for Desk and
/// five for Chat.
///
/// Sources: Sendbird, Desk Platform API v1, "Webhooks": `x-hub-signature: sha1=` and an HMAC over the body with the API token; Chat
/// Platform API v3, "Webhook overview": `x-sendbird-signature`, an HMAC-SHA-256 over the body with the master API token.
package final class SimulatedWebhooks: Sendable {
    package struct Sent: Sendable, Equatable {
        package let provider: SimulatedProvider
        /// Desk's event type, or Chat's category.
        package let event: String
        package let body: [UInt8]
        /// The number of attempts; 0 when the queue was full.
        package let tries: Int
        /// The status of the last response; nil when there was none in time.
        package let status: Int?

        package var isAccepted: Bool { status.map { (200..<300).contains($0) } ?? false }
    }

    private struct State {
        var waiting: [(event: String, body: [UInt8])] = []
        var sent: [Sent] = []
        var count = 0
        var isEnding = false

        mutating func record(_ webhook: Sent) {
            if sent.count == SimulatedWebhooks.maximumKept { sent.removeFirst() }
            sent.append(webhook)
            count += 1
        }
    }

    private struct SenderProfile: Sendable {
        let header: String
        let timeoutMilliseconds: Int
        let sign: @Sendable ([UInt8]) throws -> String
    }

    private enum Step {
        case send(event: String, body: [UInt8])
        case end
    }

    private static let tries = 3
    /// The maximum number of waiting webhooks, and of stored webhooks that were sent.
    private static let maximumKept = 10_000

    private let provider: SimulatedProvider
    private let client: Client
    private let observer: @Sendable (Sent) -> Void
    private let state = Monitor(State())
    private let thread: Monitor<DedicatedThread?>

    /// - Parameter provider: Sendbird's Desk or Chat.
    /// - Throws: when the URL is invalid, or a thread cannot be started.
    init(_ provider: SimulatedProvider, to url: String, token: String, observer: @escaping @Sendable (Sent) -> Void) throws {
        let manner = try Self.manner(of: provider, token)
        // Checks whether the string is a valid URL.
        _ = try ClientRequest(.post, url, timeoutMilliseconds: manner.timeoutMilliseconds)
        self.provider = provider
        self.observer = observer
        client = try Client(settings: ClientSettings(connectionsPerHost: 1, userAgent: "SendBird"))
        thread = Monitor(nil)
        do {
            let own = try DedicatedThread { [state, client] in
                while case .send(let event, let body)? = state.wait({ Self.next(&$0) }) {
                    let (tries, status) = Self.send(body, to: url, manner: manner, client: client)
                    let sent = Sent(provider: provider, event: event, body: body, tries: tries, status: status)
                    state.update { $0.record(sent) }
                    observer(sent)
                }
            }
            thread.withLock { $0 = own }
        } catch {
            client.close()
            throw error
        }
    }

    /// Starts the sender; nil without a URL.
    static func start(
        _ provider: SimulatedProvider, to url: String?, token: String, observer: @escaping @Sendable (Sent) -> Void
    ) throws(SimulatorSet.Failure) -> SimulatedWebhooks? {
        do {
            return try url.map { url throws in try SimulatedWebhooks(provider, to: url, token: token, observer: observer) }
        } catch {
            throw SimulatorSet.Failure(description: "\(error)")
        }
    }

    private static func manner(of provider: SimulatedProvider, _ token: String) throws -> SenderProfile {
        switch provider {
        case .sendbirdDesk:
            let key = try HMACKey<SHA1>(secret: token.utf8.span)
            return SenderProfile(header: "x-hub-signature", timeoutMilliseconds: TimeLimit.milliseconds(1000)) { body in
                let code = try key.code { message throws(CryptoError) in try message.append(body.span) }
                return "sha1=\(Hexadecimal.text(code.span))"
            }
        case .sendbirdChat:
            let key = try HMACKey<SHA256>(secret: token.utf8.span)
            return SenderProfile(header: "x-sendbird-signature", timeoutMilliseconds: TimeLimit.milliseconds(5000)) { body in
                let code = try key.code { message throws(CryptoError) in try message.append(body.span) }
                return Hexadecimal.text(code.span)
            }
        case .apns, .apnsSandbox, .fcm, .hms, .rustore: preconditionFailure("this provider sends no webhooks")
        }
    }

    /// The last webhooks that were sent or abandoned, in order.
    package var sent: [Sent] { state.withLock { $0.sent } }

    /// Waits until `count` webhooks have been sent or abandoned.
    /// - Returns: false on timeout.
    package func wait(for count: Int, milliseconds: UInt64 = 120_000) -> Bool {
        state.wait(timeoutMilliseconds: milliseconds) { $0.count >= count ? true : nil } != nil
    }

    /// Queues a webhook. When the queue is full, it is dropped.
    package func send(_ event: String, _ body: JSONValue) {
        let bytes = body.serialized()
        let lost = state.update { state -> Sent? in
            guard state.waiting.count >= Self.maximumKept else {
                state.waiting.append((event, bytes))
                return nil
            }
            let lost = Sent(provider: provider, event: event, body: bytes, tries: 0, status: nil)
            state.record(lost)
            return lost
        }
        if let lost { observer(lost) }
    }

    /// Stops, and discards waiting webhooks. Call it once.
    func stop() {
        state.update { $0.isEnding = true }
        // Ends the call in progress.
        client.close()
        thread.withLock { $0 }?.join()
    }

    private static func next(_ state: inout State) -> Step? {
        if state.isEnding { return .end }
        guard !state.waiting.isEmpty else { return nil }
        let next = state.waiting.removeFirst()
        return .send(event: next.event, body: next.body)
    }

    /// Retries until the webhook is accepted.
    /// - Returns: the number of attempts, and the last status; nil when there was no response in time.
    private static func send(_ body: [UInt8], to url: String, manner: SenderProfile, client: Client) -> (tries: Int, status: Int?) {
        let timeout = manner.timeoutMilliseconds
        guard let signature = try? manner.sign(body),
            let request = try? ClientRequest(
                .post, url, headers: [("Content-Type", "application/json"), (manner.header, signature)], body: body,
                timeoutMilliseconds: timeout, connectTimeoutMilliseconds: timeout)
        else { preconditionFailure("the URL was checked at startup, and OpenSSL works") }
        var status: Int?
        for number in 1...tries {
            let result = Monitor<Result<ClientResponse, ClientError>?>(nil)
            client.send(request) { answer in result.update { $0 = answer } }
            status = try? (result.wait { $0 } ?? .failure(.cancelled)).get().status
            if let status, (200..<300).contains(status) { return (number, status) }
        }
        return (tries, status)
    }
}
