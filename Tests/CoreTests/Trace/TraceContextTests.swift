import Core
import Crypto
import TestSupport
import Testing

@Suite struct TraceContextTests {
    private static let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func read(_ value: String) -> TraceContext? { TraceContext(traceparent: value.utf8.span) }

    /// The example of section 3.2.4.
    @Test func `the examples of the specification are parsed`() throws {
        let context = try #require(read(Self.example))
        #expect(context.traceID == 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736)
        #expect(context.spanID == 0x00f0_67aa_0ba9_02b7)
        #expect(context.isSampled)
        #expect(context.traceparent == Self.example)
        #expect(context.traceIDText == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.spanIDText == "00f067aa0ba902b7")
        #expect(read("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")?.isSampled == false)
    }

    /// Only the lowest bit has a meaning; the others are not passed on (section 3.2.2.5).
    @Test(arguments: [("00", false), ("01", true), ("02", false), ("03", true), ("fe", false), ("ff", true)])
    func `only the sampled flag is used`(flags: String, isSampled: Bool) throws {
        let context = try #require(read("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\(flags)"))
        #expect(context.isSampled == isSampled)
        #expect(context.traceparent.hasSuffix(isSampled ? "-01" : "-00"))
    }

    /// The members of version 00 are parsed from a later version (section 4.3).
    @Test(arguments: ["", "-", "-what-comes-later", "-00"])
    func `the known part of a later version is parsed`(rest: String) {
        #expect(read("cc\(Self.example.dropFirst(2))\(rest)") == read(Self.example))
        #expect((read("\(Self.example)\(rest)") != nil) == rest.isEmpty, "version 00 is no longer")
    }

    @Test(arguments: [
        "", "00", "-", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067AA0BA902B7-01", "0A-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x", "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.what",
        " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ",
        "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01", "00-4bf92f3577b34da6a3ce929d0e0e47-3600f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01,00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ])
    func `other values are rejected`(value: String) {
        #expect(read(value) == nil)
    }

    @Test(arguments: 0..<50)
    func `all forms survive a round trip`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let traceID = UInt128(random.next()) << 64 | UInt128(random.next())
        let context = TraceContext(traceID: traceID, spanID: random.next(), isSampled: seed.isMultiple(of: 2))
        #expect(read(context.traceparent) == context)
        #expect(TraceContext(bytes: context.bytes) == context)
        #expect(context.traceparent == "00-\(context.traceIDText)-\(context.spanIDText)-\(context.isSampled ? "01" : "00")")
    }

    /// A value with one changed byte is accepted exactly if another implementation of the specification's grammar accepts it.
    @Test(arguments: 0..<40)
    func `follows the grammar in each byte`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let lowerCase = "0123456789abcdef"
        for index in 0..<55 {
            var bytes = Array(Self.example.utf8)
            let byte = UInt8(truncatingIfNeeded: random.next())
            bytes[index] = byte
            let isHyphen = [2, 35, 52].contains(index)
            let isRight = isHyphen ? byte == UInt8(ascii: "-") : lowerCase.utf8.contains(byte)
            let isVersionFF = bytes[0] == UInt8(ascii: "f") && bytes[1] == UInt8(ascii: "f")
            #expect((TraceContext(traceparent: bytes.span) != nil) == (isRight && !isVersionFF), "byte \(byte) at \(index)")
        }
    }

    @Test func `no bytes cause a trap`() {
        var random = SeededGenerator(seed: 1)
        for count in 0..<200 {
            let bytes = random.bytes(count)
            #expect(TraceContext(traceparent: bytes.span) == nil)
            if count != 25 { #expect(TraceContext(bytes: bytes) == nil) }
        }
        #expect(TraceContext(bytes: Array(repeating: 0, count: 25)) == nil)
    }

    @Test func `new IDs differ and are never 0`() throws {
        let pool = RandomPool()
        var seen: Set<TraceContext> = []
        for _ in 0..<1000 {
            let context = try TraceContext(from: pool, isSampled: true)
            let child = try context.child(from: pool)
            #expect(child.traceID == context.traceID)
            #expect(child.spanID != context.spanID)
            #expect(child.isSampled)
            seen.formUnion([context, child])
        }
        #expect(seen.count == 2000)
        let made = TraceContext(traceID: 0, spanID: 0, isSampled: false)
        #expect(made.traceID == 1)
        #expect(made.spanID == 1)
    }

    @Test(arguments: [
        ("https://example.com/events?key=1", "example.com", 443), ("http://127.0.0.1:8080", "127.0.0.1", 8080),
        ("http://[::1]:4318/v1/traces", "::1", 4318), ("https://[::1]", "::1", 443), ("http://host", "host", 80),
        ("https://host:65535?x", "host", 65_535),
    ])
    func `the host and port of an address are reported`(url: String, host: String, port: Int) throws {
        let address = try #require(ServerAddress(url: url))
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test(arguments: ["", "ftp://host", "https://", "https:///path", "https://host:0", "https://host:99999", "https://host:", "host"])
    func `nothing of an invalid address is reported`(url: String) {
        #expect(ServerAddress(url: url) == nil)
    }
}
