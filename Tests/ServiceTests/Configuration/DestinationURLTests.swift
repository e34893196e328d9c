import Testing

@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Operators
@testable import Pyrus
@testable import Service

/// The addresses of servers that we call.
@Suite struct DestinationURLTests {
    @Test(arguments: [
        ("https://example.com", "https", "example.com"), ("HTTPS://Example.COM/Path?q=1", "https", "example.com"),
        ("http://localhost:8080/a", "http", "localhost"), ("http://127.0.0.1:1", "http", "127.0.0.1"),
        ("http://[::1]:65535/", "http", "::1"), ("https://a_b-c.example?x", "https", "a_b-c.example"),
        ("socks5://proxy:1080", "socks5", "proxy"),
    ])
    func areTakenApart(text: String, scheme: String, host: String) throws {
        let url = try #require(DestinationURL(text))
        #expect(url.scheme == scheme)
        #expect(url.host == host)
    }

    @Test(arguments: [
        "", "example.com", "https:/example.com", "https://", "https:///path", "https://:1/", "https://user@example.com",
        "https://user:password@example.com/", "https://example.com/#part", "https://example.com/ a", "https://example.com:0",
        "https://example.com:65536", "https://example.com:+1", "https://example.com:", "https://example.com:1x", "https://[::1",
        "https://[::1]x", "https://[]", "https://ex%61mple.com", "https://ex\u{E4}mple.com", "https://example.com\\@localhost",
        "https://example.com\n", "https://localhost@example.com", "http://::1/",
    ])
    func areRefused(_ text: String) {
        #expect(DestinationURL(text) == nil)
    }

    @Test(arguments: [
        ("http://localhost", true), ("http://LOCALHOST:1", true), ("http://127.0.0.1", true), ("http://127.255.255.254:9", true),
        ("http://[::1]", true), ("http://127.0.0.1.example.com", false), ("http://127.0.0.256", false), ("http://127.1", false),
        ("http://128.0.0.1", false), ("http://localhost.example.com", false), ("http://[::2]", false), ("http://127.0.0.+1", false),
    ])
    func areKnownToStayOnThisMachine(text: String, isLoopback: Bool) {
        #expect((DestinationURL(text)?.isLoopback ?? false) == isLoopback)
    }
}
