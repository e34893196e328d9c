import Core
import HTTPServer
import Time

/// The help desk's requests to `/pyrus/authorize`, and the expected responses.
enum AuthorizeCases {
    static let authorized = #"{"status":"authorized"}"#
    static let denied = ExchangeCase.error("denied", "This user may not use the chat.")
    static let expectations = [
        "app_id": "a string of 1 to 255 UTF-16 code units", "user_id": "a string of 1 to 100 UTF-16 code units",
        "security_key": "dgk1. and 84 base64url characters",
    ]

    static func all() throws -> [ExchangeCase] {
        try accepted() + denials() + fieldMistakes() + jsonMistakes() + formMistakes() + sizes() + otherRoutes()
    }

    /// The three fields as JSON, some replaced by raw JSON or removed.
    static func json(_ changed: [String: String?] = [:], extra: String = "") throws -> [UInt8] {
        let right = [("app_id", "\"shop\""), ("user_id", "\"user-1\""), ("security_key", "\"\(try TestKey().text())\"")]
        let members = right.compactMap { name, value in
            (changed[name] ?? value).map { "\"\(name)\":\($0)" }
        }
        return Array("{\(members.joined(separator: ","))\(extra)}".utf8)
    }

    static func form(_ changed: [String: String?] = [:], extra: String = "") throws -> [UInt8] {
        let right = [("app_id", "shop"), ("user_id", "user-1"), ("security_key", try TestKey().text())]
        let pairs = right.compactMap { name, value in (changed[name] ?? value).map { "\(name)=\($0)" } }
        return Array((pairs.joined(separator: "&") + extra).utf8)
    }

    static let jsonType = ["Content-Type": "application/json"]
    static let formType = ["Content-Type": "application/x-www-form-urlencoded"]

    static func malformed(_ name: String, message: String, body: [UInt8], headers: [String: String] = jsonType) -> ExchangeCase {
        ExchangeCase(
            name: name, headers: headers, body: body, status: 400, answer: ExchangeCase.error("malformed", message))
    }
}

