import Bytes
import HTTPClient
import JSON
import TestSupport
import Testing
import Threading

@testable import URLPreviews

/// Previews of ordinary pages, and their caching.
@Suite struct URLPreviewerTests {
    private func preview(_ page: String, contentType: String = "text/html; charset=utf-8") throws -> URLPreview? {
        var found: URLPreview?
        try PreviewFixture.run({ _ in .everyRequest(PreviewFixture.html(page, contentType: contentType)) }) { (fixture) throws in
            if case .preview(let preview) = try fixture.outcome(fixture.url("page.test", "/a/b?c=d#e")) { found = preview }
        }
        return found
    }

    private func meta(_ pairs: (String, String)...) -> String {
        pairs.map { "<meta property=\"\($0.0)\" content=\"\($0.1)\">" }.joined()
    }

    @Test func `has exactly the help desk's members`() throws {
        let page =
            "<title>Example</title>"
            + meta(
                ("og:image", "https://example.com/a.png"), ("og:title", "Other"), ("og:site_name", "Site &quot;1&quot;"),
                ("description", "Text"))
        let json = String(decoding: try #require(try preview(page)).json, as: UTF8.self)
        let url = try #require(json.firstMatch(of: /"url":"(http:\/\/page.test:[0-9]+\/a\/b\?c=d)"/)).1
        #expect(
            json == #"{"type":"SENDBIRD_DESK_URL_PREVIEW","body":{"url":"\#(url)","site_name":"Site \"1\"","title":"Example","#
                + #""description":"Text","image":"https://example.com/a.png"}}"#)
    }

    private static let preferences: [(String, String, String, String, String)] = [
        // The page, then the title, description, image and site name.
        ("title=T og:title=O twitter:title=W og:image=/i", "T", "", "/i", "T"),
        ("og:title=O twitter:title=W og:image=/i", "O", "", "/i", "O"),
        ("twitter:title=W twitter:image=/w", "W", "", "/w", "W"),
        ("title= og:title=O og:image=/i", "O", "", "/i", "O"),
        ("title=T og:image=/i twitter:image=/w description=D og:description=O twitter:description=W", "T", "D", "/i", "T"),
        ("title=T og:image=/i og:description=O twitter:description=W", "T", "O", "/i", "T"),
        ("title=T og:image=/i twitter:description=W", "T", "W", "/i", "T"),
        ("title=T og:image=javascript:x twitter:image=/w", "T", "", "/w", "T"),
        ("title=T og:image=/1 og:image=/2 og:site_name=S", "T", "", "/1", "S"),
        ("title=T title=U og:image=/i", "T", "", "/i", "T"),
        ("title=T og:image:url=/u", "T", "", "/u", "T"), ("title=T og:image:secure_url=/s", "T", "", "/s", "T"),
        ("title=T twitter:image:src=/s", "T", "", "/s", "T"), ("title=T og:image:url=/u og:image=/i", "T", "", "/i", "T"),
        ("title=T og:image= og:image:url=/u", "T", "", "/u", "T"), ("title=T og:image=data:x og:image:url=/u", "T", "", "/u", "T"),
        ("title=T og:image:secure_url=/s og:image:url=/u twitter:image=/w", "T", "", "/u", "T"),
    ]

    @Test(arguments: preferences.indices)
    func `prefers the same sources as the help desk`(index: Int) throws {
        let (page, title, description, image, site) = Self.preferences[index]
        let text = page.split(separator: " ").map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return pair[0] == "title" ? "<title>\(pair[1])</title>" : meta((String(pair[0]), String(pair[1])))
        }
        let preview = try #require(try preview(text.joined()))
        #expect(preview.title == title)
        #expect(preview.description == description)
        #expect(preview.siteName == site)
        #expect(preview.image.hasSuffix(image))
    }

    @Test(
        arguments: [
            ("https://cdn.example/i.png", "https://cdn.example/i.png"), ("//cdn.example/i.png", "http://cdn.example/i.png"),
            ("i.png", "/a/i.png"), ("../i.png", "/i.png"), ("?x", "/a/b?x"), (" /i.png\n", "/i.png"), ("/a b.png", "/a%20b.png"),
            ("http://a b/", nil),
            ("/ä.png", "/%c3%a4.png"), ("https://пример.рф/и", "https://xn--e1afmkfd.xn--p1ai/%d0%b8"), ("/a&amp;b", "/a&b"),
        ] as [(String, String?)])
    func `resolves images`(image: String, expected: String?) throws {
        let preview = try preview("<title>T</title>" + meta(("og:image", image)))
        #expect((preview?.image.hasSuffix(expected ?? "")) == (expected == nil ? nil : true))
    }

