import HTTPClient
import Testing
import Threading
import Time

@testable import URLPreviews

@Suite struct PreviewCacheTests {
    private static let person = ShareOwner("shop", "user-1")

    private static func limits(_ change: (inout PreviewCache<Int>.Limits) -> Void) -> PreviewCache<Int>.Limits {
        var limits = PreviewCache<Int>.Limits()
        change(&limits)
        return limits
    }

    private func preview() throws -> PreviewOutcome {
        let body = Array("<title>T</title><meta property=og:image content=/i>".utf8)
        let page = Page(url: try WebURL("https://page.test/"), contentType: "text/html", body: body, failure: nil)
        return .preview(try URLPreview(page, PreviewRules()))
    }

    @Test func `entries expire`() throws {
        let preview = try preview()
        var cache = PreviewCache<Int>(Self.limits { ($0.previewMilliseconds, $0.refusalMilliseconds) = (1000, 100) })
        #expect(cache.ask("a", for: Self.person, 1, now: 0) == .fetch)
        #expect(cache.ask("a", for: Self.person, 2, now: 1) == .wait)
        #expect(cache.ask("b", for: Self.person, 3, now: 1) == .fetch)
        #expect(cache.finish("a", preview, now: 10) == [1, 2])
        #expect(cache.finish("b", .none(.timeout), now: 10) == [3])
        #expect(cache.ask("a", for: Self.person, 4, now: 1009) == .answer(preview))
        #expect(cache.ask("b", for: Self.person, 4, now: 109) == .answer(.none(.timeout)))
        #expect(cache.ask("a", for: Self.person, 4, now: 1010) == .fetch)
        #expect(cache.ask("b", for: Self.person, 4, now: 110) == .fetch)
    }

    @Test func `does not cache a busy outcome`() {
        var cache = PreviewCache<Int>(Self.limits { $0.fetches = 1 })
        #expect(cache.ask("a", for: Self.person, 1, now: 0) == .fetch)
        #expect(cache.ask("b", for: Self.person, 2, now: 0) == .answer(.busy))
        #expect(cache.ask("a", for: Self.person, 3, now: 0) == .wait)
        #expect(cache.finish("a", .busy, now: 0) == [1, 3])
        #expect(cache.count == 0)
        #expect(cache.ask("a", for: Self.person, 1, now: 0) == .fetch)
    }

    @Test func `limits fetches per user and app`() {
        var cache = PreviewCache<Int>(Self.limits { ($0.fetches, $0.fetchesOfApp, $0.fetchesOfPerson) = (5, 3, 2) })
        let askers = [
            ("shop", "1"), ("shop", "1"), ("shop", "1"), ("shop", "2"), ("shop", "2"), ("bank", "1"), ("bank", "2"), ("post", "1"),
        ]
        var steps: [PreviewCache<Int>.Step] = []
        for (number, (app, user)) in askers.enumerated() {
            steps.append(cache.ask("\(number)", for: ShareOwner(app, user), 0, now: 0))
        }
        #expect(steps == [.fetch, .fetch, .answer(.busy), .fetch, .answer(.busy), .fetch, .fetch, .answer(.busy)])
        // A fetch uses the limit of the app and user that asked first, not of those that wait for it.
        let shared = cache.ask("0", for: ShareOwner("shop", "2"), 1, now: 0)
        #expect(shared == .wait)
        #expect(cache.finish("0", .busy, now: 0) == [0, 1])
        let next = [("shop", "2"), ("shop", "1")].map { cache.ask("new", for: ShareOwner($0.0, $0.1), 0, now: 0) }
        #expect(next == [.fetch, .wait])
    }

    @Test func `limits the number of entries`() throws {
        let preview = try preview()
        var cache = PreviewCache<Int>(Self.limits { $0.entries = 10 })
        for number in 0..<1000 {
            let url = "\(number % 37)"
            guard cache.ask(url, for: Self.person, 0, now: MonotonicMilliseconds(rawValue: UInt64(number) * 1000)) == .fetch else {
                continue
            }
            _ = cache.finish(
                url, number % 3 == 0 ? preview : .none(.status), now: MonotonicMilliseconds(rawValue: UInt64(number) * 1000))
            #expect(cache.count <= 10)
        }
        #expect(cache.count == 10)
        #expect(cache.fetches == 0)
    }

    @Test func `evicts the oldest entry`() {
        var cache = PreviewCache<Int>(Self.limits { ($0.entries, $0.refusalMilliseconds) = (3, 5) })
        for (now, url) in ["a", "b", "c", "a", "d"].enumerated() {
            let moment = MonotonicMilliseconds(rawValue: UInt64(now) * 10)
            #expect(cache.ask(url, for: Self.person, 0, now: moment) == .fetch)
            _ = cache.finish(url, .none(.status), now: moment)
        }
        // "b" was the oldest: "a" was stored again after it.
        #expect(cache.ask("d", for: Self.person, 0, now: 41) == .answer(.none(.status)))
        #expect(cache.count == 3)
    }

    @Test func `limits the size of entries`() {
        var cache = PreviewCache<Int>(Self.limits { $0.bytes = 10_000 })
        for number in 0..<100 {
            let url = "\(number)" + String(repeating: "x", count: 998)
            #expect(cache.ask(url, for: Self.person, 0, now: 0) == .fetch)
            _ = cache.finish(url, .none(.status), now: 0)
            #expect(cache.count <= 10)
        }
        #expect(cache.count == 10)
    }
}
