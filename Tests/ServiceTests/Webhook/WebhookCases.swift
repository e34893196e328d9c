import HTTPServer

/// What may be sent to the webhook's paths, and what must come of it. Each asks for a comment of its own where it is to be accepted.
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

    /// A body of this app with a comment that no other case has.
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
        func signed(_ name: String, _ headers: [String: String], _ body: [UInt8] = sign) -> ExchangeCase {
            ExchangeCase(name: name, path: signedPath, headers: headers, body: body, status: 403, answer: denied)
        }
        func inPath(_ name: String, _ path: String, _ body: [UInt8] = shop, _ headers: [String: String] = [:]) -> ExchangeCase {
            ExchangeCase(name: name, path: path, headers: headers, body: body, status: 403, answer: denied)
        }
        return try [
            signed("no signature", [:]), signed("an empty signature", ["X-Pyrus-Sig": ""]),
            signed("a short signature", ["X-Pyrus-Sig": String(hex.dropLast())]),
            signed("a long signature", ["X-Pyrus-Sig": "\(hex)0"]), signed("half a signature", ["X-Pyrus-Sig": String(hex.prefix(20))]),
            signed("no digits", ["X-Pyrus-Sig": "g\(hex.dropFirst())"]), signed("another prefix", ["X-Pyrus-Sig": "sha2=\(hex)"]),
            signed("two prefixes", ["X-Pyrus-Sig": "sha1=sha1=\(hex)"]),
            signed("zeros", ["X-Pyrus-Sig": String(repeating: "0", count: 40)]),
            signed("another body", right, sign + [UInt8(ascii: " ")]),
            signed("an app that has a path's secret as well", WebhookFixture.signature(of: both, secret: 22), both),
            signed("the key of an app that has a path's secret as well", WebhookFixture.signature(of: sign, secret: 22)),
            signed("no JSON, wrongly signed", right, Array("{".utf8)),
            signed("an app that does not sign", WebhookFixture.signature(of: bank, secret: 23), bank),
            signed("an app without webhooks", WebhookFixture.signature(of: none, secret: 24), none),
            signed("an unknown app", WebhookFixture.signature(of: body("x", 1), secret: 24), body("x", 1)),
            signed("an equivalent app", WebhookFixture.signature(of: body("s\u{130}gn", 1), secret: 24), body("s\u{130}gn", 1)),
            inPath("a wrong secret", "/pyrus/webhook/\(TestSecret.text(99))"), inPath("a short secret", "/pyrus/webhook/x"),
            inPath("half a secret", String(shopPath.dropLast(20))), inPath("a longer secret", "\(shopPath)0"),
            inPath("a signature's secret", "/pyrus/webhook/\(TestSecret.text(22))"),
            inPath("an escaped secret", "/pyrus/webhook/%\(TestSecret.text(21))"),
            inPath("another app's secret", shopPath, bank), inPath("the secret of another app", bankPath, shop),
            inPath("an app without webhooks, by a path", shopPath, none), inPath("an unknown app, by a path", shopPath, body("x", 1)),
            inPath("an app that only signs", shopPath, sign), inPath("a signed app's secret without its signature", bothPath, both),
            inPath("a signed app's secret with half a signature", bothPath, both, ["X-Pyrus-Sig": String(hex.prefix(20))]),
            inPath(
                "a signed app's secret with another app's signature", bothPath, both, WebhookFixture.signature(of: both, secret: 24)),
            inPath("a signed app's secret with another body's signature", bothPath, both, WebhookFixture.signature(of: sign, secret: 22)),
            inPath("no JSON with a wrong signature", bothPath, Array("{".utf8), WebhookFixture.signature(of: both, secret: 22)),
            inPath("no JSON and a wrong secret", "/pyrus/webhook/x", Array("{".utf8)),
        ]
    }

    private static func malformed() throws -> [ExchangeCase] {
        func malformed(_ name: String, _ message: String, _ body: [UInt8], path: String = shopPath, _ headers: [String: String] = [:])
            -> ExchangeCase
        {
            ExchangeCase(
                name: name, path: path, headers: headers, body: body, status: 400, answer: ExchangeCase.error("malformed", message))
        }
        let noTicket = "ticket_id is missing; expected a whole number of 64 bits."
        let signed = WebhookBody.json(["ticket_id": nil], token: ["app_id": #""sign""#])
        return try [
            malformed("an empty body", "The body is not valid JSON: line 1, column 1: the text ends too early.", []),
            malformed(
                "too many values", "The body is not valid JSON: line 1, column 65535: too many values.",
                Array("[\(String(repeating: "1,", count: 40_000))1]".utf8)),
            malformed("no ticket", noTicket, WebhookBody.json(["ticket_id": nil])),
            malformed("no ticket, signed", noTicket, signed, path: signedPath, WebhookFixture.signature(of: signed, secret: 24)),
            malformed("no token", "token is missing; expected an object.", WebhookBody.json(["token": nil])),
            malformed(
                "an inbound comment without a user",
                "token.user_id is missing; expected a string of 1 to 100 UTF-16 code units without control characters.",
                WebhookBody.json(token: ["user_id": nil], comment: ["is_inbound": "true"])),
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
