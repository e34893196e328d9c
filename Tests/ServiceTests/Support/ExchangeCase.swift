import HTTPServer
import TestSupport
import Testing

/// One request and its complete response, for every transport.
struct ExchangeCase: Sendable, CustomTestStringConvertible {
    let name: String
    var method = HTTPServer.Method.post
    var path = "/pyrus/authorize"
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    let status: Int
    let answer: String
    /// Headers that the response must have with these values.
    var answerHeaders: [String: String] = [:]

    var testDescription: String { name }

    func send(to client: InProcessClient) -> ReceivedResponse {
        client.send(method, path, headers: headers, body: body)
    }

    func send(to client: SocketClient) throws -> ReceivedResponse {
        let token = method == .other ? "PUT" : method.token
        let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        let length = body.isEmpty ? "" : "Content-Length: \(body.count)\r\n"
        try client.send(Array("\(token) \(path) HTTP/1.1\r\nHost: localhost\r\n\(lines)\(length)\r\n".utf8) + body)
        return try client.readResponse(hasBody: method != .head)
    }

    func check(_ response: ReceivedResponse) {
        #expect(response.status == status, "\(name)")
        #expect(response.text == answer, "\(name)")
        #expect(response.headers["content-type"] == "application/json", "\(name)")
        for (header, value) in answerHeaders { #expect(response.headers[header] == value, "\(name)") }
    }
}

extension ExchangeCase {
    static func error(_ code: String, _ message: String) -> String {
        #"{"error":"\#(code)","message":"\#(message)"}"#
    }
}
