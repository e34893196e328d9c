import Bytes
import Testing

/// Addresses and blocks of them.
@Suite struct IPNetworkTests {
    @Test(arguments: [
        ("192.0.2.0/24", "192.0.2.0", true), ("192.0.2.0/24", "192.0.2.255", true), ("192.0.2.0/24", "192.0.3.0", false),
        ("192.0.2.0/24", "192.0.1.255", false), ("192.0.2.7/32", "192.0.2.7", true), ("192.0.2.7/32", "192.0.2.6", false),
        ("0.0.0.0/0", "255.255.255.255", true), ("128.0.0.0/1", "127.255.255.255", false), ("128.0.0.0/1", "128.0.0.0", true),
        // A mapped address is treated as the IPv4 address, on either side.
        ("192.0.2.0/24", "::ffff:192.0.2.9", true), ("192.0.2.0/24", "::ffff:192.0.3.9", false),
        ("::ffff:192.0.2.0/120", "192.0.2.9", true), ("::ffff:192.0.2.0/120", "192.0.3.9", false), ("::ffff:0:0/96", "10.1.2.3", true),
        // Each family contains only its own addresses.
        ("::/0", "192.0.2.1", false), ("::/0", "::ffff:192.0.2.1", false), ("0.0.0.0/0", "::1", false), ("0.0.0.0/0", "::", false),
        ("::/0", "2001:db8::1", true), ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false),
        ("2001:db8::/33", "2001:db8:8000::", false), ("::1/128", "::1", true), ("::1/128", "::2", false), ("fe80::/10", "febf::1", true),
        ("fe80::/10", "fec0::", false), ("2001:db8:0:0:8000::/65", "2001:db8::8000:0:0:1", true),
        ("2001:db8:0:0:8000::/65", "2001:db8::7fff:0:0:1", false),
    ])
    func contains(_ network: String, address: String, isInside: Bool) throws {
        let address = try #require(IPAddress(address))
        #expect(try IPNetwork(network).contains(address) == isInside)
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1::"),
        ("2001:db8::1", "2001:db8::"),
        ("::1", "::"),
    ])
    func `finds the site of an address`(_ address: String, _ site: String) throws {
        #expect(try #require(IPAddress(address)).site.description == site)
    }

    /// Compared with a bitwise implementation.
    @Test(arguments: 0...32) func `contains addresses with the same prefix`(_ length: Int) throws {
        var generator = SystemRandomNumberGenerator()
        func text(_ bits: UInt32) -> String { (0..<4).map { "\(bits >> UInt32(24 - 8 * $0) & 255)" }.joined(separator: ".") }
        func head(_ bits: UInt32) -> [Bool] { (0..<length).map { bits >> UInt32(31 - $0) & 1 == 1 } }
        for _ in 0..<50 {
            let base =
                length == 0 ? 0 : UInt32.random(in: 0 ... .max, using: &generator) & ~(length == 32 ? 0 : UInt32.max >> UInt32(length))
            let network = try IPNetwork("\(text(base))/\(length)")
            for bit in 0..<32 {
                let other = base ^ (1 << UInt32(bit))
                let address = try #require(IPAddress(text(other)))
                #expect(network.contains(address) == (head(other) == head(base)))
            }
        }
    }

    @Test(arguments: [
        "", "/", "192.0.2.0", "192.0.2.0/", "/24", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/+8", "192.0.2.0/08", "192.0.2.0/00",
        "192.0.2.0/ 8",
        "192.0.2.0/24/1", "192.0.2/24", "192.0.2.0.0/24", "256.0.0.0/8", "010.0.0.0/8", "0x10.0.0.0/8", "a.example/8", "::/129", "::/1000",
        "[::1]/128", "fe80::1%eth0/128", "::ffff:10.0.0.0/95", " 10.0.0.0/8", "10.0.0.0/8 ", "10.0.0.0\u{0}/8", "10.0.0.0/٨",
    ])
    func `a malformed network is rejected`(_ text: String) {
        #expect(throws: IPNetwork.Problem.malformed) { try IPNetwork(text) }
    }

    @Test(arguments: [
        ("10.0.0.1/8", "10.0.0.0/8"), ("192.0.2.129/25", "192.0.2.128/25"), ("10.0.0.1/0", "0.0.0.0/0"),
        ("2001:db8::1/32", "2001:db8::/32"), ("::ffff:10.0.0.1/104", "10.0.0.0/8"),
    ])
    func `clears bits beyond its prefix`(_ text: String, _ network: String) throws {
        let expected = try IPNetwork(network)
        #expect(expected.description == network)
        #expect(throws: IPNetwork.Problem.hostBits(expected)) { try IPNetwork(text) }
    }

    @Test(arguments: ["", "1.2.3", "1.2.3.4.5", "01.2.3.4", "localhost", "1.2.3.4:80", "[::1]", ":::", "1.2.3.4\u{0}"])
    func `an address is written in full`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }
}
