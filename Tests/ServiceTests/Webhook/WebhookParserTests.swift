import Core
import JSON
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The testing library has a type with this name.
private typealias Comment = Core.Comment

@Suite struct WebhookParserTests {
    private static let full = Comment(
        appID: "shop", userID: "user-1", ticketID: 9_007_199_254_740_993, commentID: 71, deviceID: "device-1", deviceType: "ios",
        body: "Hello", author: Comment.Author(name: "Ann", avatarID: 17, avatarColor: "abcdef"),
        createdAt: 1_773_130_512_000, attachments: [Comment.Attachment(id: 5, name: "a.png", size: 1024)])

    private func parse(_ body: [UInt8]) throws -> Comment {
        try #require(try WebhookParser(body.span).comment())
    }

    private func mistake(_ body: [UInt8]) -> String? {
        do throws(WebhookError) {
            _ = try WebhookParser(body.span).comment()
            return nil
        } catch {
            return error.message
        }
    }

    @Test(arguments: [
        WebhookBody.json(), WebhookBody.nested(), WebhookBody.json(["x": "[null,{\"y\":1.5}]"], token: ["z": "{}"], comment: ["": "[]"]),
        WebhookBody.json(token: ["token": #""push""#, "push_token": "7", "value": "null"]),
        WebhookBody.json(["ticket_id": #""9007199254740993""#], comment: ["comment_id": #""71""#]),
        WebhookBody.json(["created_at": #""2026-03-10T11:15:12.000+03:00""#]), WebhookBody.json(comment: ["is_inbound": nil]),
        WebhookBody.json(comment: ["is_inbound": "null", "author": "{}", "created_at": "7", "attachments": "{}"]),
        Array(" \r\n\t".utf8) + WebhookBody.json(),
    ])
    func `is parsed in every form`(_ body: [UInt8]) throws {
        #expect(try parse(body) == Self.full)
    }

    private static let cut: [(json: String, text: String)] = [
        (#"Hello \ud83d"#, "Hello \u{FFFD}"), (#"\ude00Hello"#, "\u{FFFD}Hello"), (#"\ud83d"#, "\u{FFFD}"),
        (#"\ud83dx\ude00"#, "\u{FFFD}x\u{FFFD}"),
        (#"\ud83d\ud83d\ude00"#, "\u{FFFD}\u{1F600}"), (#"\ude00\ud83d"#, "\u{FFFD}\u{FFFD}"), (#"\ud83d\u0041"#, "\u{FFFD}A"),
        (#"\ud83d\n"#, "\u{FFFD}\n"), (#"\uD83D\uDE00\uD83D"#, "\u{1F600}\u{FFFD}"), (#"\u00e9\udfff\ufffd"#, "\u{E9}\u{FFFD}\u{FFFD}"),
        (#"\ud83d\\ude00"#, "\u{FFFD}\\ude00"), (#"\udbff\udc00"#, "\u{10FC00}"),
    ]

    @Test(arguments: cut.indices)
    func `keeps a text that was truncated within an emoji`(index: Int) throws {
        let (json, text) = Self.cut[index]
        let author = #"{"name":"\#(json)","avatar_color":"\#(json)"}"#
        let body = WebhookBody.json(["author": author, "attachments": #"[{"id":5,"name":"\#(json)"}]"#], comment: ["body": "\"\(json)\""])
        let comment = try parse(body)
        #expect(comment.body == text)
        #expect(comment.author?.name == text)
        #expect(comment.author?.avatarColor == text)
        #expect(comment.attachments.map(\.name) == [text])
    }

    @Test func `rejects an identifier that was truncated within an emoji`() throws {
        let half = #""user-\ud83d""#
        for member in ["app_id", "user_id", "device_id"] {
            #expect(mistake(WebhookBody.json(token: [member: half])) != nil, "\(member)")
        }
    }

    private static let longest = String(repeating: "\u{1F600}", count: 2048)

    /// By index, because the arguments of tests are printed.
    private static let pushTokens: [([String: String?], String?)] = [
        ([:], nil), (["token": #""a""#], "a"), (["push_token": #""b""#], "b"), (["value": #""c""#], "c"),
        (["token": #""a""#, "push_token": #""b""#, "value": #""c""#], "a"), (["push_token": #""b""#, "value": #""c""#], "b"),
        (["token": "null", "push_token": "7", "value": #""c""#], "c"), (["token": "\"\"", "push_token": #""b""#], "b"),
        (["token": #""a\u0000""#], nil), (["token": #""a\n""#], nil), (["token": #""\u007f""#], nil), (["token": "[]"], nil),
        (["token": #"{"token":"a"}"#], nil), (["token": "true"], nil), (["token": "\"\(longest)\""], longest),
        (["token": "\"\(longest)x\""], nil), (["token": "\"e\u{301}\""], "e\u{301}"), (["Token": #""a""#], nil),
    ]

    @Test(arguments: pushTokens.indices) func `finds a valid push token`(_ index: Int) throws {
        let (members, expected) = Self.pushTokens[index]
        let parser = try WebhookParser(WebhookBody.json(["push_token": #""elsewhere""#], token: members).span)
        #expect(parser.pushToken.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
        #expect(try parser.comment() == Self.full, "whatever it is, it is no mistake")
    }

    @Test func `may lack optional members`() throws {
        let bare = Comment(
            appID: "shop", userID: "user-1", ticketID: 1, commentID: 2, deviceID: "", deviceType: nil, body: "", author: nil,
            createdAt: nil,
            attachments: [])
        let body = #"{"ticket_id":1,"token":{"app_id":"shop","user_id":"user-1"},"comment":{"comment_id":2}}"#
        #expect(try parse(Array(body.utf8)) == bare)
        let nulls = #"""
            {"ticket_id":1,"token":{"app_id":"shop","user_id":"user-1","device_id":null,"type":null},"author":null,"created_at":null,
             "attachments":null,"comment":{"comment_id":2,"body":null,"is_inbound":null,"author":null,"created_at":null,"attachments":null}}
            """#
        #expect(try parse(Array(nulls.utf8)) == bare)
    }

    @Test func `may lack parts of the author and of attachments`() throws {
        let comment = try parse(
            WebhookBody.json([
                "author": #"{"avatar_id":0}"#, "attachments": #"[{"id":5},{"id":"6","name":null,"size":null},{"id":7,"size":"8"}]"#,
            ]))
        #expect(comment.author == Comment.Author(name: nil, avatarID: 0, avatarColor: nil))
        #expect(
            comment.attachments == [
                Comment.Attachment(id: 5, name: nil, size: nil), Comment.Attachment(id: 6, name: nil, size: nil),
                Comment.Attachment(id: 7, name: nil, size: 8),
            ])
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 9_007_199_254_740_993, Int64.max] as [Int64])
    func `has exact numbers`(_ number: Int64) throws {
        for text in ["\(number)", "\"\(number)\""] {
            let comment = try parse(
                WebhookBody.json(
                    ["ticket_id": text, "author": #"{"avatar_id":\#(text)}"#, "attachments": #"[{"id":\#(text),"size":\#(text)}]"#],
                    comment: ["comment_id": text]))
            let id = HelpDeskID(number)
            #expect(comment.ticketID == id)
            #expect(comment.commentID == id)
            #expect(comment.author?.avatarID == id)
            #expect(comment.attachments == [Comment.Attachment(id: id, name: nil, size: number)])
        }
    }

    @Test(arguments: ["", "caf\u{E9}", "cafe\u{301}", "\u{1F469}\u{200D}\u{1F4BB}", "\u{0}", "\u{10FFFF}", "\u{202E}x", "\u{FEFF}"])
    func `keeps text unchanged`(_ text: String) throws {
        let json = String(decoding: JSONValue.string(text).serialized(), as: UTF8.self)
        let comment = try parse(WebhookBody.json(["author": #"{"name":\#(json)}"#], token: ["type": json], comment: ["body": json]))
        for read in [comment.body, comment.author?.name, comment.deviceType] {
            #expect(read.map { Array($0.utf8) } == Array(text.utf8))
        }
    }

    @Test func `an error has no text of the customer`() throws {
        #expect(try WebhookParser(WebhookBody.json(comment: ["is_inbound": "true"]).span).comment() == nil)
    }

    private static let integer = "a 64-bit integer"
    private static func identifier(_ longest: Int) -> String { "a string of 1 to \(longest) UTF-16 code units without control characters" }

    private static let missing: [([UInt8], String, String)] = [
        (WebhookBody.json(["ticket_id": nil]), "ticket_id", integer), (WebhookBody.json(["ticket_id": "null"]), "ticket_id", integer),
        (WebhookBody.json(["token": nil]), "token", "an object"), (WebhookBody.json(["token": "null"]), "token", "an object"),
        (WebhookBody.json(["comment": nil]), "comment", "an object"), (WebhookBody.json(["comment": "null"]), "comment", "an object"),
        (WebhookBody.json(token: ["app_id": nil]), "token.app_id", identifier(255)),
        (WebhookBody.json(token: ["app_id": "null"]), "token.app_id", identifier(255)),
        (WebhookBody.json(token: ["user_id": nil]), "token.user_id", identifier(100)),
        (WebhookBody.json(comment: ["comment_id": nil]), "comment.comment_id", integer),
    ]

    @Test(arguments: missing)
    func `names the missing member`(body: [UInt8], path: String, expectation: String) {
        #expect(mistake(body) == "\(path) is missing; expected \(expectation).")
    }

    private struct Unexpected {
        let body: [UInt8]
        let path: String
        let expectation: String

        init(_ body: [UInt8], path: String, expectation: String) {
            self.body = body
            self.path = path
            self.expectation = expectation
        }
    }

    private static func noInteger(_ value: String) -> [Unexpected] {
        [
            Unexpected(WebhookBody.json(["ticket_id": value]), path: "ticket_id", expectation: integer),
            Unexpected(WebhookBody.json(comment: ["comment_id": value]), path: "comment.comment_id", expectation: integer),
        ]
    }

    private static func noIdentifier(_ value: String) -> [Unexpected] {
        [
            Unexpected(WebhookBody.json(token: ["app_id": value]), path: "token.app_id", expectation: identifier(255)),
            Unexpected(WebhookBody.json(token: ["user_id": value]), path: "token.user_id", expectation: identifier(100)),
            Unexpected(WebhookBody.json(token: ["device_id": value]), path: "token.device_id", expectation: identifier(255)),
        ]
    }

    private static func noObject(_ value: String) -> [Unexpected] {
        [
            Unexpected(WebhookBody.json(["token": value]), path: "token", expectation: "an object"),
            Unexpected(WebhookBody.json(["comment": value]), path: "comment", expectation: "an object"),
        ]
    }

    private static let others: [Unexpected] = [
        Unexpected(WebhookBody.json(token: ["app_id": "\"\""]), path: "token.app_id", expectation: identifier(255)),
        Unexpected(WebhookBody.json(token: ["user_id": #""a\u0000""#]), path: "token.user_id", expectation: identifier(100)),
        Unexpected(
            WebhookBody.json(token: ["user_id": "\"\(String(repeating: "\u{1F600}", count: 51))\""]), path: "token.user_id",
            expectation: identifier(100)),
        Unexpected(
            WebhookBody.json(token: ["device_id": "\"\(String(repeating: "x", count: 256))\""]), path: "token.device_id",
            expectation: identifier(255)),
    ]

    private static let notIntegers = [
        "9223372036854775808", "1e999", "true", "1.0", "[]", "{}", "\"\"", #""1x""#, #"" 1""#, #""+1""#, #""9223372036854775808""#,
        #""1.0""#, "\"\u{0661}\"",
    ]

    @Test func `names the unexpected value`() {
        let cases =
            Self.notIntegers.flatMap(Self.noInteger) + Self.notStrings.flatMap(Self.noIdentifier)
            + ["7", "true", "[]", #""x""#].flatMap(Self.noObject) + Self.others
        for entry in cases {
            #expect(
                mistake(entry.body) == "\(entry.path): expected \(entry.expectation).", "\(String(decoding: entry.body, as: UTF8.self))")
        }
    }

    /// A comment with one invalid member: the changed members of the body, its token and its comment, the expected comment, and the skipped
    /// path; nil if the form is valid.
    private struct Odd {
        let body: [UInt8]
        let comment: Comment
        let path: String?
    }

    private static func odd(
        _ changed: [String: String?] = [:], token: [String: String?] = [:], comment: [String: String?] = [:], _ path: String?,
        deviceType: String? = full.deviceType, body: String = full.body, author: Comment.Author? = full.author,
        createdAt: UnixMilliseconds? = full.createdAt, attachments: [Comment.Attachment] = full.attachments
    ) -> Odd {
        Odd(
            body: WebhookBody.json(changed, token: token, comment: comment),
            comment: Comment(
                appID: full.appID, userID: full.userID, ticketID: full.ticketID, commentID: full.commentID, deviceID: full.deviceID,
                deviceType: deviceType, body: body, author: author, createdAt: createdAt, attachments: attachments),
            path: path)
    }

    private static func file(id: HelpDeskID? = 5, name: String? = "a.png", size: Int64? = 1024) -> Comment.Attachment {
        Comment.Attachment(id: id, name: name, size: size)
    }

    private static let oddTimes = [
        #""2026-03-10T08:15:12""#, #""2026-03-10 08:15:12Z""#, #""2026-03-10""#, #""10.03.2026 08:15""#, "1773130512", "1773130512000",
        "17.5",
        #""yesterday""#, #""""#, "true", "[]", "{}", #""1969-12-31T23:59:59Z""#, #""2026-02-30T08:15:12Z""#, #""2026-03-10T08:15:12+0300""#,
    ]

    private static func oddAuthors() -> [Odd] {
        var odds: [Odd] = []
        for author in ["[]", "7", "true", #""Ann""#, "[{}]"] { odds.append(odd(["author": author], "author", author: nil)) }
        for id in ["55123.0", "1e999", "true", "[]", "{}", #""x""#, #""""#, #""+1""#, "9223372036854775808"] {
            odds.append(
                odd(
                    ["author": #"{"name":"Ann","avatar_id":\#(id),"avatar_color":"abcdef"}"#], "author.avatar_id",
                    author: Comment.Author(name: "Ann", avatarID: nil, avatarColor: "abcdef")))
        }
        for value in notStrings {
            odds.append(
                odd(
                    ["author": #"{"name":\#(value),"avatar_id":17,"avatar_color":"abcdef"}"#], "author.name",
                    author: Comment.Author(name: nil, avatarID: 17, avatarColor: "abcdef")))
            odds.append(
                odd(
                    ["author": nil], comment: ["author": #"{"name":"Ann","avatar_id":17,"avatar_color":\#(value)}"#],
                    "comment.author.avatar_color", author: Comment.Author(name: "Ann", avatarID: 17, avatarColor: nil)))
        }
        return odds
    }

    private static func oddAttachments() -> [Odd] {
        var odds: [Odd] = []
        for list in ["{}", "7", "true", #""a.png""#, #"{"id":5}"#] {
            odds.append(odd(["attachments": list], "attachments", attachments: []))
        }
        for list in ["[null]", "[7]", "[[]]", #"["a.png"]"#] { odds.append(odd(["attachments": list], "attachments[]", attachments: [])) }
        for size in [#""31 KB""#, "1024.0", "true", "[]", #""""#] {
            let list = #"[{"id":5,"name":"a.png","size":\#(size)}]"#
            odds.append(odd(["attachments": list], "attachments[].size", attachments: [file(size: nil)]))
        }
        for name in notStrings {
            let list = #"[{"id":5,"name":\#(name),"size":1024}]"#
            odds.append(odd(["attachments": list], "attachments[].name", attachments: [file(name: nil)]))
        }
        let between = #"[null,{"id":5,"name":"a.png","size":1024},7]"#
        odds.append(odd(["attachments": between], "attachments[]", attachments: [file()]))
        odds.append(odd(["attachments": #"[{"name":"a.png","size":1024}]"#], nil, attachments: [file(id: nil)]))
        odds.append(odd(["attachments": "[{}]"], nil, attachments: [file(id: nil, name: nil, size: nil)]))
        let withoutIDs = #"[{"id":"x","name":"a.png","size":1024},{"id":1.5}]"#
        odds.append(
            odd(["attachments": withoutIDs], "attachments[].id", attachments: [file(id: nil), file(id: nil, name: nil, size: nil)]))
        odds.append(odd(["attachments": nil], comment: ["attachments": "{}"], "comment.attachments", attachments: []))
        return odds
    }

    private static func oddOthers() -> [Odd] {
        var odds: [Odd] = []
        for time in oddTimes {
            odds.append(odd(["created_at": time], "created_at", createdAt: nil))
            odds.append(odd(["created_at": nil], comment: ["created_at": time], "comment.created_at", createdAt: nil))
        }
        for value in notStrings {
            odds.append(odd(token: ["type": value], "token.type", deviceType: nil))
            odds.append(odd(comment: ["body": value], "comment.body", body: ""))
        }
        for value in ["2", "-1", "0.0", #""no""#, #""""#, "[]", "{}"] {
            odds.append(odd(comment: ["is_inbound": value], "comment.is_inbound"))
        }
        for value in ["7", "[]", "true", #""\n""#] { odds.append(odd(token: ["token": value], "token.token")) }
        odds.append(odd(token: ["token": #""""#], nil))
        odds.append(odd(comment: ["is_inbound": "0"], nil))
        return odds
    }

    private static let notStrings = ["7", "true", "[]", "{}"]

    @Test func `loses no comment for an invalid optional member`() throws {
        for odd in Self.oddAuthors() + Self.oddAttachments() + Self.oddOthers() {
            let text = String(decoding: odd.body, as: UTF8.self)
            let parser = try WebhookParser(odd.body.span)
            #expect(try parser.comment() == odd.comment, "\(text)")
            #expect(parser.pushToken == nil)
            #expect(parser.leftOut == (odd.path.map { [$0] } ?? []), "\(text)")
        }
    }

    @Test func `lists each invalid member once`() throws {
        let parser = try WebhookParser(
            WebhookBody.json(["attachments": #"[{"size":"1 KB"},{"size":"2 KB"},7,8]"#, "author": "7"], comment: ["body": "7"]).span)
        _ = try parser.comment()
        #expect(parser.leftOut == ["comment.body", "author", "attachments[]", "attachments[].size"])
    }

    @Test func `accepts one as true`() throws {
        let parser = try WebhookParser(WebhookBody.json(comment: ["is_inbound": "1"]).span)
        #expect(try parser.comment() == nil)
        #expect(parser.leftOut.isEmpty)
    }

    @Test(arguments: [
        ("", "The body is not valid JSON: line 1, column 1: the text ends too early."),
        ("{\"ticket_id\":9223372036854775808,}", "The body is not valid JSON: line 1, column 33: not valid JSON."),
        ("{\"a\":1,\"a\":2}", "The body is not valid JSON: line 1, column 10: duplicate key."),
        ("{}x", "The body is not valid JSON: line 1, column 3: more text after the end of the JSON value."),
        ("[]", "The body is JSON, but not an object."),
        ("null", "The body is JSON, but not an object."),
    ])
    func `must be strict JSON`(body: String, message: String) {
        #expect(mistake(Array(body.utf8)) == message)
    }
}
