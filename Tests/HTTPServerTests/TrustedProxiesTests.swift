import Bytes
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct TrustedProxiesTests {
    private static let proxies = TrustedProxies(
        networks: ["10.0.0.0/8", "2001:db8:ffff::/48"].compactMap { try? IPNetwork($0) }, includeUnixSocket: true)

    private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    private func client(_ peer: String = "10.0.0.1", forwardedFor: [String] = [], forwarded: [String] = []) throws -> String {
        let client = Self.proxies.client(
            of: .address(try Self.address(peer)), forwardedFor: forwardedFor.map { Array($0.utf8) },
            forwarded: forwarded.map { Array($0.utf8) })
        if case .address(let address) = client { return address.description }
        return "\(client)"
    }

    @Test(arguments: [
        (["192.0.2.7"], "192.0.2.7"), (["203.0.113.1, 192.0.2.7"], "192.0.2.7"), (["203.0.113.1", "192.0.2.7"], "192.0.2.7"),
        (["192.0.2.7, 10.0.0.2"], "192.0.2.7"), (["192.0.2.7,10.0.0.3 ,\t10.0.0.2"], "192.0.2.7"), (["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        (["garbage, 192.0.2.7"], "192.0.2.7"), (["192.0.2.7:4711"], "192.0.2.7"), (["2001:db8::7"], "2001:db8::7"),
        (["[2001:db8::7]"], "2001:db8::7"), (["[2001:db8::7]:80, 2001:db8:ffff::1"], "2001:db8::7"), (["::ffff:192.0.2.7"], "192.0.2.7"),
        (["192.0.2.7, garbage"], "unknown"), (["192.0.2.7, "], "unknown"), ([""], "unknown"), (["unknown"], "unknown"),
        (["192.0.2.7 8"], "unknown"), (["192.0.2.07"], "unknown"), (["192.0.2.7:"], "unknown"), (["192.0.2.7:123456"], "unknown"),
        (["192.0.2.7:8x"], "unknown"), (["[192.0.2.7]"], "unknown"), (["[2001:db8::7"], "unknown"), (["[2001:db8::7]80"], "unknown"),
        (["[]"], "unknown"), (["fe80::1%eth0"], "unknown"), (["192.0.2.7/32"], "unknown"), (["\"192.0.2.7\""], "unknown"),
        (["localhost"], "unknown"), (["192.0.2.7\u{0}"], "unknown"), ([], "10.0.0.1"),
    ])
    func `X-Forwarded-For is parsed`(_ lines: [String], _ expected: String) throws {
        #expect(try client(forwardedFor: lines) == expected)
        // Nobody else is believed.
        #expect(try client("192.0.2.200", forwardedFor: lines) == "192.0.2.200")
    }

    @Test(arguments: [
        (["for=192.0.2.7"], "192.0.2.7"), (["FOR=192.0.2.7;Proto=https;by=10.0.0.1"], "192.0.2.7"), (["for=\"192.0.2.7:80\""], "192.0.2.7"),
        (["for=\"[2001:db8::7]\""], "2001:db8::7"), (["proto=https;for=\"[2001:db8::7]:80\""], "2001:db8::7"),
        (["for=203.0.113.1, for=192.0.2.7"], "192.0.2.7"), (["for=203.0.113.1", "for=192.0.2.7"], "192.0.2.7"),
        (["for=192.0.2.7 ,\tfor=10.0.0.2"], "192.0.2.7"), (["for=\"19\\2.0.2.7\""], "192.0.2.7"),
        (["for=\"", "for=192.0.2.7"], "192.0.2.7"),
        (["host=\"a,b;c\";for=192.0.2.7"], "192.0.2.7"), (["for=192.0.2.7;"], "192.0.2.7"), ([";for=192.0.2.7"], "192.0.2.7"),
        (["for=_hidden, for=192.0.2.7"], "192.0.2.7"), (["for=192.0.2.7, for=_hidden"], "unknown"), (["for=unknown"], "unknown"),
        (["proto=https"], "unknown"), ([""], "unknown"), (["for=192.0.2.7,"], "unknown"), (["for=192.0.2.7, proto=https"], "unknown"),
        (["for=192.0.2.7; for=192.0.2.8"], "unknown"), (["for=192.0.2.7;for=192.0.2.7"], "unknown"), (["for =192.0.2.7"], "unknown"),
        (["for= 192.0.2.7"], "unknown"), (["for=192.0.2.7:80"], "unknown"), (["for=[2001:db8::7]"], "unknown"), (["for="], "unknown"),
        (["for=2001:db8::7"], "unknown"), (["for=\"2001:db8::7\""], "unknown"), (["for=\"192.0.2.7"], "unknown"),
        (["for=192.0.2.7;by=\"x\"y"], "unknown"), (["by=\", for=192.0.2.7"], "unknown"), (["for=\"192.0.2.7\\"], "unknown"),
        (["for=\"192.0.2.7\u{1}\""], "unknown"), (["for=192.0.2.7", "for=\""], "unknown"),
    ])
    func `Forwarded is read`(_ lines: [String], _ expected: String) throws {
        #expect(try client(forwarded: lines) == expected)
        #expect(try client("192.0.2.200", forwarded: lines) == "192.0.2.200")
    }

    @Test func `both headers must agree`() throws {
        #expect(try client(forwardedFor: ["192.0.2.7"], forwarded: ["for=203.0.113.1, for=192.0.2.7"]) == "192.0.2.7")
        #expect(try client(forwardedFor: ["192.0.2.7"], forwarded: ["for=192.0.2.8"]) == "unknown")
        #expect(try client(forwardedFor: ["192.0.2.7"], forwarded: ["for=unknown"]) == "unknown")
    }

    @Test func `believes a Unix socket only when it is named`() throws {
        let lines = [Array("192.0.2.7".utf8)]
        let without = TrustedProxies(networks: [try IPNetwork("10.0.0.0/8")], includeUnixSocket: false)
        #expect(Self.proxies.client(of: .unixSocket, forwardedFor: lines, forwarded: []) == .address(try Self.address("192.0.2.7")))
        #expect(without.client(of: .unixSocket, forwardedFor: lines, forwarded: []) == .unixSocket)
        #expect(Self.proxies.client(of: .unknown, forwardedFor: lines, forwarded: []) == .unknown)
    }

    @Test(arguments: [1, 31, 32, 33]) func `follows a bounded number of proxies`(count: Int) throws {
        let hops = ["192.0.2.7"] + Array(repeating: "10.0.0.2", count: count - 1)
        #expect(try client(forwardedFor: [hops.joined(separator: ",")]) == (count <= TrustedProxies.maximumHops ? "192.0.2.7" : "unknown"))
        let client = try client(forwardedFor: [(Array(repeating: "203.0.113.1", count: count) + ["192.0.2.7"]).joined(separator: ",")])
        #expect(client == "192.0.2.7")
    }

    /// Whatever a caller writes, it cannot choose the address that the proxy appends: for `X-Forwarded-For` and a `Forwarded` line of its
    /// own that address counts; in the caller's own line, it counts or nothing does.
    @Test(arguments: 0..<8 as Range<UInt64>) func `no caller chooses its address`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "for=", "FOR=", "203.0.113.9", "10.0.0.9", "\"", "\\", ";", ",", " ", "\t", "[2001:db8::9]", "by=", "=", "_x", "unknown",
            "\u{1}", "é", ":",
        ]
        var undecided = 0
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in generator.element(of: pieces) }.joined()
            let appended = generator.element(of: ["192.0.2.7", "2001:db8::7"])
            let element = appended.contains(":") ? "for=\"[\(appended)]\";proto=\"https\"" : "for=\(appended);proto=https"
            #expect(try client(forwardedFor: ["\(text), \(appended)"]) == appended)
            #expect(try client(forwardedFor: [text, appended]) == appended)
            #expect(try client(forwarded: [text, element]) == appended)
            let joined = try client(forwarded: ["\(text), \(element)"])
            #expect(joined == appended || joined == "unknown", "\(text)")
            if joined == "unknown" { undecided += 1 }
        }
        #expect((1..<500).contains(undecided))
    }

    /// A chain in any spelling leads to its right-most hop that is no proxy's.
    @Test(arguments: 0..<8 as Range<UInt64>) func `finds the right most stranger`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let strangers = ["192.0.2.7", "203.0.113.1", "2001:db8::7", "2001:db8:fffe::1"]
        let known = ["10.0.0.2", "10.255.0.1", "2001:db8:ffff::2"]
        for _ in 0..<200 {
            let hops = (0..<Int.random(in: 1...8, using: &generator)).map { _ in generator.element(of: strangers + known + known) }
            let expected = hops.last { !known.contains($0) } ?? hops[0]
            let port = { (generator: inout SeededGenerator) in generator.element(of: ["", ":80", ":65535"]) }
            let plain = hops.map { hop in
                let port = port(&generator)
                return hop.contains(":") ? generator.element(of: [hop, "[\(hop)]\(port)"]) : "\(hop)\(port)"
            }
            let named = hops.map { hop in
                let port = port(&generator)
                let quoted = hop.contains(":") ? "\"[\(hop)]\(port)\"" : "\"\(hop)\(port)\""
                let node = hop.contains(":") || !port.isEmpty ? quoted : generator.element(of: [hop, quoted])
                return generator.element(of: ["for=\(node)", "For=\(node);proto=https", "by=\"_a,b\";fOR=\(node)"])
            }
            let separator = generator.element(of: [",", ", ", " ,\t"])
            let cut = Int.random(in: 0..<hops.count, using: &generator)
            func lines(_ elements: [String]) -> [String] {
                [elements[..<cut], elements[cut...]].filter { !$0.isEmpty }.map { $0.joined(separator: separator) }
            }
            #expect(try client(forwardedFor: lines(plain)) == expected)
            #expect(try client(forwarded: lines(named)) == expected)
            #expect(try client(forwardedFor: lines(plain), forwarded: lines(named)) == expected)
        }
    }
}
