import Core
import Testing
import Time

/// Retention of an event's texts and tokens: as long as a delivery may be sent.
@Suite struct StoreContractDataTests {
    private static let text = Array(#"{"text":"hello"}"#.utf8)

    private func sample(_ number: Int = 1) -> Sample { Sample(number).with { $0.data = Self.text } }

    private func data(_ store: any Store) throws -> [String] {
        try store.all().reversed().map { String(decoding: $0.event.data, as: UTF8.self) }
    }

    @Test(arguments: Backend.allCases) func `are erased with the last delivery`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(sample().incoming(to: ["a", "b"]))
        let first = try fixture.store.claim("a", at: 1000)[0]
        #expect(first.event.data == Self.text)
        try fixture.store.report(first, next: .delivered, at: 1001)
        #expect(try data(fixture.store) == [#"{"text":"hello"}"#, #"{"text":"hello"}"#])
        try fixture.store.report(try fixture.store.claim("b", at: 1000)[0], next: .delivered, at: 1001)
        #expect(try data(fixture.store) == ["{}", "{}"])
        #expect(try fixture.store.current(first)?.event.hasData == false)
    }

    /// An operator may retry it.
    @Test(arguments: Backend.allCases) func `are kept for a dead delivery`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(sample().incoming(to: ["a", "b"]))
        try fixture.store.report(try fixture.store.claim("a", at: 1000)[0], next: .dead, at: 1001)
        try fixture.store.report(try fixture.store.claim("b", at: 1000)[0], next: .delivered, at: 1001)
        #expect(try fixture.store.retryAll(DeliveryFilter(), now: 1002, expiresAt: 9000).retried == 1)
        let again = try fixture.store.claim("a", at: 1003)[0]
        #expect(again.event.data == Self.text)
        try fixture.store.report(again, next: .dead, at: 1004)
        #expect(try fixture.store.forget(.dead, endedBefore: 2000, limit: 9) == 1)
        #expect(try data(fixture.store) == ["{}"], "the last one that needed it is forgotten")
    }

    @Test(arguments: Backend.allCases) func `are not stored without deliveries`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(sample().with { $0.requiresDevice = true }.incoming())
        #expect(try data(fixture.store) == ["{}"])
        #expect(try fixture.store.all().map(\.state) == [.noTarget])
    }

    @Test(arguments: Backend.allCases) func `are erased by a claim that finds no device`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("T")
        _ = try fixture.store.take(sample().with { $0.requiresDevice = true }.incoming())
        try fixture.store.put(nil)
        #expect(try fixture.store.claim(at: 2000) == [])
        #expect(try fixture.store.comments().map(\.event.hasData) == [false])
    }

    @Test(arguments: Backend.allCases) func `of the registry are erased too`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("secret-token")
        let reported = try fixture.store.claim("registry", at: 2000)[0]
        #expect(String(decoding: reported.event.data, as: UTF8.self).contains("secret-token"))
        try fixture.store.report(reported, next: .delivered, at: 2001)
        #expect(try data(fixture.store) == ["{}"])
    }
}
