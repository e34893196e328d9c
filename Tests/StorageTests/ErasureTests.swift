import Core
import Glibc
import POSIX
import SQLite
import TestSupport
import Testing
import Threading
import Time

@testable import Storage

@Suite struct ErasureTests {
    private let directory: TemporaryDirectory
    private static let marker = "what-somebody-wrote-"

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(_ change: (inout StoreSettings) -> Void = { _ in }) throws -> SQLiteStore {
        var settings = StoreSettings()
        settings.erasesLogAfterMilliseconds = 0
        settings.probeIntervalMilliseconds = 5
        settings.emptiesLogWithinMilliseconds = WaitLimit.milliseconds
        change(&settings)
        return try SQLiteStore(path: directory.path("store.db"), settings: settings)
    }

    /// The number of occurrences of the marker in the database and its log.
    private func found() throws -> Int {
        try ["store.db", "store.db-wal"].reduce(0) { count, name in
            count + Self.count(in: try File.read(directory.path(name), limit: 1 << 28).bytes)
        }
    }

    private static func count(in bytes: [UInt8]) -> Int {
        let pattern = Array(marker.utf8)
        return unsafe bytes.withUnsafeBytes { buffer in
            guard var rest = buffer.baseAddress else { return 0 }
            let end = unsafe rest + buffer.count
            var count = 0
            while let found = unsafe memchr(rest, Int32(pattern[0]), end - rest), unsafe end - UnsafeRawPointer(found) >= pattern.count {
                if unsafe memcmp(found, pattern, pattern.count) == 0 { count += 1 }
                unsafe rest = UnsafeRawPointer(found) + 1
            }
            return count
        }
    }

    /// Accepts comments, some of which are longer than a page.
    private func take(_ store: SQLiteStore, _ numbers: Range<Int>) throws {
        for number in numbers {
            let text = "{\"body\":\"" + String(repeating: Self.marker, count: number % 4 == 0 ? 600 : 3) + "\"}"
            try store.take(Sample(number).with { $0.data = Array(text.utf8) })
        }
    }

    @Test func `erases delivered comments`() throws {
        let store = try open()
        defer { store.close() }
        try take(store, 0..<60)
        #expect(try found() > 60)
        for delivery in try store.claim(at: 2000) { try store.report(delivery, next: .delivered, at: 2001) }
        #expect(eventually { (try? found()) == 0 })
        #expect(try store.all().count == 60, "that they were delivered is still known")
    }

    @Test func `erases purged deliveries`() throws {
        let store = try open()
        defer { store.close() }
        try take(store, 0..<60)
        for delivery in try store.claim(at: 2000) { try store.report(delivery, next: .dead, at: 2001) }
        #expect(try found() > 60, "an operator may try them again")
        #expect(try store.forget(.dead, endedBefore: 3000, limit: 100) == 60)
        #expect(eventually { (try? found()) == 0 })
    }

    @Test func `erases push tokens in events`() throws {
        let store = try open()
        defer { store.close() }
        for number in 0..<20 { try store.put("\(Self.marker)\(number)", user: "u\(number)") }
        for number in 0..<20 { try store.put(nil, user: "u\(number)") }
        for delivery in try store.claim("registry", at: 2000) { try store.report(delivery, next: .delivered, at: 2001) }
        for delivery in try store.claim("registry", at: 2000) { try store.report(delivery, next: .delivered, at: 2001) }
        #expect(eventually { (try? found()) == 0 })
    }

    /// Erases the texts, identifiers and tokens of a forgotten user, and nothing of others.
    @Test func `erases a forgotten user`() throws {
        let store = try open()
        defer { store.close() }
        let user = "\(Self.marker)user"
        for number in 0..<30 {
            try store.put("\(Self.marker)\(number)", user: user, device: "\(Self.marker)\(number)")
            try store.take(
                Sample(number).with { ($0.user, $0.device, $0.data) = (user, "\(Self.marker)\(number)", Array("\"\(Self.marker)\"".utf8)) })
        }
        try store.put("somebody-else", user: "other")
        let person = AppUser(appID: "app", userID: user)
        let traces = PersonTraces(person, others: ["\(Self.marker)7", "short"])
        #expect(try store.proveErasure(of: traces).files.map { $0.occurrences > 60 } == true)
        let audience = RegistryAudience([("app", [Subscription(notifier: "relay")])], relays: ["relay"], lifetimeMilliseconds: 100_000)
        #expect(try store.erase(person, now: 2000, telling: audience).devices == 20, "as many as a person may have")
        for delivery in try store.claim("relay", at: 2000) { try store.report(delivery, next: .delivered, at: 2001) }
        let proof = try store.proveErasure(of: traces)
        #expect(proof.log == .emptied)
        #expect(proof.tables.isEmpty)
        #expect(proof.waiting.isEmpty)
        #expect(proof.files.map(\.occurrences) == 0)
        #expect(traces.texts.count == 2)
        #expect(traces.tooShort == 1)
        #expect(try found() == 0)
        #expect(try store.registered() == ["other d1 somebody-else"])
    }

