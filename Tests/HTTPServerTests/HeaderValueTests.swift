import HTTPServer
import TestSupport
import Testing

/// Spaces and tabs around a header's value are no part of it (RFC 9110 section 5.5).
@Suite struct HeaderValueTests {
    /// The values as a handler gets them, in angle brackets, and behind a slash the request's id.
    private func told(_ headers: String) throws -> String {
        try ServerFixture.answers(to: "\(headers)X-Request-Id: \t r1 \t\r\n") { request in
            var told = ""
            request.withHeader("X-Value") { value in
                if let value { told = "<\(Self.text(value))>" }
            }
            for value in request.headerValues("x-value") { told += "<\(String(decoding: value, as: UTF8.self))>" }
            return told + "/\(request.requestID)"
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
    func areTrimmed(headers: String, expected: String) throws {
        #expect(try told(headers) == "\(expected)/r1")
    }

    @Test(arguments: [
        ("Bearer a", "a"), ("bearer a", "a"), ("BEARER   a", "a"), ("Bearer     a b", "a b"), ("Bearer", nil), ("Bearer ", nil),
        ("Bearer   ", nil), ("Bearer\ta", nil), ("Bearera", nil), ("Bearers a", nil), (" Bearer a", nil), ("Basic a", nil), ("", nil),
    ])
    func theTokenIsBehindOneOrMoreSpaces(value: String, token: String?) {
        let bytes = Array(value.utf8)
        #expect(bearerTokenStart(bytes.span).map { String(decoding: bytes[$0...], as: UTF8.self) } == token)
    }
}
