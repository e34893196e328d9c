import HTTPClient
import Testing

/// URLs as libcurl parses them.
@Suite struct WebURLTests {
    @Test(
        arguments: [
            ("http://example.com", "http://example.com/", "example.com", 80),
            ("HTTPS://EXAMPLE.com:443/A?B#C", "https://example.com/A?B", "example.com", 443),
            ("http://example.com:8080", "http://example.com:8080/", "example.com", 8080),
            ("https://example.com:80/", "https://example.com:80/", "example.com", 80),
            ("http://example.com/a/../b/./c", "http://example.com/b/c", "example.com", 80),
            ("http://2130706433/", "http://127.0.0.1/", "127.0.0.1", 80),
            ("http://0x7f.1/", "http://127.0.0.1/", "127.0.0.1", 80),
            ("http://[::FFFF:127.0.0.1]/", "http://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1", 80),
            ("http://пример.рф/путь?я", "http://xn--e1afmkfd.xn--p1ai/%d0%bf%d1%83%d1%82%d1%8c?%d1%8f", "xn--e1afmkfd.xn--p1ai", 80),
            ("http://аррӏе.com/", "http://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com", 80),
            ("http://faß.de/", "http://xn--fa-hia.de/", "xn--fa-hia.de", 80),
            ("http://example.com/a b", "http://example.com/a%20b", "example.com", 80),
            ("http://localhost./", "http://localhost./", "localhost.", 80),
            ("http://a_b.example/", "http://a_b.example/", "a_b.example", 80),
        ] as [(String, String, String, UInt16)])
    func `are normalized to one spelling`(text: String, expected: String, host: String, port: UInt16) throws {
        let url = try WebURL(text)
        #expect(url.text == expected)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(try WebURL(url.text) == url)
    }

    @Test(
        arguments: [
            ("", .malformed), ("example.com", .malformed), ("//example.com/", .malformed), ("http://", .malformed),
            ("http:///", .malformed),
            ("http://exa mple.com/", .malformed), (" http://example.com/", .malformed), ("http://example.com/a b c\t", .malformed),
            ("http://example.com/\n", .malformed), ("http://example.com/\0", .malformed), ("http://a%00b/", .malformed),
            ("http://a%2fb/", .malformed),
            ("http://%zz/", .malformed), ("http://[::1", .malformed), ("http://[::1]x/", .malformed),
            ("http://[fe80::1%25lo]/", .malformed),
            ("http://example.com:99999/", .malformed), ("http://example.com:-1/", .malformed), ("http://example.com:x/", .malformed),
            ("http:example.com", .malformed), ("file:///etc/passwd", .scheme), ("gopher://example.com/", .scheme),
            ("ftp://example.com/", .scheme),
            ("javascript:alert(1)", .scheme), ("mailto:a@b.example", .scheme), ("foo://example.com/", .scheme),
            ("http://a@b/", .credentials),
            ("http://a:b@c/", .credentials), ("http://@b/", .credentials), ("http://a\\@127.0.0.1/", .credentials),
        ] as [(String, WebURL.Problem)])
    func `are rejected`(text: String, problem: WebURL.Problem) {
        #expect(throws: problem) { try WebURL(text) }
    }

    @Test func `are limited in length`() throws {
        let start = "http://example.com/"
        let longest = start + String(repeating: "x", count: WebURL.longest - start.utf8.count)
        #expect(try WebURL(longest).text == longest)
        #expect(throws: WebURL.Problem.tooLong) { try WebURL(longest + "x") }
        // Encoding makes it longer.
        #expect(throws: WebURL.Problem.malformed) { try WebURL(start + String(repeating: "ж", count: 1500)) }
    }

    @Test(arguments: [
        ("/c", "https://example.com/c"), ("c", "https://example.com/a/c"), ("../c", "https://example.com/c"),
        ("?c", "https://example.com/a/b?c"),
        ("//other.example/c", "https://other.example/c"), ("http://other.example", "http://other.example/"),
        ("#c", "https://example.com/a/b"),
    ])
    func `resolve references`(reference: String, expected: String) throws {
        #expect(try WebURL("https://example.com/a/b#x").resolving(reference).text == expected)
    }

    @Test func `are not resolved to another scheme`() throws {
        let url = try WebURL("https://example.com/")
        for reference in ["file:///etc/passwd", "gopher://x/", "http://a@b/", "https://[::1%25lo]/"] {
            #expect(throws: WebURL.Problem.self) { try url.resolving(reference) }
        }
    }
}
