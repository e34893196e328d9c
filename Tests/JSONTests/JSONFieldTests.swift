import JSON
import Testing

@Suite struct JSONFieldTests {
    private enum Verdict { case allowed, denied }

    private func bytes(of name: StaticString, in text: String) throws -> [UInt8] {
        let document = try JSONDocument(parsing: Array(text.utf8).span)
        return try document.withString(name) { span in span.indices.map { span[$0] } }
    }

    private func failure(of name: StaticString, in text: String) throws -> JSONFieldError? {
        let document = try JSONDocument(parsing: Array(text.utf8).span)
        do throws(JSONFieldError) {
            try document.withString(name) { _ in }
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (#"{"user_id":"ann"}"#, "ann"), (#"{"x":{"user_id":"no"},"user_id":"yes"}"#, "yes"), (#"{"\u0075ser_id":"a"}"#, "a"),
        (#"{"user_id":""}"#, ""), (#"{"user_id":"a\u0000b"}"#, "a\0b"), (#"{"user_id":"caf\u00e9 \ud83d\ude00"}"#, "caf\u{e9} 😀"),
        (#"{"user_id":"cafe\u0301"}"#, "cafe\u{301}"),
    ])
    func `passes the bytes`(_ text: String, _ expected: String) throws {
        #expect(try bytes(of: "user_id", in: text) == Array(expected.utf8))
    }

    @Test(
        arguments: [
            ("{}", .missing), (#"{"USER_ID":"a","user_id ":"b","user_i":"c","user_idx":"d"}"#, .missing), (#"{"user_id":null}"#, .null),
            (#"{"user_id":1}"#, .notAString), (#"{"user_id":1.5}"#, .notAString), (#"{"user_id":true}"#, .notAString),
            (#"{"user_id":false}"#, .notAString), (#"{"user_id":["a"]}"#, .notAString), (#"{"user_id":{}}"#, .notAString),
            ("[]", .rootNotAnObject), (#"["user_id"]"#, .rootNotAnObject), (#""user_id""#, .rootNotAnObject), ("1", .rootNotAnObject),
            ("null", .rootNotAnObject), ("true", .rootNotAnObject),
        ] as [(String, JSONFieldError.Problem)])
    func `reports the problem of a value`(_ text: String, _ problem: JSONFieldError.Problem) throws {
        let failure = try #require(try failure(of: "user_id", in: text))
        #expect(failure.problem == problem)
        #expect(failure.name.description == "user_id")
        #expect(failure.description.hasPrefix("user_id "))
    }

    @Test func `never quotes the value`() throws {
        let failure = try #require(try failure(of: "user_id", in: #"{"user_id":["MARKER"]}"#))
        #expect(!String(reflecting: failure).contains("MARKER"))
    }

    @Test func `compares keys as bytes`() throws {
        #expect(try bytes(of: "caf\u{e9}", in: #"{"cafe\u0301":"two","caf\u00e9":"one"}"#) == Array("one".utf8))
        #expect(try failure(of: "caf\u{e9}", in: #"{"cafe\u0301":"two"}"#)?.problem == .missing)
    }

    @Test func `reads fields of nested objects`() throws {
        let text = #"{"app_id":"shop","user_id":"ann","security_key":"shop ann"}"#
        let document = try JSONDocument(parsing: Array(text.utf8).span)
        let verdict = try document.withString("app_id") { app throws(JSONFieldError) in
            try document.withString("user_id") { user throws(JSONFieldError) in
                try document.withString("security_key") { key in
                    app.count + user.count + 1 == key.count ? Verdict.allowed : .denied
                }
            }
        }
        #expect(verdict == .allowed)
    }

    @Test func `rethrows the errors of the inner call`() throws {
        let document = try JSONDocument(parsing: Array(#"{"app_id":"shop"}"#.utf8).span)
        do throws(JSONFieldError) {
            try document.withString("app_id") { _ throws(JSONFieldError) in
                try document.withString("user_id") { _ in }
            }
            Issue.record("a missing field was found")
        } catch {
            #expect(error.name.description == "user_id")
            #expect(error.problem == .missing)
        }
    }
}
