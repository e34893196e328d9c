import HTTPServer
import TestSupport
import Testing

/// Spaces and tabs around a header's value are not part of it (RFC 9110 section 5.5).
@Suite struct HeaderValueTests {
    /// The values that a handler gets, in angle brackets, followed by a slash and the request's id.
    private func reported(_ headers: String) throws -> String {
        try ServerFixture.answers(to: "\(headers)X-Request-Id: \t r1 \t\r\n") { request in
            var reported = ""
            request.withHeader("X-Value") { value in
                if let value { reported = "<\(Self.text(value))>" }
            }
            for value in request.headerValues("x-value") { reported += "<\(String(decoding: value, as: UTF8.self))>" }
            return reported + "/\(request.requestID)"
        }[0]
    }

    private static func text(_ span: Span<UInt8>) -> String {
        String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
    }

    @Test(arguments: [
        ("X-Value: a\r\n", "<a><a>"), ("X-Value:a\r\n", "<a><a>"), ("X-Value: a\t\r\n", "<a><a>"), ("X-Value: a \r\n", "<a><a>"),
        ("X-Value:\ta\r\n", "<a><a>"), ("X-Value: \t a \t \t\r\n", "<a><a>"), ("X-Value: a \t b\t\r\n", "<a \t b><a \t b>"),
        ("X-Value:\r\n", "<><>"), ("X-Value: \t \r\n", "<><>"), ("X-Value: a\t\r\nx-value:\tb\r\n", "<a><a><b>"), ("", ""),
    ])
    func `are trimmed`(headers: String, expected: String) throws {
        #expect(try reported(headers) == "\(expected)/r1")
    }

    /// The token of a request; `none` without one.
    private func token(_ headers: String) throws -> String {
        try ServerFixture.answers(to: headers) { request in
            var reported = "none"
            request.withBearerToken { token in
                if let token { reported = "<\(Self.text(token))>" }
            }
            return reported
        }[0]
    }

    @Test(arguments: [
        ("Bearer a", "<a>"), ("bearer a", "<a>"), ("BEARER   a", "<a>"), ("Bearer     a b", "<a b>"), (" Bearer a ", "<a>"),
        ("Bearer", "none"), ("Bearer ", "none"), ("Bearer   ", "none"), ("Bearer\ta", "none"), ("Bearera", "none"), ("Bearers a", "none"),
        ("Basic a", "none"), ("", "none"), ("a, Bearer a", "none"),
    ])
    func `the token follows one or more spaces`(value: String, expected: String) throws {
        #expect(try token("Authorization: \(value)\r\n") == expected)
    }

    /// A proxy may have checked the other one.
    @Test(arguments: [
        ("", "none"), ("Authorization: Bearer a\r\n", "<a>"), ("AUTHORIZATION:Bearer a\r\nX-Authorization: Bearer b\r\n", "<a>"),
        ("Authorization: Bearer a\r\nAuthorization: Bearer a\r\n", "none"),
        ("Authorization: Bearer a\r\nauthorization: Bearer b\r\n", "none"),
        ("Authorization: Basic a\r\nAuthorization: Bearer b\r\n", "none"),
        ("Authorization: Bearer a\r\nAuthorization: Basic b\r\n", "none"),
        ("Authorization:\r\nAuthorization: Bearer a\r\n", "none"), ("Authorization: Bearer a\r\nX-A: 1\r\nAuthorization:\r\n", "none"),
        ("Authorization: Bearer a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer a\r\n", "none"),
    ])
    func `exactly one Authorization header is accepted`(headers: String, expected: String) throws {
        #expect(try token(headers) == expected)
    }
}
