import HTTPClient
import JSON
import Simulators
import TestSupport
import Testing
import Threading

/// A client of a simulated Desk.
struct DeskCaller {
    let desk: SimulatedDesk
    let client: Client

    func send(_ method: ClientMethod, path: String, body: JSONObject? = nil, token: String? = nil) throws -> ClientResponse {
        try client.ask(method, url: "\(desk.url)/platform/v1/\(path)", token: ("SENDBIRDDESKAPITOKEN", token ?? desk.token), body: body)
    }

    func status(_ method: ClientMethod, path: String, body: JSONObject? = nil, token: String? = nil) throws -> Int {
        try send(method, path: path, body: body, token: token).status
    }

    /// The response to a request that succeeds.
    func call(_ method: ClientMethod, path: String, body: JSONObject? = nil) throws -> JSONValue {
        let response = try send(method, path: path, body: body)
        #expect(response.status == 200, "\(path)")
        return try #require(JSONValue(parsing: response.body))
    }

    func customer() throws -> JSONValue { try call(.post, path: "customers", body: ["sendbirdId": "user-1"]) }

    func create(_ customer: JSONValue, _ members: JSONObject = [:]) throws -> JSONValue {
        var body: JSONObject = ["channelName": "Order 7", "customerId": customer["id"] ?? .null]
        for member in members.members { body.append(member.value, forKey: member.key) }
        return try call(.post, path: "tickets", body: body)
    }
}

/// A client of a simulated Chat that belongs to a simulated Desk.
struct ChatCaller {
    let sendbird: SimulatedSendbird
    let client: Client

    var chat: SimulatedChat { sendbird.chat }

    func send(_ method: ClientMethod, path: String, body: JSONObject? = nil, token: String? = nil) throws -> ClientResponse {
        try client.ask(method, url: "\(chat.url)/\(path)", token: ("Api-Token", token ?? chat.token), body: body)
    }

    /// The status, and Sendbird's code if the response has one.
    func code(_ method: ClientMethod, path: String, body: JSONObject? = nil, token: String? = nil) throws -> String {
        let response = try send(method, path: path, body: body, token: token)
        return "\(response.status) \(JSONValue(parsing: response.body)?["code"]?.integer ?? 0)"
    }

    /// The response to a request that succeeds.
    func call(_ method: ClientMethod, path: String, body: JSONObject? = nil) throws -> JSONValue {
        let response = try send(method, path: path, body: body)
        #expect(response.status == 200, "\(path)")
        return try #require(JSONValue(parsing: response.body))
    }

    /// Creates `user-1`, who opens a ticket.
    /// - Returns: the ticket's number and channel.
    func ticket() throws -> (id: Int64, channel: String) {
        chat.meet("user-1")
        let desk = DeskCaller(desk: sendbird.desk, client: client)
        let id = try #require(try desk.create(desk.customer())["id"]?.integer)
        return (id, "sendbird_desk_\(id)")
    }
}

extension Client {
    fileprivate func ask(
        _ method: ClientMethod, url: String, token: (name: String, value: String), body: JSONObject?
    ) throws -> ClientResponse {
        let request = try ClientRequest(
            method, url, headers: [token], body: body.map { JSONValue.object($0).serialized() } ?? [],
            timeoutMilliseconds: Int(WaitLimit.milliseconds))
        let end = Monitor<Result<ClientResponse, ClientError>?>(nil)
        send(request) { result in end.update { $0 = result } }
        return try #require(end.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) { $0 }).get()
    }
}