    private static let traces = PersonTraces(AppUser(appID: "app", userID: "user"))

    /// Opens a store that empties its log only for a proof of erasure.
    private func openForProofs(withinMilliseconds limit: UInt64 = WaitLimit.milliseconds) throws -> SQLiteStore {
        try open {
            $0.erasesLogAfterMilliseconds = 3_600_000
            $0.probeIntervalMilliseconds = 3_600_000
            $0.emptiesLogWithinMilliseconds = limit
        }
    }

    @Test func `a proof does not wait for data that is deleted after it began`() throws {
        let store = try openForProofs()
        let isProven = Monitor(false)
        let deletions = try DedicatedThread {
            while !isProven.withLock({ $0 }) {
                try? store.queue.perform { database throws(SQLiteError) in database.noteForgotten() }
            }
        }
        defer {
            isProven.withLock { $0 = true }
            deletions.join()
            store.close()
        }
        try take(store, 0..<4)
        #expect(try store.proveErasure(of: Self.traces).log == .emptied)
    }

    @Test func `a proof ends as soon as no connection reads the log`() throws {
        let store = try openForProofs()
        defer { store.close() }
        try take(store, 0..<4)
        let reader = try Connection(path: directory.path("store.db"), mode: .readOnly)
        let rows = try Statement(reader, "SELECT number FROM events")
        #expect(try rows.step())
        let log = Monitor<ErasureProof.Log?>(nil)
        let proof = try DedicatedThread {
            let found = try? store.proveErasure(of: Self.traces).log
            log.update { $0 = found }
        }
        let isRefused = eventually {
            (try? store.queue.perform { database throws(SQLiteError) in database.isLogRead }) == true
        }
        #expect(isRefused, "the reader prevents nothing")
        rows.reset()
        proof.join()
        #expect(log.withLock { $0 } == .emptied)
    }

    @Test func `a proof that nothing prevents names no reader`() throws {
        let store = try openForProofs(withinMilliseconds: 0)
        defer { store.close() }
        try take(store, 0..<4)
        #expect(try store.proveErasure(of: Self.traces).log == .unfinished)
    }

    @Test func `a proof names a reader that prevents it`() throws {
        let store = try openForProofs(withinMilliseconds: 0)
        defer { store.close() }
        try take(store, 0..<4)
        let reader = try Connection(path: directory.path("store.db"), mode: .readOnly)
        let rows = try Statement(reader, "SELECT number FROM events")
        #expect(try rows.step())
        #expect(eventually { (try? store.proveErasure(of: Self.traces).log) == .read })
        rows.reset()
    }

    /// The search finds a text at every position, also across two reads.
    @Test func `the search finds a text at every position`() throws {
        let path = directory.path("bytes")
        let text = Array(Self.marker.utf8)
        for offset in [0, 1, 100, (1 << 20) - text.count, (1 << 20) - 3, (1 << 20) - 1, 1 << 20, (2 << 20) - 5] {
            var bytes = [UInt8](repeating: text[0], count: (2 << 20) + 50)
            bytes.replaceSubrange(offset..<offset + text.count, with: text)
            try File.create(path, mode: 0o600, bytes)
            let finding = try FileSearch.search(path, for: [text, Array("nowhere".utf8)])
            #expect(finding == FileSearch.Finding(bytes: UInt64(bytes.count), occurrences: 1), "\(offset)")
            try File.remove(path)
        }
        #expect(try FileSearch.search(path, for: [text]) == FileSearch.Finding(), "a file that is not there")
    }

    @Test func `keeps pending deliveries`() throws {
        let store = try open()
        defer { store.close() }
        try take(store, 0..<4)
        let first = try #require(try store.claim(at: 2000, limit: 1).first)
        try store.report(first, next: .delivered, at: 2001)
        #expect(try store.claim(at: 2000).allSatisfy { String(decoding: $0.event.data, as: UTF8.self).contains(Self.marker) })
    }
}
