import Core
import HTTPClient
import JSON
import TestSupport
import Testing

@Suite struct BotURLTemplateTests {
    private static let templates = [
        "https://shop.example.com/orders/{a}/items/{b}?lang={a}&x=1&y={b}", "https://shop.example.com:8443/{a}",
        "http://127.0.0.1:9000/v1/{a}-{b}/x",
        "https://shop.example.com?q={a}", "https://shop.example.com/find?q=x{a}y&r={b}{a}", "https://[::1]:99/{a}.json?b={b}{a}",
    ]

    /// The fixed parts of a template's address.
    private struct Form: Equatable {
        let origin: String
        let segments, items: Int

        init(_ url: WebURL) {
            let parts = url.text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let path = parts[0].split(separator: "/", omittingEmptySubsequences: false)
            origin = "\(path[0])//\(url.host):\(url.port)"
            segments = path.count - 3
            items = parts.count < 2 ? 0 : parts[1].split(separator: "&", omittingEmptySubsequences: false).count
        }
    }

    @Test(arguments: templates) func `a value stays in its place`(_ text: String) throws {
        let template = try BotURLTemplate(text)
        let form = Form(try WebURL(template.sample))
        var generator = SeededGenerator(seed: 5)
        var filled = 0
        for _ in 0..<3000 {
            let (a, b) = (BotSamples.text(12, using: &generator), BotSamples.text(12, using: &generator))
            guard let address = try? template.filled({ $0 == "a" ? a : b }) else { continue }
            filled += 1
            let url = try WebURL(address)
            #expect(Form(url) == form)
            // libcurl parses the same parts, so no value was taken for a delimiter.
            #expect(url.text.hasSuffix(String(address.dropFirst(template.origin.count))))
        }
        #expect(filled > 100)
    }

    @Test(
        arguments: [
            "", ".", "..", "a/../b", "../admin", "..\\admin", "%2e%2e", "%2E", ".%2e", "%252e%252e", "a/%2e%2e/b", "..;x", "a\nb", "a\0b",
            "a\u{7f}", "%0d%0a", "%2525252e", String(repeating: "x", count: 1025),
        ]) func `a path rejects arguments that would change it`(_ value: String) throws
    {
        let template = try BotURLTemplate("https://shop.example.com/orders/{a}/x")
        #expect(throws: BotArgumentsProblem.self) { try template.filled { _ in value } }
        // In a query the value has no special meaning.
        let query = try BotURLTemplate("https://shop.example.com/orders?a={a}")
        #expect(try query.filled { _ in value } == "https://shop.example.com/orders?a=\(BotURLTemplate.escaped(value))")
    }

    @Test(arguments: [
        ("7", "7"), ("a/b", "a%2Fb"), ("...", "..."), ("a.b", "a.b"), ("a b?#&é", "a%20b%3F%23%26%C3%A9"), ("100%", "100%25"),
    ])
    func `a path takes encoded arguments`(_ value: String, _ expected: String) throws {
        let template = try BotURLTemplate("https://shop.example.com/orders/{a}/x")
        #expect(try template.filled { _ in value } == "https://shop.example.com/orders/\(expected)/x")
    }

    @Test func `parts of a segment cannot form dot segments`() throws {
        let template = try BotURLTemplate("https://shop.example.com/.{a}/{b}{c}")
        #expect(throws: BotArgumentsProblem.self) { try template.filled { $0 == "a" ? "." : "x" } }
        #expect(throws: BotArgumentsProblem.self) { try template.filled { $0 == "a" ? "x" : "." } }
        #expect(try template.filled { _ in "x" } == "https://shop.example.com/.x/xx")
    }

    @Test func `a filled address is limited in length`() throws {
        let template = try BotURLTemplate("https://shop.example.com/?a={a}")
        #expect(throws: BotArgumentsProblem("the arguments are too long for a URL")) {
            try template.filled { _ in String(repeating: "x", count: 4096) }
        }
    }

    @Test(
        arguments: [
            ("shop.example.com/a", .malformed), ("https://user:pass@shop.example.com/", .malformed), ("https:///x", .malformed),
            ("https://", .malformed), ("https://shop.example.com/#x", .malformed), ("https://shop.example.com/a b", .malformed),
            ("https://shop.example.com/é", .malformed), ("https://shop.example.com/{{x}}", .malformed), ("", .malformed),
            ("https:/x", .malformed),
            ("https://{a}/x", .misplaced("a")), ("https://shop.example.com:{a}/", .misplaced("a")),
            ("{a}://shop.example.com/", .misplaced("a")),
            ("https://shop.example.com{a}/", .misplaced("a")), ("https://shop.example.com/?{a}=1", .misplaced("a")),
            ("https://shop.example.com/?a=1&{a}", .misplaced("a")), ("https://shop.example.com/x/../y", .dotSegment),
            ("https://shop.example.com/./y", .dotSegment), ("https://shop.example.com/%2E%2e", .dotSegment),
            ("https://shop.example.com/{a", .text(.unpairedBrace)), ("https://shop.example.com/a}", .text(.unpairedBrace)),
            ("https://shop.example.com/{}", .text(.name)), ("https://shop.example.com/{a b}", .text(.name)),
        ] as [(String, BotURLTemplate.Problem)]) func refuses(_ text: String, _ problem: BotURLTemplate.Problem)
    {
        #expect(throws: problem) { try BotURLTemplate(text) }
    }
}
