import Testing

@testable import HTTPClient

@Suite struct RequestTests {
    private func invalid(_ url: String = "http://host/", headers: [(name: String, value: String)] = []) -> ClientRequest.Problem? {
        do throws(ClientRequest.Problem) {
            _ = try ClientRequest(.post, url, headers: headers, timeoutMilliseconds: 1000)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "http://host", "https://host:8443/a?b#c", "HTTPS://HOST", "http://user:password@host/", "http://[::1]:80/", "http://127.0.0.1?x=/",
    ])
    func `accepts URLs`(url: String) {
        #expect(invalid(url) == nil)
    }

    @Test(arguments: [
        "", "host", "ftp://host/", "file:///etc/passwd", "http:/host", "http://", "http:///path", "http://user@/", "http://:80/",
        "http://?x",
        "http://host/a b", "http://host/\r\nX: y", "http://host/\u{0}", "http://h\u{F6}st/", " http://host/", "gopher://host",
    ])
    func `rejects other URLs`(url: String) {
        #expect(invalid(url) == .url)
    }

    @Test(arguments: [("X-Id", "a b\tc"), ("a", ""), ("!#$%&'*+-.^_`|~", "x"), ("X", "gr\u{FC}n"), ("Host", "other")])
    func `accepts headers`(name: String, value: String) {
        #expect(invalid(headers: [(name, value)]) == nil)
    }

    @Test(arguments: [
        "", "X Y", "X:", "X\r\nY", "X\n", "\u{FC}", "Content-Length", "content-length", "Transfer-Encoding", "CONNECTION", "Expect",
        "Upgrade",
        "TE", "Trailer",
    ])
    func `rejects names`(name: String) {
        #expect(invalid(headers: [("A", "b"), (name, "value")]) == .headerName(index: 1))
    }

    @Test(arguments: ["a\r\nX: y", "a\nb", "a\rb", "\u{0}", "\u{7F}", "\u{1B}[0m"])
    func `rejects values`(value: String) {
        #expect(invalid(headers: [("X", value)]) == .headerValue(index: 0))
    }

    @Test func `descriptions do not contain the input`() {
        for error in [ClientRequest.Problem.url, .headerName(index: 3), .headerValue(index: 4)] {
            #expect(!error.description.isEmpty)
            #expect(!error.description.contains("\n"))
        }
        #expect(ClientRequest.Problem.headerValue(index: 4).description == "header 4 has control characters in its value")
    }

    @Test(arguments: [
        ("http://Host/a", "HTTP://user@hOST?x", true), ("http://host", "https://host", false), ("http://host:1", "http://host:2", false),
        ("http://a@b@host", "http://host", true), ("http://host#@other", "http://host", true), ("http://host\\@other", "http://host", true),
    ])
    func `groups by origin`(one: String, other: String, isSame: Bool) throws {
        #expect(try (#require(Origin(one)) == #require(Origin(other))) == isSame)
    }

    @Test(arguments: [("http://host", false), ("HTTPS://host", true)])
    func `detects TLS`(url: String, isSecure: Bool) throws {
        #expect(try #require(Origin(url)).isSecure == isSecure)
    }
}
