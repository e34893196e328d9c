import Core
import POSIX
import Storage
import TestSupport
import Testing
import Time

/// What is forgotten is gone from the files, not only from the tables.
@Suite struct ErasureTests {
    private let directory: TemporaryDirectory
    private static let marker = "what-somebody-wrote-"

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() throws -> SQLiteStore {
        var settings = StoreSettings()
        settings.erasesLogAfterMilliseconds = 0
        settings.probeIntervalMilliseconds = 5
        return try SQLiteStore(path: directory.path("store.db"), settings: settings)
    }

    /// How often the marker stands in the database and its log.
    private func found() throws -> Int {
        let pattern = Array(Self.marker.utf8)
        return try ["store.db", "store.db-wal"].reduce(0) { count, name in
            let bytes = try File.read(directory.path(name), limit: 1 << 28).bytes
            guard bytes.count >= pattern.count else { return count }
            return count
                + (0...bytes.count - pattern.count).count {
                    bytes[$0] == pattern[0] && bytes[$0..<$0 + pattern.count].elementsEqual(pattern)
                }
        }
    }

    /// Comments of which some are longer than a page.
    private func take(_ store: SQLiteStore, _ numbers: Range<Int>) throws {
        for number in numbers {
            let text = "{\"body\":\"" + String(repeating: Self.marker, count: number % 4 == 0 ? 600 : 3) + "\"}"
            try store.take(Sample(number).with { $0.data = Array(text.utf8) })
        }
    }

    @Test func ofWhatHasArrived() throws {
        let store = try open()
        defer { store.close() }
        try take(store, 0..<60)
        #expect(try found() > 60)
        for delivery in try store.claim(at: 2000) { try store.report(delivery, .delivered, at: 2001) }
        #expect(eventually { (try? found()) == 0 })
        #expect(try store.all().count == 60, "that they were delivered is still known")
    }

    @Test func ofWhatIsPurged() throws {
        let store = try open()
        defer { store.close() }
        try take(store, 0..<60)
        for delivery in try store.claim(at: 2000) { try store.report(delivery, .dead, at: 2001) }
        #expect(try found() > 60, "an operator may try them again")
        #expect(try store.forget(.dead, endedBefore: 3000, limit: 100) == 60)
        #expect(eventually { (try? found()) == 0 })
    }

    @Test func ofTokensInEvents() throws {
        let store = try open()
        defer { store.close() }
        for number in 0..<20 { try store.put("\(Self.marker)\(number)", user: "u\(number)") }
        for number in 0..<20 { try store.put(nil, user: "u\(number)") }
        for delivery in try store.claim("registry", at: 2000) { try store.report(delivery, .delivered, at: 2001) }
        for delivery in try store.claim("registry", at: 2000) { try store.report(delivery, .delivered, at: 2001) }
        #expect(eventually { (try? found()) == 0 })
    }

    /// What is still to be sent stays.
    @Test func keepsWhatWaits() throws {
        let store = try open()
        defer { store.close() }
        try take(store, 0..<4)
        let first = try #require(try store.claim(at: 2000, limit: 1).first)
        try store.report(first, .delivered, at: 2001)
        #expect(try store.claim(at: 2000).allSatisfy { String(decoding: $0.event.data, as: UTF8.self).contains(Self.marker) })
    }
}
