import Core
import HTTPClient
import Notifiers
import TestSupport
import Testing

/// Responses of token servers on real sockets, through Huawei's source, which shares its exchange with Google's.
struct TokenExchangeTests {
    private static func fetched(_ steps: ScriptedStep...) throws -> Fetched? {
        var fetched: Fetched?
        try ExchangeFixture.with(.connections([[.readRequest] + steps])) { fetched = try $0.huawei().fetched() }
        return fetched
    }

    @Test(arguments: [
        (400, #"{"error":"invalid_client"}"#, "token_invalid_client"),
        (401, #"{"error":"unauthorized_client"}"#, "token_unauthorized_client"),
        (403, #"{"error":"access_denied"}"#, "token_access_denied"), (404, "<html>", "token_status_404"), (400, "", "token_status_400"),
        (400, #"{"error":"a word of the server's own"}"#, "token_status_400"), (400, #"{"error":{"code":1}}"#, "token_status_400"),
        (400, #"{"error":-5}"#, "token_status_400"), (400, #"{"error":123456}"#, "token_status_400"), (400, "[1]", "token_status_400"),
        (200, #"{"error":"invalid_grant"}"#, "token_invalid_grant"),
    ])
    func `refusals have stable reasons`(status: Int, body: String, reason: String) throws {
        #expect(try Self.fetched(.respond(status, body: body)) == .refused(reason, providerUnixSeconds: nil))
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 301, 307])
    func `temporary failures make the server unavailable`(status: Int) throws {
        let body = #"{"error":"invalid_grant"}"#
        #expect(try Self.fetched(.respond(status, body: body)) == .unavailable("token_status_\(status)", retryAfter: nil))
    }

    @Test func `both forms of Retry-After are parsed`() throws {
        #expect(
            try Self.fetched(.respond(429, headers: ["Retry-After: 7"])) == .unavailable("token_status_429", retryAfter: 7000))
        #expect(
            try Self.fetched(.respond(503, headers: ["Retry-After: Tue, 14 Nov 2023 22:14:20 GMT"]))
                == .unavailable("token_status_503", retryAfter: 60_000))
    }

    @Test(arguments: [
        "", "{", "[]", "null", "<html>welcome to the hotel</html>", "{}", #"{"access_token":null}"#, #"{"expires_in":3600}"#,
        #"{"access_token":"","expires_in":3600}"#, #"{"access_token":5,"expires_in":3600}"#, #"{"access_token":"a","expires_in":"soon"}"#,
        #"{"access_token":"a","expires_in":0}"#, #"{"access_token":"a","expires_in":-1}"#, #"{"access_token":"a","expires_in":0.5}"#,
        #"{"access_token":"a","expires_in":"nan"}"#, #"{"access_token":"a","expires_in":"inf"}"#, #"{"access_token":"a","expires_in":""}"#,
        #"{"access_token":"a","expires_in":-3599.0}"#, #"{"access_token":"a","expires_in":true}"#,
        #"{"access_token":"a","expires_in":[60]}"#,
        #"{"access_token":"a b","expires_in":3600}"#, #"{"access_token":"a\r\nX-Evil: 1","expires_in":3600}"#,
        #"{"access_token":"é","expires_in":3600}"#, #"{"access_token":"a","expires_in":3600,"token_type":"mac"}"#,
        #"{"access_token":"a","access_token":"b","expires_in":3600}"#, #"{"access_token":"a","expires_in":3600}}"#,
    ])
    func `an invalid response is rejected`(body: String) throws {
        #expect(try Self.fetched(.respond(200, body: body)) == .unavailable("token_malformed", retryAfter: nil))
    }

    @Test func `a response that is too long is rejected`() throws {
        let body = #"{"access_token":"a","expires_in":3600,"more":""# + String(repeating: "x", count: 70_000) + "\"}"
        #expect(try Self.fetched(.respond(200, body: body)) == .unavailable("token_malformed", retryAfter: nil))
        let long = #"{"expires_in":3600,"access_token":""# + String(repeating: "x", count: 16_385) + "\"}"
        #expect(try Self.fetched(.respond(200, body: long)) == .unavailable("token_malformed", retryAfter: nil))
    }

    @Test(arguments: [
        #"{"access_token":"a.b-c_d~e+f/g=","expires_in":60,"token_type":"BEARER"}"#,
        #"{"expires_in":60,"access_token":"a.b-c_d~e+f/g=","scope":"x"}"#,
    ])
    func `a token is used unchanged`(body: String) throws {
        #expect(try Self.fetched(.respond(200, body: body)) == .token("a.b-c_d~e+f/g=", lifetime: 60_000))
    }

    @Test(
        arguments: [
            (#""expires_in":"3599""#, 3599), (#""expires_in":3599.0"#, 3599), (#""expires_in":"3599.0""#, 3599),
            (#""expires_in":3599.9"#, 3599),
            (#""expires_in":3.599e3"#, 3599), (#""expires_in":null"#, 300), (#""scope":null"#, 300),
            (#""expires_in":60,"token_type":null"#, 60), (#""expires_in":60,"error":null"#, 60),
            (#""expires_in":60,"error":null,"error_description":null,"refresh_token":null"#, 60),
            (#""expires_in":60,"sub_error":null,"error_codes":null,"token_type":"bearer""#, 60),
        ] as [(String, UInt64)])
    func `members are parsed in the forms that servers send`(members: String, seconds: UInt64) throws {
        let body = #"{"access_token":"a",\#(members)}"#
        #expect(try Self.fetched(.respond(200, body: body)) == .token("a", lifetime: seconds * 1000))
    }

    @Test func `an unlimited lifetime does not overflow`() throws {
        let body = #"{"access_token":"a","expires_in":9223372036854775807}"#
        #expect(try Self.fetched(.respond(200, body: body)) == .token("a", lifetime: 9_223_372_036_854_775_000))
    }

    @Test func `failed connections have distinct reasons`() throws {
        #expect(try Self.fetched(.close) == .unavailable("token_closed_early", retryAfter: nil))
        #expect(try Self.fetched(.reset) == .unavailable("token_connection_reset", retryAfter: nil))
        #expect(try Self.fetched(.send("nonsense\r\n\r\n"), .hang) == .unavailable("token_malformed_response", retryAfter: nil))
        #expect(
            try Self.fetched(.respondWrongly(200, contentLength: 50, body: "{"), .close)
                == .unavailable("token_closed_early", retryAfter: nil))
    }

    @Test func `a silent server ends the fetch at the timeout`() throws {
        try ExchangeFixture.with(.everyConnection(.hang)) { fixture in
            let source = try fixture.google(timeoutMilliseconds: 200)
            #expect(try source.fetched() == .unavailable("token_timeout", retryAfter: nil))
        }
    }

    @Test func `closing the client ends the fetch`() throws {
        let server = try ScriptedServer(.everyConnection(.hang))
        defer { server.stop() }
        let client = try Client(settings: ClientSettings())
        let fixture = ExchangeFixture(server: server, client: client)
        client.close()
        #expect(try fixture.huawei().fetched() == .unavailable("token_cancelled", retryAfter: nil))
    }
}
