import HTTPServer

/// Requests to the webhook's paths, and their expected results. Each accepted request has its own comment.
enum WebhookCases {
    static let accepted = #"{"status":"accepted"}"#
    static let denied = ExchangeCase.error("denied", "The origin of this webhook is not proven.")
    static let signedPath = "/pyrus/webhook"
    static let shopPath = "/pyrus/webhook/\(TestSecret.text(21))"
    static let bankPath = "/pyrus/webhook/\(TestSecret.text(23))"
    static let bothPath = "/pyrus/webhook/\(TestSecret.text(27))"

    static func all() throws -> [ExchangeCase] {
        try acceptances() + ignored() + denials() + malformed() + sizes() + otherMethods()
    }

    /// A body of this app with a unique comment.
    private static func body(_ app: String, _ comment: Int) -> [UInt8] {
        WebhookBody.json(token: ["app_id": "\"\(app)\""], comment: ["comment_id": "\(comment)"])
    }

    private static func acceptances() throws -> [ExchangeCase] {
        let signed = try [(1, "", false), (2, "", true), (3, "sha1=", false), (4, "SHA1=", true)].map { comment, prefix, uppercased in
            let body = body("sign", comment)
            return ExchangeCase(
                name: "signed, \(prefix) \(uppercased)", path: signedPath,
                headers: try WebhookFixture.signature(of: body, secret: 24, prefix: prefix, uppercased: uppercased), body: body,
                status: 200,
                answer: accepted)
        }
        let (both, next) = (body("both", 5), body("sign", 11))
        let unread = [
            #"99999999999999999999"#, "1e999", "-0.5E-7", #""\ud800""#, #"{"a\u0000":1,"\udfff":[{}]}"#,
        ]
        let unreadCases = unread.enumerated().map { index, value in
            ExchangeCase(
                name: "an unknown field: \(value)", path: shopPath,
                body: WebhookBody.json(["x\\u0000": value, "y": value], comment: ["comment_id": "\(20 + index)", "z": value]), status: 200,
                answer: accepted)
        }
        return try signed + unreadCases + [
            ExchangeCase(
                name: "a secret in the path and a signature", path: bothPath, headers: WebhookFixture.signature(of: both, secret: 22),
                body: both, status: 200, answer: accepted),
            ExchangeCase(
                name: "signed with the next secret", path: signedPath, headers: WebhookFixture.signature(of: next, secret: 26), body: next,
                status: 200, answer: accepted),
            ExchangeCase(
                name: "the next secret in the path", path: "/pyrus/webhook/\(TestSecret.text(25))", body: body("bank", 12), status: 200,
                answer: accepted),
            ExchangeCase(name: "a secret in the path", path: shopPath, body: body("shop", 6), status: 200, answer: accepted),
            ExchangeCase(name: "another app's secret in the path", path: bankPath, body: body("bank", 7), status: 200, answer: accepted),
            ExchangeCase(
                name: "a secret in the path of an app that does not sign, and any signature", path: shopPath, headers: ["X-Pyrus-Sig": "x"],
                body: body("shop", 8),
                status: 200, answer: accepted),
            ExchangeCase(
                name: "any content type", path: shopPath, headers: ["Content-Type": "text/plain"], body: body("shop", 9), status: 200,
                answer: accepted),
        ]
    }

