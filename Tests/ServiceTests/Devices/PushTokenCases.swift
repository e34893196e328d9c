import HTTPServer
import TestSupport

/// Requests of devices to `/pyrus/push-token`, and the responses of an empty registry.
enum PushTokenCases {
    static let registered = #"{"status":"registered"}"#
    static let unchanged = #"{"status":"unchanged"}"#
    static let removed = #"{"status":"removed"}"#
    static let iosToken = String(repeating: "0aF9MARK", count: 8)
    static let androidToken = "cMARKERx_1T-0:APA91b" + String(repeating: "Qz-_9MARKER", count: 13)

    static func all() throws -> [ExchangeCase] {
        try acceptances() + devices() + types() + tokens() + keysAndSizes() + methods()
    }

    /// The SDK's body, with members replaced by raw JSON or removed.
    static func kit(_ changed: [String: String?] = [:], token: String = iosToken, type: String = "ios") throws -> [UInt8] {
        let right = [
            ("app_id", "\"shop\""), ("user_id", "\"user-1\""), ("security_key", "\"\(try TestKey().text())\""),
            ("instance_id", #""6E1D3B2A-0C55-4C57-9C0B-8F6A8E1F0A11""#), ("version", "2"), ("token", "\"\(token)\""),
            ("type", "\"\(type)\""),
        ]
        let added = changed.filter { change in !right.contains { $0.0 == change.key } }.map { ($0.key, Optional($0.value)) }
        let members = (right.map { ($0.0, changed[$0.0] ?? $0.1) } + added.map { ($0.0, $0.1 ?? nil) })
            .compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
        return Array("{\(members.joined(separator: ","))}".utf8)
    }

    static func form(_ extra: String) throws -> [UInt8] {
        try AuthorizeCases.form(extra: extra)
    }

    static func case400(_ name: String, message: String, body: [UInt8], headers: [String: String] = AuthorizeCases.jsonType)
        -> ExchangeCase
    {
        ExchangeCase(
            name: name, path: PushTokenFixture.path, headers: headers, body: body, status: 400,
            answer: ExchangeCase.error("malformed", message))
    }

    static func case200(_ name: String, answer: String, body: [UInt8], headers: [String: String] = AuthorizeCases.jsonType)
        -> ExchangeCase
    {
        ExchangeCase(name: name, path: PushTokenFixture.path, headers: headers, body: body, status: 200, answer: answer)
    }
}

extension PushTokenCases {
    private static let missingDevice =
        "instance_id is not as expected: it is missing; give the device's id in instance_id or device_id."

    private static func expected(_ field: String, _ longest: Int) -> String {
        "\(field) is not as expected: expected a string of 1 to \(longest) UTF-16 code units without control characters, or null."
    }

    /// A JSON string of `units` UTF-16 code units, two for each character.
    private static func wide(_ units: Int) -> String {
        "\"\(String(repeating: "\u{1F600}", count: units / 2))\(units % 2 == 0 ? "" : "x")\""
    }