extension AuthorizeCases {
    private static func accepted() throws -> [ExchangeCase] {
        let json = try json()
        let form = try form()
        func right(_ name: String, type: String?, body: [UInt8]) -> ExchangeCase {
            ExchangeCase(
                name: name, headers: type.map { ["Content-Type": $0] } ?? [:], body: body, status: 200, answer: authorized)
        }
        return [
            right("JSON", type: "application/json", body: json),
            right("JSON with a charset", type: "application/json; charset=utf-8", body: json),
            right("JSON with a space before the semicolon", type: "application/json ;charset=UTF-8", body: json),
            right("JSON by a shouted type", type: "APPLICATION/Json", body: json),
            right("JSON without a type", type: nil, body: json),
            right("JSON without a type after white space", type: nil, body: Array(" \r\n\t".utf8) + json),
            right("JSON as text", type: "text/plain", body: json),
            right("JSON by a longer type", type: "application/json-patch+json", body: json),
            right(
                "JSON with unknown fields", type: "application/json", body: try self.json(extra: #","x":1,"y":[null,{"z":""}],"":1.5e3"#)),
            right("JSON with the largest integer", type: "application/json", body: try self.json(extra: #","x":9223372036854775807"#)),
            right(
                "JSON with an unknown field of any number", type: "application/json",
                body: try self.json(extra: #","x":99999999999999999999,"y":-1e999"#)),
            right(
                "JSON with an unknown field of any name", type: "application/json",
                body: try self.json(extra: #","a\u0000":"\ud800","\udc00":{}"#)),
            right(
                "JSON with many unknown fields", type: "application/json",
                body: try self.json(extra: (1...100).map { ",\"x\($0)\":1e400" }.joined())),
            right(
                "JSON with escapes in a name", type: "application/json",
                body: try self.json(["app_id": nil], extra: #","\u0061pp_id":"shop""#)),
            right(
                "form with broken escapes in unknown fields", type: "application/x-www-form-urlencoded",
                body: try self.form(extra: "&x=%GG&%=1&y%4")),
            right("JSON with escapes", type: "application/json", body: try self.json(["app_id": #""\u0073hop""#])),
            right("form", type: "application/x-www-form-urlencoded", body: form),
            right("form with a charset", type: "application/x-www-form-urlencoded; charset=utf-8", body: form),
            right("form by a shouted type", type: "Application/X-WWW-Form-Urlencoded", body: form),
            right("form without a type", type: nil, body: form),
            right("form as text", type: "text/plain", body: form),
            right("form with unknown fields", type: "application/x-www-form-urlencoded", body: try self.form(extra: "&x=1&x=%00&&y")),
            right("form with escapes", type: "application/x-www-form-urlencoded", body: try self.form(["user_id": "%75ser%2D1"])),
            right(
                "another key of the app", type: "application/json",
                body: try self.json(["security_key": "\"\(TestKey(keyID: 2, secret: 2).text())\""])),
        ]
    }

    private static func denials() throws -> [ExchangeCase] {
        let now = TestTime.now
        let keys = [
            ("another user's key", TestKey(user: "user-2")), ("another secret", TestKey(secret: 9)),
            ("another app's key", TestKey(app: "bank")), ("an unknown key id", TestKey(keyID: 3, secret: 3)),
            ("issued in the future", TestKey(issuedAt: now + 61)), ("expired", TestKey(issuedAt: now - 100, expiresAt: now - 61)),
            ("too old", TestKey(issuedAt: now - 7_776_061)),
        ]
        let denials = try keys.map { name, key in (name, try json(["security_key": "\"\(key.text())\""])) }
        let unknownApp = ("an unknown app", try json(["app_id": #""bank""#, "security_key": "\"\(TestKey(app: "bank").text())\""]))
        return (denials + [unknownApp]).map { name, body in
            ExchangeCase(name: name, headers: jsonType, body: body, status: 403, answer: denied)
        }
    }

    private static func fieldMistakes() throws -> [ExchangeCase] {
        try expectations.sorted { $0.key < $1.key }.flatMap { field, expectation in
            let mistakes: [(String, String?)] = [
                ("is missing", nil), ("is null", "null"), ("is not a string", "7"), ("is not a string", #"["x"]"#),
                ("is not a string", "{}"), ("is not a string", "true"), ("is not a string", #""\ud800""#), ("is not a string", "1e999"),
                ("is empty", "\"\""),
                ("holds a control character", #""a\u0000b""#), ("holds a control character", #""a\u007fb""#),
                ("is too long", "\"\(String(repeating: "x", count: 256))\""),
            ]
            let inJSON = try mistakes.map { mistake, value in
                malformed(
                    "JSON, \(field): \(value ?? "missing")", message: "\(field) \(mistake); expected \(expectation).",
                    body: try json([field: value]))
            }
            let twice = try malformed(
                "JSON, \(field) twice", message: "The body is not valid JSON: line 1, column \(column(ofDuplicate: field)): duplicate key.",
                body: json(extra: ",\"\(field)\":\"x\""))
            let inForm = try [
                malformed(
                    "form, \(field) missing", message: "\(field) is missing; expected \(expectation).", body: form([field: nil]),
                    headers: formType),
                malformed(
                    "form, \(field) empty", message: "\(field) is empty; expected \(expectation).", body: form([field: ""]),
                    headers: formType),
                malformed(
                    "form, \(field) twice", message: "\(field) is given twice; expected a single value.", body: form(extra: "&\(field)=x"),
                    headers: formType),
                malformed(
                    "form, \(field) with a NUL", message: "\(field) holds a control character; expected \(expectation).",
                    body: form([field: "%00"]),
                    headers: formType),
            ]
            return inJSON + [twice] + inForm
        }
    }

    private static func column(ofDuplicate field: String) throws -> Int {
        try json().count + field.utf8.count + 2
    }

    private static func jsonMistakes() throws -> [ExchangeCase] {
        let notAnObject = "The body is JSON, but not an object with app_id, user_id and security_key."
        func broken(_ name: String, place: String, body: [UInt8], headers: [String: String] = jsonType) -> ExchangeCase {
            malformed(name, message: "The body is not valid JSON: line 1, \(place).", body: body, headers: headers)
        }
        let json = try json()
        return try [
            broken("an empty body", place: "column 1: the text ends too early", body: []),
            broken("an empty body without a type", place: "column 1: the text ends too early", body: [], headers: [:]),
            broken("JSON that ends too early", place: "column \(json.count): the text ends too early", body: json.dropLast()),
            broken(
                "JSON and more", place: "column \(json.count + 1): more text after the end of the JSON value", body: json + Array("x".utf8)),
            broken("a form declared as JSON", place: "column 3: not valid JSON", body: form()),
            broken("JSON with a byte order mark", place: "column 1: starts with a byte order mark", body: [0xEF, 0xBB, 0xBF] + json),
            broken(
                "JSON with a byte order mark, no type", place: "column 1: starts with a byte order mark", body: [0xEF, 0xBB, 0xBF] + json,
                headers: [:]),
            broken(
                "JSON that is not UTF-8", place: "column 15: invalid UTF-8",
                body: Array("{\"app_id\":\"abc".utf8) + [0xC3, 0x28] + Array("\"}".utf8)),
            broken(
                "JSON with a large integer, cut short", place: "column \(json.count + 24): the text ends too early",
                body: self.json(extra: #","x":99999999999999999999"#).dropLast()),
            malformed(
                "JSON nested too deep", message: "The body is not valid JSON: line 1, column \(json.count + 36): nested too deep.",
                body: nested(32)),
            malformed("a list", message: notAnObject, body: Array("[1]".utf8)),
            malformed("a string", message: notAnObject, body: Array("\"x\"".utf8)),
            malformed("a number", message: notAnObject, body: Array("1".utf8)),
            malformed("null", message: notAnObject, body: Array("null".utf8)),
            malformed("a list without a type", message: notAnObject, body: Array("[]".utf8), headers: [:]),
            ExchangeCase(name: "JSON nested deep", headers: jsonType, body: nested(31), status: 200, answer: authorized),
        ]
    }

    /// The valid fields with an additional one that contains nested lists of this depth.
    private static func nested(_ depth: Int) throws -> [UInt8] {
        try json(extra: ",\"x\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
    }

    private static func formMistakes() throws -> [ExchangeCase] {
        let badEscape = "The body is not a valid form: the form contains a % without two hexadecimal digits."
        let missing = "app_id is missing; expected a string of 1 to 255 UTF-16 code units."
        return try [
            malformed("form with a bad escape", message: badEscape, body: form(["user_id": "user%2"]), headers: formType),
            malformed(
                "form that is not UTF-8", message: "The body is not a valid form: user_id is not valid UTF-8.",
                body: form(["user_id": "%FF"]),
                headers: formType),
            malformed("an empty form", message: missing, body: [], headers: formType),
            malformed("JSON declared as a form", message: missing, body: json(), headers: formType),
        ]
    }

    private static func sizes() throws -> [ExchangeCase] {
        let room = 16 * 1024 - (try json(extra: #","x":"""#).count)
        let largest = try json(extra: #","x":"\#(String(repeating: "y", count: room))""#)
        return [
            ExchangeCase(name: "16 KiB", headers: jsonType, body: largest, status: 200, answer: authorized),
            ExchangeCase(
                name: "16 KiB and one", headers: jsonType, body: largest + [UInt8(ascii: " ")], status: 413,
                answer: ExchangeCase.error("body_too_large", "The request body is over this path's limit.")),
        ]
    }

    private static func otherRoutes() throws -> [ExchangeCase] {
        let notFound = ExchangeCase.error("not_found", "No such path.")
        let alive = ExchangeCase(name: "alive", method: .get, path: "/livez", status: 200, answer: #"{"status":"alive"}"#)
        let ready = ExchangeCase(name: "ready", method: .get, path: "/readyz", status: 200, answer: #"{"status":"ready"}"#)
        let wrongMethods = ([.get, .delete, .other] as [HTTPServer.Method]).map { method in
            ExchangeCase(
                name: "\(method.token) for POST", method: method, status: 405,
                answer: ExchangeCase.error("method_not_allowed", "This path answers POST."), answerHeaders: ["allow": "POST"])
        }
        let posted = ["/livez", "/readyz"].map { path in
            ExchangeCase(
                name: "POST \(path)", path: path, status: 405,
                answer: ExchangeCase.error("method_not_allowed", "This path answers GET, HEAD."), answerHeaders: ["allow": "GET, HEAD"])
        }
        let body = try json()
        let unknown = ["/", "/pyrus", "/pyrus/authorize/", "/pyrus//authorize", "/Pyrus/authorize", "/pyrus/%61uthorize", "/metrics"].map {
            ExchangeCase(name: "POST \($0)", path: $0, headers: jsonType, body: body, status: 404, answer: notFound)
        }
        return [alive, ready] + wrongMethods + posted + unknown
    }
}
