import Core
import TestSupport
import Testing
import Time

@Suite struct RevocationCopyTests {
    private static let revocations = Revocation.samples(appID: "shop")
    private static let now: UnixSeconds = 1_773_130_512
    private static let bytes = RevocationCopy.bytes(revocations, of: "store", confirmedAt: now)

    private func problem(_ bytes: [UInt8] = bytes, of store: String = "store", at time: UnixSeconds = now) -> RevocationCopy.Problem? {
        do throws(RevocationCopy.Problem) {
            _ = try RevocationCopy(bytes, of: store, now: time, maximumAge: 3600)
            return nil
        } catch {
            return error
        }
    }

    @Test func `contains the decisive data without operators' reasons`() throws {
        let copy = try RevocationCopy(Self.bytes, of: "store", now: Self.now, maximumAge: 0)
        #expect(copy.confirmedAt == Self.now)
        #expect(copy.revocations.map(\.id) == Self.revocations.map(\.id))
        #expect(copy.revocations.map(\.appID) == Self.revocations.map(\.appID))
        #expect(copy.revocations.map(\.subject) == Self.revocations.map(\.subject))
        #expect(copy.revocations.map(\.issuedBefore) == Self.revocations.map(\.issuedBefore))
        let text = String(decoding: Self.bytes, as: UTF8.self)
        #expect(!text.contains("leak"))
        #expect(!text.contains("127.0.0.1"))
    }

    @Test func `may be empty`() throws {
        let bytes = RevocationCopy.bytes([], of: "store", confirmedAt: Self.now)
        #expect(try RevocationCopy(bytes, of: "store", now: Self.now, maximumAge: 0).revocations.isEmpty)
    }

    @Test func `the first line identifies the store`() throws {
        let end = try #require(Self.bytes.firstIndex(of: UInt8(ascii: "\n")))
        #expect(RevocationCopy.store(namedIn: Self.bytes) == "store")
        #expect(RevocationCopy.store(namedIn: Array(Self.bytes.prefix(end + 5))) == "store")
        #expect(RevocationCopy.store(namedIn: Array(Self.bytes.prefix(end - 1))) == nil)
        #expect(RevocationCopy.store(namedIn: []) == nil)
    }

    @Test func `a truncated file is rejected`() {
        for count in Self.bytes.indices { #expect(problem(Array(Self.bytes.prefix(count))) == .damaged, "\(count) bytes") }
    }

    @Test func `a file with a changed bit is rejected`() {
        for index in Self.bytes.indices {
            var bytes = Self.bytes
            bytes[index] ^= 1
            #expect(problem(bytes) == .damaged, "byte \(index)")
        }
    }

    @Test func `a file of another version is rejected`() {
        let text = String(decoding: Self.bytes, as: UTF8.self)
        #expect(problem(Array(text.replacing(#""format":1"#, with: #""format":2"#).utf8)) == .damaged)
    }

    @Test func `the copy of another store is rejected`() {
        #expect(problem(of: "another") == .ofAnotherStore)
    }

    @Test func `a copy is valid from its time until its maximum age`() {
        #expect(problem(at: Self.now + 3600) == nil)
        #expect(problem(at: Self.now + 3601) == .outdated(Self.now))
        #expect(problem(at: Self.now - 300) == nil)
        #expect(problem(at: Self.now - 301) == .outdated(Self.now))
    }
}
