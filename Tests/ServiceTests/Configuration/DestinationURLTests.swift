import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The addresses of servers that Deskgate calls.
@Suite struct DestinationURLTests {
    @Test(arguments: [
        ("https://example.com", "https", "example.com"), ("HTTPS://Example.COM/Path?q=1", "https", "example.com"),
        ("http://localhost:8080/a", "http", "localhost"), ("http://127.0.0.1:1", "http", "127.0.0.1"),
        ("http://[::1]:65535/", "http", "::1"), ("https://a_b-c.example?x", "https", "a_b-c.example"),
        ("socks5://proxy:1080", "socks5", "proxy"),
    ])
    func `are split into their parts`(text: String, scheme: String, host: String) throws {
        let url = try DestinationURL(text)
        #expect(url.scheme == scheme)
        #expect(url.host == host)
    }

    @Test(
        arguments: [
            ("", .noScheme), ("example.com", .noScheme), ("https:/example.com", .noScheme), ("localhost:8080", .noScheme),
            ("//example.com", .noScheme), ("https://", .noHost), ("https:///path", .noHost), ("https://:1/", .noHost),
            ("https://[]", .noHost),
            ("https://user@example.com", .user), ("https://user:password@example.com/", .user), ("https://localhost@example.com", .user),
            ("https://example.com\\@localhost", .user), ("https://example.com/#part", .fragment), ("https://example.com/ a", .space),
            ("https://example.com\n", .space), (" https://example.com", .space), ("https://example.com/\u{A0}", .space),
            ("https://example.com:0", .port), ("https://example.com:65536", .port), ("https://example.com:+1", .port),
            ("https://example.com:", .port), ("https://example.com:1x", .port), ("https://[::1]x", .port), ("https://[::1", .noBrackets),
            ("http://::1/", .noBrackets), ("http://2001:db8::1/", .noBrackets), ("https://ex%61mple.com", .host),
            ("https://ex\u{E4}mple.com", .international), ("https://example.com/\u{E4}", .notASCII),
            ("https://example.com/{id}", .character(0x7B)), ("https://example.com\\a", .character(0x5C)),
        ] as [(String, DestinationURL.Problem)])
    func `each flaw has a distinct reason`(_ text: String, _ problem: DestinationURL.Problem) {
        #expect(throws: problem) { try DestinationURL(text) }
    }

    @Test func `a character that must be escaped is reported with its escape`() {
        #expect(DestinationURL.Problem.character(0x7B).description == "an address cannot contain {; write %7B in its place")
    }

    @Test(arguments: [
        ("http://localhost", true), ("http://LOCALHOST:1", true), ("http://127.0.0.1", true), ("http://127.255.255.254:9", true),
        ("http://[::1]", true), ("http://127.0.0.1.example.com", false), ("http://127.0.0.256", false), ("http://127.1", false),
        ("http://128.0.0.1", false), ("http://localhost.example.com", false), ("http://[::2]", false), ("http://127.0.0.+1", false),
    ])
    func `are recognised as local`(text: String, isLoopback: Bool) {
        #expect(((try? DestinationURL(text))?.isLoopback ?? false) == isLoopback)
    }
}
