import HTTPServer

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Requests of operators and backends to the admin listener, and the expected responses.
enum AdminCases {
    static let authorization = ["Authorization": "Bearer \(ServiceFixture.token)"]
    static let unauthorized = ExchangeCase.error("unauthorized", "Send the admin token: Authorization: Bearer TOKEN.")

    static func all() -> [ExchangeCase] {
        refusedTokens() + refusedKeys() + [
            ExchangeCase(
                name: "GET /v1/keys", method: .get, path: "/v1/keys", status: 405,
                answer: ExchangeCase.error("method_not_allowed", "This path answers POST."), answerHeaders: ["allow": "POST"]),
            ExchangeCase(
                name: "POST /metrics", path: "/metrics", status: 405,
                answer: ExchangeCase.error("method_not_allowed", "This path answers GET, HEAD."), answerHeaders: ["allow": "GET, HEAD"]),
            ExchangeCase(
                name: "POST /pyrus/authorize", status: 404, answer: ExchangeCase.error("not_found", "No such path.")),
        ]
    }

    static func refusedAuthorizations() -> [(name: String, headers: [String: String])] {
        let token = ServiceFixture.token
        return [
            ("no token", [:]), ("an empty header", ["Authorization": ""]), ("only the scheme", ["Authorization": "Bearer"]),
            ("an empty token", ["Authorization": "Bearer "]), ("the wrong token", ["Authorization": "Bearer \(TestSecret.text(201))"]),
            ("a prefix of the token", ["Authorization": "Bearer \(token.dropLast())"]),
            ("the token and more", ["Authorization": "Bearer \(token)x"]), ("only spaces", ["Authorization": "Bearer    "]),
            ("a tab", ["Authorization": "Bearer\t\(token)"]), ("the bare token", ["Authorization": token]),
            ("another scheme", ["Authorization": "Basic \(token)"]), ("a longer scheme", ["Authorization": "Bearers \(token)"]),
            ("another header", ["X-Authorization": "Bearer \(token)"]),
        ]
    }

    private static func refusedTokens() -> [ExchangeCase] {
        refusedAuthorizations().map { name, headers in
            ExchangeCase(
                name: name, path: "/v1/keys", headers: headers, body: Array(#"{"app_id":"shop","user_id":"user-1"}"#.utf8), status: 401,
                answer: unauthorized, answerHeaders: ["www-authenticate": "Bearer"])
        }
    }

    private static func refusedKeys() -> [ExchangeCase] {
        let ttl = "ttl_seconds: expected a whole number of seconds, or 0 for no expiry."
        let known = "known are app_id, user_id, ttl_seconds."
        let shop = #""app_id":"shop","user_id":"user-1""#
        let longest = "A key may live at most 1097738497263 seconds, or for ever."
        let malformed = [
            ("", "The body is not valid JSON: line 1, column 1: the text ends too early."),
            ("app_id=shop&user_id=user-1", "The body is not valid JSON: line 1, column 3: not valid JSON."),
            ("[]", "The body is JSON, but not an object with app_id and user_id."),
            ("{}", "app_id: expected a string."),
            (#"{"app_id":7,"user_id":"user-1"}"#, "app_id: expected a string."),
            (#"{"app_id":"shop"}"#, "user_id: expected a string."),
            (#"{"app_id":"shop","user_id":null}"#, "user_id: expected a string."),
            (#"{"app_id":"","user_id":"user-1"}"#, "app_id is empty; expected a string of 1 to 255 UTF-16 code units."),
            (#"{"app_id":"shop","user_id":""}"#, "user_id is empty; expected a string of 1 to 100 UTF-16 code units."),
            (
                #"{"app_id":"shop","user_id":"a\u0000"}"#,
                "user_id holds a control character; expected a string of 1 to 100 UTF-16 code units."
            ),
            (
                #"{"app_id":"shop","user_id":"\#(String(repeating: "\u{1F600}", count: 51))"}"#,
                "user_id is too long; expected a string of 1 to 100 UTF-16 code units."
            ),
            ("{\(shop),\"ttl\":1}", "Unknown field ttl; \(known)"),
            ("{\(shop),\"\\u001b[2J\":1}", "Unknown field ?[2J; \(known)"),
            ("{\(shop),\"ttl_seconds\":-1}", ttl), ("{\(shop),\"ttl_seconds\":1.5}", ttl), ("{\(shop),\"ttl_seconds\":\"1\"}", ttl),
            ("{\(shop),\"ttl_seconds\":true}", ttl), ("{\(shop),\"ttl_seconds\":1097738497264}", longest),
            ("{\(shop),\"ttl_seconds\":9223372036854775807}", longest),
            ("{\(shop),\"user_id\":\"x\"}", "The body is not valid JSON: line 1, column 45: duplicate key."),
        ].map { body, message in
            ExchangeCase(
                name: "POST /v1/keys \(body)", path: "/v1/keys", headers: authorization, body: Array(body.utf8), status: 400,
                answer: ExchangeCase.error("malformed", message))
        }
        let unknown = ["bank", "Shop", "shop ", "sho\u{301}p"].map {
            ExchangeCase(
                name: "POST /v1/keys for \($0)", path: "/v1/keys", headers: authorization,
                body: Array(#"{"app_id":"\#($0)","user_id":"user-1"}"#.utf8), status: 400,
                answer: ExchangeCase.error("unknown_app", "No app with this app_id is configured."))
        }
        return malformed + unknown
    }
}