    @Test(arguments: [
        "<body><svg><title>Icon</title></svg>", "<body><svg><g><title>Icon</title></g></svg>",
        "<body><svg><svg><title>A</title></svg><title>B</title></svg>",
        "<head><svg><title>Icon</title></svg>", "<body><SVG><TITLE>Icon</TITLE></SVG>",
        "<body><svg><symbol><title>Icon</title><path/></symbol></svg><p>",
        "<body><a><svg role=img><title>Icon</title><desc>D</desc></svg></a>", "<body><svg/><svg><title>Icon</title></svg>",
        "<body><svg><title></title></svg>", "<body><svg><metadata/><title>Icon",
    ])
    func `ignores the title of a drawing`(drawing: String) throws {
        let tags = meta(("og:title", "Page"), ("og:image", "/i"))
        #expect(try preview("<head>\(tags)</head>\(drawing)")?.title == "Page")
        #expect(try preview("<head><title>Own</title>\(tags)</head>\(drawing)")?.title == "Own")
    }

    @Test(arguments: [
        (#"<base href="https://cdn.example/x/">"#, "i.png", "https://cdn.example/x/i.png"),
        (#"<base href="/x/">"#, "i.png", ":PORT/x/i.png"),
        (#"<base href="../">"#, "i.png", ":PORT/i.png"), (#"<BASE HREF=" https://cdn.example/x ">"#, "i.png", "https://cdn.example/i.png"),
        (#"<base target=_blank><base href="https://cdn.example/">"#, "i.png", "https://cdn.example/i.png"),
        (#"<base href="https://cdn.example/"><base href="https://other.example/">"#, "i.png", "https://cdn.example/i.png"),
        (#"<base href="https://cdn.example/">"#, "https://x.example/i.png", "https://x.example/i.png"),
        (#"<base href="https://cdn.example/">"#, "//x.example/i.png", "https://x.example/i.png"),
        (#"<base href="javascript:x">"#, "i.png", ":PORT/a/i.png"), (#"<base href="">"#, "i.png", ":PORT/a/i.png"),
        (#"<base href="http://a b/">"#, "i.png", ":PORT/a/i.png"), ("<base>", "i.png", ":PORT/a/i.png"),
    ])
    func `resolves an image against the base`(base: String, image: String, expected: String) throws {
        for page in ["<title>T</title>\(base)" + meta(("og:image", image)), "<title>T</title>" + meta(("og:image", image)) + base] {
            let found = try #require(try preview(page)).image.replacing(/:[0-9]+\//, with: ":PORT/")
            #expect(found.hasSuffix(expected))
        }
    }

    @Test func `a foreign base does not change a page's URL`() throws {
        let page = #"<title>T</title><base href="https://cdn.example/">"# + meta(("og:image", "/i"), ("og:url", "/canonical"))
        #expect(try preview(page)?.url.contains("/a/b?c=d") == true)
    }

    @Test func `a letter with many marks is a valid title`() throws {
        let letter = "A" + String(repeating: "\u{301}", count: 5000)
        let title = try #require(try preview("<title>\(letter)</title>" + meta(("og:image", "/i")))).title
        #expect(title.unicodeScalars.first == "A")
        #expect(title.unicodeScalars.count == URLPreview.longestTitle)
    }

    @Test func `uses the page's own URL only for its host`() throws {
        let image = meta(("og:image", "/i"))
        #expect(
            try preview("<title>T</title>\(image)" + meta(("og:url", "https://page.test/canonical")))?.url == "https://page.test/canonical")
        #expect(try preview("<title>T</title>\(image)" + meta(("og:url", "https://bank.example/")))?.url.contains("/a/b?c=d") == true)
        #expect(try preview("<title>T</title>\(image)" + meta(("og:url", "javascript:x")))?.url.contains("/a/b?c=d") == true)
        #expect(try preview("<title>T</title>\(image)" + meta(("og:url", "https://user@page.test/")))?.url.contains("/a/b?c=d") == true)
    }

    @Test func `cleans texts`() throws {
        let title = "\n  A\u{202E}B\u{0007}\t C&#x202E;&#8203;\u{2066}D &lt;b&gt; \u{E000}👩‍👩‍👧 "
        #expect(try preview("<title>\(title)</title>" + meta(("og:image", "/i")))?.title == "AB CD <b> 👩‍👩‍👧")
    }

    @Test func `cuts texts`() throws {
        let long = String(repeating: "e\u{301}", count: 5000)
        let preview = try #require(
            try preview("<title>\(long)</title>" + meta(("og:image", "/i"), ("description", long), ("og:site_name", long))))
        #expect(preview.title.unicodeScalars.count == 200)
        #expect(preview.siteName.unicodeScalars.count == 200)
        #expect(preview.description.unicodeScalars.count == 500)
        #expect(preview.description.last == "e\u{301}")
    }

    @Test func `follows redirects`() throws {
        let script: (UInt16) -> ScriptedServer.Script = { port in
            .requests([
                [PreviewFixture.redirect("/two", status: 301)], [PreviewFixture.redirect("//other.test:\(port)/three", status: 307)],
                [PreviewFixture.redirect("four?x#y", status: 308)], [PreviewFixture.html(PreviewFixture.html())],
            ])
        }
        try PreviewFixture.run(script) { (fixture) throws in
            guard case .preview(let preview) = try fixture.outcome(fixture.url()) else { return #expect(Bool(false), "no preview") }
            #expect(preview.url == "http://other.test:\(fixture.server.port)/four?x")
            #expect(fixture.server.requests.map(\.target) == ["/", "/two", "/three", "/four?x"])
        }
    }

    @Test func `sends nothing about the user`() throws {
        let script = ScriptedServer.Script.requests([
            [.respond(302, headers: ["Location: /two", "Set-Cookie: a=b"])], [PreviewFixture.html(PreviewFixture.html())],
        ])
        try PreviewFixture.run({ _ in script }) { (fixture) throws in
            #expect(try fixture.title(fixture.url("page.test", "/?q=secret#fragment")) == "Title")
            for request in fixture.server.requests {
                #expect(request.method == "GET")
                let names = ["accept", "accept-encoding", "connection", "host", "user-agent"]
                #expect(request.headers.map { $0.name.lowercased() }.sorted() == names)
                #expect(request.header("User-Agent") == URLPreviewer.userAgent)
                #expect(request.header("Accept") == "text/html")
            }
            // The image is never fetched.
            #expect(fixture.server.requests.map(\.target) == ["/?q=secret", "/two"])
        }
    }

    @Test func `decodes every encoding`() throws {
        let body: [UInt8] =
            Array("<meta charset=windows-1251><title>".utf8) + [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]
            + Array("</title><meta property=og:image content=/i>".utf8)
        let units = Array("<title>Ж</title><meta property=og:image content=/i>".utf16)
        let utf16: [UInt8] = [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for (bytes, title) in [(body, "Привет"), (utf16, "Ж")] {
            let head = Array("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(bytes.count)\r\n\r\n".utf8)
            try PreviewFixture.run({ _ in .everyRequest(.send(head + bytes)) }) { (fixture) throws in
                #expect(try fixture.title(fixture.url()) == title)
            }
        }
    }

    @Test func `tries the next address`() throws {
        // No server listens at the first address, which is also treated as public here.
        let names: DNSServer.Script = { _, isIPv6, _ in isIPv6 ? .records([]) : .addresses("127.0.0.3", "127.0.0.1") }
        try PreviewFixture.run(names: names, rules: { rules in rules.admits = { ["127.0.0.3", "127.0.0.1"].contains($0.description) } }) {
            (fixture) throws in
            #expect(try fixture.title(fixture.url()) == "Title")
        }
    }

    @Test func `is cached`() throws {
        try PreviewFixture.run { (fixture) throws in
            #expect(try fixture.title(fixture.url()) == "Title")
            #expect(try fixture.title("HTTP://PAGE.test:\(fixture.server.port)/x/../#y") == "Title")
            #expect(fixture.server.requests.count == 1)
        }
        try PreviewFixture.run({ _ in .everyRequest(.respond(500)) }) { (fixture) throws in
            for _ in 0..<3 { #expect(try fixture.outcome(fixture.url()) == .none(.status)) }
            #expect(fixture.server.requests.count == 1)
        }
    }

    @Test func `is fetched once for concurrent requests`() throws {
        try PreviewFixture.run({ _ in .everyRequest(.awaitRelease, PreviewFixture.html(PreviewFixture.html())) }) { (fixture) throws in
            let outcomes = Monitor<[PreviewOutcome]>([])
            let url = try WebURL(fixture.url())
            for _ in 0..<20 {
                fixture.previewer.preview(of: url, for: PreviewFixture.person) { outcome in outcomes.update { $0.append(outcome) } }
            }
            #expect(fixture.server.waitForRequests(1))
            fixture.server.release(20)
            let all = outcomes.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) { $0.count == 20 ? $0 : nil }
            #expect(all?.allSatisfy { $0 != .busy } == true)
            #expect(fixture.server.requests.count == 1)
        }
    }

    @Test func `limits concurrent fetches`() throws {
        var limits = PreviewCache<URLPreviewer.Waiter>.Limits()
        limits.fetches = 2
        try PreviewFixture.run({ _ in .everyRequest(.awaitRelease, PreviewFixture.html(PreviewFixture.html())) }, limits: limits) {
            fixture in
            let outcomes = Monitor<[PreviewOutcome]>([])
            for path in ["/1", "/2"] {
                fixture.previewer.preview(of: try WebURL(fixture.url("page.test", path)), for: PreviewFixture.person) { outcome in
                    outcomes.update { $0.append(outcome) }
                }
            }
            #expect(try fixture.outcome(fixture.url("page.test", "/3")) == .busy)
            fixture.server.release(3)
            #expect(outcomes.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) { $0.count == 2 ? $0 : nil } != nil)
            #expect(try fixture.title(fixture.url("page.test", "/3")) == "Title")
        }
    }

    /// Sixteen slow pages of one person: two are fetched, and the others leave their places to other people.
    @Test func `one person's slow pages leave room for others`() throws {
        let slow = [ScriptedStep.awaitRelease, PreviewFixture.html(PreviewFixture.html())]
        try PreviewFixture.run({ _ in .requests([slow, slow, [PreviewFixture.html(PreviewFixture.html())]]) }) { fixture in
            let outcomes = Monitor<[PreviewOutcome]>([])
            for number in 1...16 {
                let url = try WebURL(fixture.url("page.test", "/\(number)"))
                fixture.previewer.preview(of: url, for: PreviewFixture.person) { outcome in outcomes.update { $0.append(outcome) } }
            }
            #expect(fixture.server.waitForRequests(2))
            #expect(outcomes.withLock { $0 } == [PreviewOutcome](repeating: .busy, count: 14))
            for (app, user) in [("shop", "user-2"), ("shop", "user-3"), ("bank", "user-1")] {
                let outcome = try fixture.outcome(fixture.url("page.test", "/\(app)-\(user)"), for: ShareOwner(app, user))
                if case .preview = outcome { continue }
                Issue.record("\(user) of \(app) has no preview")
            }
            #expect(fixture.server.requests.count == 5)
            fixture.server.release(2)
            #expect(outcomes.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) { $0.count == 16 ? true : nil } == true)
        }
    }

    @Test func `ends when the service stops`() throws {
        try PreviewFixture.run({ _ in .everyConnection(.readRequest, .hang) }) { (fixture) throws in
            let outcome = Monitor<PreviewOutcome?>(nil)
            fixture.previewer.preview(of: try WebURL(fixture.url()), for: PreviewFixture.person) { found in outcome.update { $0 = found } }
            #expect(fixture.server.waitForRequests(1))
            fixture.previewer.close()
            #expect(outcome.withLock { $0 } == .busy)
            #expect(try fixture.outcome(fixture.url("page.test", "/other")) == .busy)
        }
    }

    @Test(arguments: 0..<30)
    func `returns valid JSON for any page`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let words = [
            "<title>", "</title>", "<meta property=\"og:image\" content=\"/", "\">", "<meta name=description content='", "'>", "&#0;",
            "\u{202E}",
        ]
        .map { Array($0.utf8) }
        let body =
            Array("<title>a".utf8) + (0..<300).flatMap { _ in Bool.random(using: &random) ? random.element(of: words) : random.bytes(5) }
        let page = Page(url: try WebURL("http://page.test/"), contentType: "text/html", body: body, failure: nil)
        guard let preview = try? URLPreview(page, PreviewRules()) else { return }
        let json = preview.json
        #expect(json.count < 4 * 4096 + 6 * (900 + 100))
        #expect(JSONValue(parsing: json) != nil)
        #expect(!preview.title.isEmpty)
        #expect(preview.title.unicodeScalars.count <= URLPreview.longestTitle)
        #expect(preview.image.utf8.allSatisfy { 0x21...0x7E ~= $0 })
        #expect(preview.image.hasPrefix("http"))
    }
}
