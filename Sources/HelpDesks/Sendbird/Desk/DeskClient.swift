internal import Configuration
package import Core
internal import Crypto
internal import HTTPClient
internal import HelpDesk
internal import JSON
internal import Threading

/// Calls the Desk Platform API of one app, and Chat's when tickets need it. Safe on any thread.
package struct DeskClient: Sendable {
    let desk: PlatformClient
    let chat: PlatformClient

    /// The owner keeps the clients open.
    package init(desk: PlatformClient, chat: PlatformClient) {
        self.desk = desk
        self.chat = chat
    }

    init(_ appID: String, settings: Configuration.Sendbird, services: HelpDeskServices) {
        let observer = PlatformObserver(
            app: appID, requests: services.metrics.helpDeskRequests, durations: services.metrics.helpDeskDurations, logger: services.logger)
        observer.expect(DeskRequests.names + DeskRequests.chatNames)
        func client(_ api: PlatformAPI, url: String, tokens: [SecretBytes]) -> PlatformClient {
            PlatformClient(
                api, baseURL: url, tokens: tokens,
                timeoutMilliseconds: settings.timeoutMilliseconds ?? PlatformClient.defaultTimeoutMilliseconds, clocks: services.clocks,
                observer: observer
            ) { [client = services.client] in
                client.send($0, for: appID, completion: $1)
            }
        }
        desk = client(.desk, url: settings.deskURL, tokens: settings.deskTokens)
        chat = client(.chat, url: settings.chatURL, tokens: settings.chatTokens)
    }

    /// Finds the ticket of a conversation, and thus the customer. Does not block.
    /// - Parameters:
    ///   - limit: the timeout in milliseconds; nil for the default.
    ///   - completion: called exactly once, perhaps before this returns; nil when no ticket has this channel.
    package func ticket(
        ofChannel channel: String, withinMilliseconds limit: UInt64? = nil,
        _ completion: @escaping @Sendable (Result<Ticket?, PlatformError>) -> Void
    ) {
        desk.send(DeskRequests.list(ofChannel: channel), withinMilliseconds: limit) { answer in
            completion(
                answer.flatMap { json in
                    guard let list = DeskList(json, limit: 2) else { return .failure(Self.malformed) }
                    return .success(list.ticket(ofChannel: channel))
                })
        }
    }

    private static let malformed = PlatformError.unavailable(reason: DeskTickets.malformed, mayHaveArrived: true)

    func ask(_ request: PlatformRequest) throws(PlatformError) -> JSONValue { try Self.wait(for: request, from: desk) }

    func askChat(_ request: PlatformRequest) throws(PlatformError) -> JSONValue { try Self.wait(for: request, from: chat) }

    /// Sends the requests to Desk concurrently, and waits for all.
    func ask(all requests: [PlatformRequest]) throws(PlatformError) -> [JSONValue] {
        var values: [JSONValue] = []
        for answer in Self.wait(forEach: requests, from: desk) { values.append(try answer.get()) }
        return values
    }

    /// Sends the requests to Chat concurrently, and waits for all.
    func askChat(each requests: [PlatformRequest]) -> [Result<JSONValue, PlatformError>] { Self.wait(forEach: requests, from: chat) }

    private static func wait(forEach requests: [PlatformRequest], from client: PlatformClient) -> [Result<JSONValue, PlatformError>] {
        let answers = Monitor<[Int: Result<JSONValue, PlatformError>]>([:])
        for (index, request) in requests.enumerated() {
            client.send(request) { answer in answers.update { $0[index] = answer } }
        }
        let all = answers.wait { $0.count == requests.count ? $0 : nil } ?? [:]
        return requests.indices.map { all[$0] ?? .failure(malformed) }
    }

    private static func wait(for request: PlatformRequest, from client: PlatformClient) throws(PlatformError) -> JSONValue {
        let answer = Monitor<Result<JSONValue, PlatformError>?>(nil)
        client.send(request) { result in answer.update { $0 = result } }
        // Every request has its own timeout.
        return try (answer.wait { $0 } ?? .failure(malformed)).get()
    }
}