    private static func ignored() -> [ExchangeCase] {
        [
            ExchangeCase(
                name: "inbound", path: shopPath, body: WebhookBody.json(comment: ["is_inbound": "true"]), status: 200,
                answer: #"{"status":"ignored"}"#)
        ]
    }

    private static func denials() throws -> [ExchangeCase] {
        let (shop, bank, sign, none) = (body("shop", 1), body("bank", 1), body("sign", 1), body("none", 1))
        let both = body("both", 1)
        let right = try WebhookFixture.signature(of: sign, secret: 24)
        let hex = right["X-Pyrus-Sig"] ?? ""
        func signed(_ name: String, headers: [String: String], body: [UInt8] = sign) -> ExchangeCase {
            ExchangeCase(name: name, path: signedPath, headers: headers, body: body, status: 403, answer: denied)
        }
        func inPath(_ name: String, path: String, body: [UInt8] = shop, headers: [String: String] = [:]) -> ExchangeCase {
            ExchangeCase(name: name, path: path, headers: headers, body: body, status: 403, answer: denied)
        }
        return try [
            signed("no signature", headers: [:]), signed("an empty signature", headers: ["X-Pyrus-Sig": ""]),
            signed("a short signature", headers: ["X-Pyrus-Sig": String(hex.dropLast())]),
            signed("a long signature", headers: ["X-Pyrus-Sig": "\(hex)0"]),
            signed("half a signature", headers: ["X-Pyrus-Sig": String(hex.prefix(20))]),
            signed("no digits", headers: ["X-Pyrus-Sig": "g\(hex.dropFirst())"]),
            signed("another prefix", headers: ["X-Pyrus-Sig": "sha2=\(hex)"]),
            signed("two prefixes", headers: ["X-Pyrus-Sig": "sha1=sha1=\(hex)"]),
            signed("zeros", headers: ["X-Pyrus-Sig": String(repeating: "0", count: 40)]),
            signed("another body", headers: right, body: sign + [UInt8(ascii: " ")]),
            signed("an app that has a path's secret as well", headers: WebhookFixture.signature(of: both, secret: 22), body: both),
            signed("the key of an app that has a path's secret as well", headers: WebhookFixture.signature(of: sign, secret: 22)),
            signed("no JSON, wrongly signed", headers: right, body: Array("{".utf8)),
            signed("an app that does not sign", headers: WebhookFixture.signature(of: bank, secret: 23), body: bank),
            signed("an app without webhooks", headers: WebhookFixture.signature(of: none, secret: 24), body: none),
            signed("an unknown app", headers: WebhookFixture.signature(of: body("x", 1), secret: 24), body: body("x", 1)),
            signed(
                "an equivalent app", headers: WebhookFixture.signature(of: body("s\u{130}gn", 1), secret: 24), body: body("s\u{130}gn", 1)),
            inPath("a wrong secret", path: "/pyrus/webhook/\(TestSecret.text(99))"), inPath("a short secret", path: "/pyrus/webhook/x"),
            inPath("half a secret", path: String(shopPath.dropLast(20))), inPath("a longer secret", path: "\(shopPath)0"),
            inPath("a signature's secret", path: "/pyrus/webhook/\(TestSecret.text(22))"),
            inPath("an escaped secret", path: "/pyrus/webhook/%\(TestSecret.text(21))"),
            inPath("another app's secret", path: shopPath, body: bank), inPath("the secret of another app", path: bankPath, body: shop),
            inPath("an app without webhooks, by a path", path: shopPath, body: none),
            inPath("an unknown app, by a path", path: shopPath, body: body("x", 1)),
            inPath("an app that only signs", path: shopPath, body: sign),
            inPath("a signed app's secret without its signature", path: bothPath, body: both),
            inPath(
                "a signed app's secret with half a signature", path: bothPath, body: both, headers: ["X-Pyrus-Sig": String(hex.prefix(20))]),
            inPath(
                "a signed app's secret with another app's signature", path: bothPath, body: both,
                headers: WebhookFixture.signature(of: both, secret: 24)),
            inPath(
                "a signed app's secret with another body's signature", path: bothPath, body: both,
                headers: WebhookFixture.signature(of: sign, secret: 22)),
            inPath(
                "no JSON with a wrong signature", path: bothPath, body: Array("{".utf8),
                headers: WebhookFixture.signature(of: both, secret: 22)),
            inPath("no JSON and a wrong secret", path: "/pyrus/webhook/x", body: Array("{".utf8)),
        ]
    }

    private static func malformed() throws -> [ExchangeCase] {
        func malformed(_ name: String, message: String, body: [UInt8], path: String = shopPath, headers: [String: String] = [:])
            -> ExchangeCase
        {
            ExchangeCase(
                name: name, path: path, headers: headers, body: body, status: 400, answer: ExchangeCase.error("malformed", message))
        }
        let noTicket = "ticket_id is missing; expected a 64-bit integer."
        let signed = WebhookBody.json(["ticket_id": nil], token: ["app_id": #""sign""#])
        return try [
            malformed("an empty body", message: "The body is not valid JSON: line 1, column 1: the text ends too early.", body: []),
            malformed(
                "too many values", message: "The body is not valid JSON: line 1, column 65535: too many values.",
                body: Array("[\(String(repeating: "1,", count: 40_000))1]".utf8)),
            malformed("no ticket", message: noTicket, body: WebhookBody.json(["ticket_id": nil])),
            malformed(
                "no ticket, signed", message: noTicket, body: signed, path: signedPath,
                headers: WebhookFixture.signature(of: signed, secret: 24)),
            malformed("no token", message: "token is missing; expected an object.", body: WebhookBody.json(["token": nil])),
            malformed(
                "an inbound comment without a user",
                message: "token.user_id is missing; expected a string of 1 to 100 UTF-16 code units without control characters.",
                body: WebhookBody.json(token: ["user_id": nil], comment: ["is_inbound": "true"])),
        ]
    }

    private static func sizes() -> [ExchangeCase] {
        let room = 1024 * 1024 - body("shop", 10).count - 8
        let largest = WebhookBody.json(["x": "\"\(String(repeating: "y", count: room + 1))\""], comment: ["comment_id": "10"])
        let tooLarge = ExchangeCase.error("body_too_large", "The request body is over this path's limit.")
        return [
            ExchangeCase(name: "1 MiB", path: shopPath, body: largest, status: 200, answer: accepted),
            ExchangeCase(
                name: "1 MiB and one", path: shopPath, body: largest + [UInt8(ascii: " ")], status: 413, answer: tooLarge),
            ExchangeCase(name: "2 MiB", path: shopPath, body: largest + largest, status: 413, answer: tooLarge),
            ExchangeCase(name: "2 MiB of nobody", path: signedPath, body: largest + largest, status: 403, answer: denied),
        ]
    }

    private static func otherMethods() -> [ExchangeCase] {
        let get = [signedPath, shopPath, "/pyrus/webhook/x"].map {
            ExchangeCase(
                name: "GET", method: .get, path: $0, status: 405,
                answer: ExchangeCase.error("method_not_allowed", "This path answers POST."), answerHeaders: ["allow": "POST"])
        }
        let unknown = ["\(signedPath)/", "\(shopPath)/", "\(shopPath)/x", "/pyrus/webhook//x", "/pyrus/webhooks/x"].map {
            ExchangeCase(
                name: "an unknown path", path: $0, body: body("shop", 1), status: 404,
                answer: ExchangeCase.error("not_found", "No such path."))
        }
        return get + unknown
    }
}