    private static func acceptances() throws -> [ExchangeCase] {
        let charset = ["Content-Type": "application/json; charset=utf-8"]
        let device = "&instance_id=device-1"
        return try [
            case200("the kit on iOS", answer: registered, body: kit(), headers: charset),
            case200("the kit on Android", answer: registered, body: kit(token: androidToken, type: "android"), headers: charset),
            case200("the kit signs out", answer: unchanged, body: kit(["token": "null"]), headers: charset),
            case200("without a token", answer: unchanged, body: kit(["token": nil])),
            case200("without a content type", answer: registered, body: kit(), headers: [:]),
            case200("unknown fields", answer: registered, body: kit(["x": "[null,{}]", "push_token": "7"])),
            case200(
                "unknown fields of any kind", answer: registered,
                body: kit(["x\\u0000": "1e999", "y": #""\ud800""#, "z": "99999999999999999999"])),
            case200(
                "a form with broken unknown fields", answer: registered, body: form("\(device)&token=abc&x=%&%y"),
                headers: AuthorizeCases.formType),
            case200("a form", answer: registered, body: form("\(device)&token=abc%3Adef&type=android"), headers: AuthorizeCases.formType),
            case200("a form without a type", answer: registered, body: form("\(device)&token=abc"), headers: [:]),
            case200("a form with an empty token", answer: unchanged, body: form("\(device)&token="), headers: AuthorizeCases.formType),
            case200("a form without a token", answer: unchanged, body: form(device), headers: AuthorizeCases.formType),
            case200(
                "a form with an empty type", answer: registered, body: form("\(device)&token=a&type="), headers: AuthorizeCases.formType),
        ]
    }

    private static func devices() throws -> [ExchangeCase] {
        let other = "device_id is not as expected: the same value as instance_id, or no value."
        func body(_ instance: String?, _ device: String?) throws -> [UInt8] {
            try kit(["instance_id": instance, "device_id": device])
        }
        let broken = ["\"\"", #""a\u0000""#, #""a\n""#, #""\u007f""#, "7", "{}", "true", wide(256)]
        return try [
            case200("device_id alone", answer: registered, body: body(nil, "\"d\"")),
            case200("null beside it", answer: registered, body: body("null", "\"d\"")),
            case200("both alike", answer: registered, body: body("\"d\"", "\"d\"")),
            case200("the longest", answer: registered, body: body(wide(255), nil)),
            case400("none", message: missingDevice, body: body(nil, nil)),
            case400("null", message: missingDevice, body: body("null", "null")),
            case400("none in a form", message: missingDevice, body: form("&token=a"), headers: AuthorizeCases.formType),
            case400(
                "an empty one in a form", message: missingDevice, body: form("&instance_id=&token=a"), headers: AuthorizeCases.formType),
            case400("both different", message: other, body: body("\"d\"", "\"e\"")),
            case400("both equal to Unicode alone", message: other, body: body("\"caf\u{E9}\"", "\"cafe\u{301}\"")),
            case400(
                "twice in a form", message: "instance_id is not as expected: it is given twice; give it once.",
                body: form("&instance_id=a&instance_id=a"), headers: AuthorizeCases.formType),
        ]
            + broken.flatMap { value in
                [
                    case400("instance_id \(value.prefix(9))", message: expected("instance_id", 255), body: try body(value, nil)),
                    case400("device_id \(value.prefix(9))", message: expected("device_id", 255), body: try body("\"d\"", value)),
                ]
            }
    }

    private static func types() throws -> [ExchangeCase] {
        try [
            case200("no type", answer: registered, body: kit(["type": nil])),
            case200("a null type", answer: registered, body: kit(["type": "null"])),
            case200("a type of its own", answer: registered, body: kit(["type": #""Huawei \u0442""#])),
            case200("the longest type", answer: registered, body: kit(["type": wide(32)])),
        ]
            + ["\"\"", #""a\t""#, "7", "[]", wide(33)].map { value in
                case400("type \(value.prefix(9))", message: expected("type", 32), body: try kit(["type": value]))
            }
    }

    private static func tokens() throws -> [ExchangeCase] {
        try [
            case200("the longest token", answer: registered, body: kit(["token": wide(4096)])),
            case200("the shortest", answer: registered, body: kit(["token": "\" \""])),
            case400(
                "a token twice in a form", message: "token is not as expected: it is given twice; give it once.",
                body: form("&instance_id=a&token=a&token=b"), headers: AuthorizeCases.formType),
        ]
            + ["\"\"", #""a\u0000b""#, #""a\r\n""#, "7", "false", "[]", #"{"token":"a"}"#, wide(4097)].map { value in
                case400("token \(value.prefix(9))", message: expected("token", 4096), body: try kit(["token": value]))
            }
    }

    /// In anonymous mode the SDK sends no key, and no user is authenticated.
    private static func keysAndSizes() throws -> [ExchangeCase] {
        let room = 16 * 1024 - (try kit(["x": "\"\""]).count)
        let largest = try kit(["x": "\"\(String(repeating: "y", count: room))\""])
        return try [
            case400(
                "without a key", message: "security_key is missing; expected dgk1. and 84 base64url characters.",
                body: kit(["security_key": nil])),
            case200("16 KiB", answer: registered, body: largest),
            ExchangeCase(
                name: "16 KiB and one", path: PushTokenFixture.path, body: largest + [UInt8(ascii: " ")], status: 413,
                answer: ExchangeCase.error("body_too_large", "The request body is over this path's limit.")),
        ]
    }

    private static func methods() -> [ExchangeCase] {
        ([.get, .delete, .other] as [HTTPServer.Method]).map { method in
            ExchangeCase(
                name: "\(method.token) for POST", method: method, path: PushTokenFixture.path, status: 405,
                answer: ExchangeCase.error("method_not_allowed", "This path answers POST."), answerHeaders: ["allow": "POST"])
        }
    }
}
