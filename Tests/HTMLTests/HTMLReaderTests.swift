import Glibc
import TestSupport
import Testing

@testable import HTML

/// Pages as events, and the limits of parsing them.
@Suite struct HTMLReaderTests {
    private func events(_ page: String, limits: HTMLLimits = HTMLLimits()) -> [HTMLEvent] {
        var events: [HTMLEvent] = []
        HTMLReader.read(Array(page.utf8), wanting: ["title", "meta"], limits: limits) { event in
            if case .text(let more) = event, case .text(let text)? = events.last {
                events[events.count - 1] = .text(text + more)
            } else {
                events.append(event)
            }
            return true
        }
        return events
    }

    private static let title: [HTMLEvent] = [.start("title", attributes: []), .text("Title"), .end("title")]

    @Test(arguments: [
        "<title>Title</title>", "<TITLE>Title</TITLE>", "<!DOCTYPE html><html><head><title>Title</title></head><body>x</body></html>",
        "<title>Title", "<html><head><title>Title</head>", "<!-- <title>no</title> --><title>Title</title>",
        "<script>'<title>no</title>'</script><title>Title</title>", "<style>a:after{content:'<title>'}</style><title>Title</title>",
        "<title>&#84;itl&#x65;</title>", "<title>Title</title><p>text</p>", "\u{FEFF}<title>Title</title>",
    ])
    func `finds the title`(page: String) {
        #expect(events(page) == Self.title)
    }

    @Test func `decodes values`() {
        let page =
            #"<meta property="og:title" content="A &amp; B &quot;C&quot; &eacute;&#128512;"><meta name=x content=plain><META charset>"#
        #expect(
            events(page).filter { if case .start = $0 { true } else { false } } == [
                .start("meta", attributes: [("property", "og:title"), ("content", "A & B \"C\" é😀")]),
                .start("meta", attributes: [("name", "x"), ("content", "plain")]), .start("meta", attributes: [("charset", "")]),
            ])
    }

    @Test func `ignores encodings of the page`() {
        #expect(events(#"<meta charset="utf-16"><title>Žž</title>"#).contains(.text("Žž")))
        #expect(events(#"<?xml version="1.0" encoding="ibm037"?><title>Žž</title>"#).contains(.text("Žž")))
    }

    @Test func `skips all other elements`() {
        let page = #"<!DOCTYPE html [<!ENTITY e SYSTEM "file:///etc/passwd">]><title>a&e;b</title>"#
        #expect(!events(page).contains { "\($0)".contains("root:") })
    }

    @Test func `ends when the handler requests it`() {
        var count = 0
        HTMLReader.read(Array(String(repeating: "<meta>", count: 1000).utf8), wanting: ["meta"]) { _ in
            count += 1
            return count < 3
        }
        #expect(count == 3)
    }

    @Test func `ends at the maximum depth`() {
        var limits = HTMLLimits()
        limits.depth = 10
        let deep = String(repeating: "<div>", count: 11)
        #expect(events(Self.padded("<title>Title</title>", deep), limits: limits) == Self.title)
        #expect(events(deep + "<title>Title</title>", limits: limits).isEmpty)
    }

    @Test func `ends at the maximum number of elements`() {
        var limits = HTMLLimits()
        limits.elements = 10
        #expect(events(String(repeating: "<br>", count: 11) + "<title>Title</title>", limits: limits).isEmpty)
    }

    private static func padded(_ parts: String...) -> String { parts.joined() }

    // libxml2 compares each attribute with all before it, and each end tag with all open elements: without limits these take minutes.
    @Test(arguments: ["attributes", "depth", "comment", "value", "entities", "ends", "names"])
    func `parses hostile pages in little time`(kind: String) {
        let count = 1 << 20
        let bomb =
            switch kind {
            case "attributes": "<p " + (0..<count / 8).map { "a\($0)" }.joined(separator: " ") + ">"
            case "depth": String(repeating: "<b>", count: count / 6) + String(repeating: "</i>", count: count / 8)
            case "comment": "<!--" + String(repeating: "-", count: count)
            case "value": "<p a=\"" + String(repeating: "x", count: count) + "\">"
            case "entities": String(repeating: "&lt;&#x10FFFF;&nosuch;", count: count / 22)
            case "ends": String(repeating: "</p>", count: count / 4)
            default: (0..<count / 8).map { "<x\($0)>" }.joined()
            }
        let start = processorSeconds()
        #expect(events("<title>Title</title>" + bomb + "<title>Other</title>").starts(with: Self.title))
        // A generous limit: it takes about 50 ms, but minutes without the limits.
        #expect(processorSeconds() - start < 30)
    }

    /// The processor time of this thread, which does not depend on other load of the machine.
    private func processorSeconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test(arguments: 0..<40)
    func `accepts any bytes`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let words = [
            "<title>", "</title>", "<meta ", "property=", "content=", "\"", "'", ">", "<", "/", "&", "&#", ";", "<!--", "-->", "<![CDATA[",
            "]]>", "<script>", "</script>", "<?", "\0", "\u{FFFD}", "é", "x", " ", "\n", "<svg>", "<table>", "<p>", "</p>", "<!DOCTYPE",
        ].map { Array($0.utf8) }
        let page = (0..<2000).flatMap { _ in Bool.random(using: &random) ? random.element(of: words) : random.bytes(3) }
        HTMLReader.read(TextDecoder.utf8(page, contentType: nil), wanting: ["title", "meta"]) { event in
            if case .text(let text) = event { #expect(text.utf8.count <= page.count * 3) }
            return true
        }
    }
}
