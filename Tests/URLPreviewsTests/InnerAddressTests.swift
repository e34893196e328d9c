import Bytes
import HTTPClient
import TestSupport
import Testing
import Threading

@testable import URLPreviews

/// No request reaches an address that is not public, in any spelling or through any source. Real sockets and real queries to a name server.
@Suite struct InnerAddressTests {
    /// Spellings of 127.0.0.2, which has a listener, and of other addresses that are not public; without a port.
    static let spellings = [
        "127.0.0.2", "2130706434", "0x7f000002", "0x7f.0x0.0x0.0x2", "0X7F.2", "017700000002", "0177.0.0.2", "127.2", "127.0.2",
        "00000177.00.00.02", "127.0.0.2.", "%31%32%37.0.0.2", "127%2e0%2e0%2e2", "①②⑦.⓪.⓪.②", "127。0。0。2", "１２７.0.0.2",
        "[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[0:0:0:0:0:FFFF:7F00:0002]", "[::127.0.0.2]", "[::7f00:2]", "[64:ff9b::127.0.0.2]",
        "[64:ff9b::7f00:2]", "[64:ff9b:1::127.0.0.2]", "[2002:7f00:2::]", "[2001:0:7f00:2::]", "[::1]", "[::]",
        "[0000:0000:0000:0000:0000:0000:0000:0001]", "0.0.0.0", "0", "0x0", "00", "127.255.255.255", "10.0.0.1", "0xa.1", "172.16.0.1",
        "192.168.0.1", "3232235521", "169.254.169.254", "2852039166", "0xa9fea9fe", "100.64.0.1", "192.0.0.192", "192.0.2.1", "198.18.0.1",
        "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "4294967295", "[fe80::1]", "[fc00::1]",
        "[fd00:ec2::254]",
        "[fec0::1]", "[ff02::1]", "[2001:db8::1]", "[3fff::1]", "[100::1]", "[2001:2::1]", "[5f00::1]", "[::ffff:0:127.0.0.2]",
    ]

    /// Every name except the web server's resolves to an inner address.
    private static let names: DNSServer.Script = { name, _, _ in
        .addresses(name == "page.test" ? PreviewFixture.publicPlace : PreviewFixture.innerPlace)
    }

    @Test(arguments: spellings)
    func `an address of the inner network is rejected`(host: String) throws {
        try PreviewFixture.run(names: Self.names) { (fixture) throws in
            #expect(try fixture.outcome(fixture.url(host)) == .none(.notPublic))
            #expect(fixture.inner.connectionCount == 0)
            #expect(fixture.server.connectionCount == 0)
        }
    }

    @Test(arguments: Array(zip(spellings + ["inner.test"], 0...)))
    func `is rejected after a redirect`(host: String, number: Int) throws {
        let status = [301, 302, 303, 307, 308][number % 5]
        try PreviewFixture.run(
            { .everyRequest(PreviewFixture.redirect("http://\(host):\($0)/", status: status)) }, names: Self.names
        ) { (fixture) throws in
            #expect(try fixture.outcome(fixture.url()) == .none(.notPublic))
            #expect(fixture.inner.connectionCount == 0)
            #expect(fixture.server.connectionCount == 1)
        }
    }

    // With the product's own rules, no address of this machine is reached.
    @Test(arguments: [
        "127.0.0.1", "localhost", "localhost.", "LOCALHOST", "ⅼocalhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "page.test",
    ])
    func `is rejected by the product's rules`(host: String) throws {
        try PreviewFixture.run(rules: { $0.admits = PreviewRules().admits }) { (fixture) throws in
            let outcome = try fixture.outcome(fixture.url(host))
            #expect(outcome == .none(.notPublic))
            #expect(fixture.server.connectionCount == 0)
        }
    }

    private static func mixed(_ records: DNSServer.Record...) -> DNSServer.Script { { _, _, _ in .records(records) } }
    private static func address(_ text: String) -> DNSServer.Record {
        guard let address = IPAddress(text) else { preconditionFailure("\(text) is an address") }
        return .address(address)
    }

    private static let answers: [DNSServer.Script] = [
        mixed(address("127.0.0.2")),
        mixed(address("127.0.0.1"), address("127.0.0.2")),
        mixed(address("127.0.0.2"), address("127.0.0.1")),
        mixed(address("127.0.0.1"), address("8.8.8.8"), address("169.254.169.254")),
        mixed(address("127.0.0.1"), address("::1")),
        mixed(address("127.0.0.1"), address("fd00::1")),
        mixed(.aaaa(0xFFFF_7F00_0002)),
        mixed(address("127.0.0.1"), .aaaa(0xFFFF_7F00_0002)),
        mixed(.aaaa(0x64_FF9B << 96 | 0x7F00_0002)),
        mixed(.alias(of: "inner.test"), address("127.0.0.2")),
        mixed(.alias(of: "localhost"), address("127.0.0.2")),
        mixed(.alias(of: "a.test"), .alias(of: "b.test"), address("10.0.0.1")),
        // The IPv6 query gets another result than the IPv4 query.
        { _, isIPv6, _ in .addresses(isIPv6 ? "::1" : "127.0.0.1") },
    ]

    @Test(arguments: answers.indices)
    func `is rejected if any address of a name is inner`(index: Int) throws {
        try PreviewFixture.run(names: Self.answers[index]) { (fixture) throws in
            #expect(try fixture.outcome(fixture.url()) == .none(.notPublic))
            #expect(fixture.inner.connectionCount == 0)
            #expect(fixture.server.connectionCount == 0)
        }
    }

    // DNS rebinding: the name is public when it is checked, and inner from then on.
    @Test func `is resolved once per redirect`() throws {
        let names: DNSServer.Script = { _, isIPv6, count in
            isIPv6 ? .records([]) : .addresses(count == 0 ? PreviewFixture.publicPlace : PreviewFixture.innerPlace)
        }
        try PreviewFixture.run(names: names) { (fixture) throws in
            #expect(try fixture.title(fixture.url()) == "Title")
            #expect(fixture.names.questions.count { !$0.isIPv6 } == 1)
            #expect(fixture.server.connectionCount == 1)
            #expect(fixture.inner.connectionCount == 0)
            #expect(fixture.server.requests[0].header("Host") == "page.test:\(fixture.server.port)")
        }
    }

    @Test func `is rejected when the name has changed before the next redirect`() throws {
        let names: DNSServer.Script = { _, _, count in .addresses(count == 0 ? PreviewFixture.publicPlace : PreviewFixture.innerPlace) }
        try PreviewFixture.run({ _ in .everyRequest(PreviewFixture.redirect("/again")) }, names: names) { (fixture) throws in
            #expect(try fixture.outcome(fixture.url()) == .none(.notPublic))
            #expect(fixture.server.connectionCount == 1)
            #expect(fixture.inner.connectionCount == 0)
        }
    }

    // If a checked address were replaced before the connection, the client would refuse to create the socket.
    @Test func `is rejected again when the socket is created`() throws {
        let server = try ScriptedServer(PreviewFixture.page())
        defer { server.stop() }
        var settings = ClientSettings()
        settings.admits = PreviewRules().admits
        let client = try Client(settings: settings)
        defer { client.close() }
        for (url, address) in [
            (server.url(), nil), ("http://localhost:\(server.port)/", nil), (server.url(), IPAddress("127.0.0.1")),
            ("http://8.8.8.8:\(server.port)/", IPAddress("127.0.0.1")),
        ] {
            let request = try ClientRequest(.get, url, timeoutMilliseconds: Int(WaitLimit.milliseconds), address: address)
            let failure = Monitor<ClientError?>(nil)
            client.send(request) { result in if case .failure(let error) = result { failure.update { $0 = error } } }
            #expect(failure.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) { $0 } == .connect)
        }
        #expect(server.connectionCount == 0)
    }

    @Test func `is not accepted as a picture for phones`() throws {
        for host in ["127.0.0.2", "192.168.0.1", "[::1]", "2130706434"] {
            let page = "<title>Title</title><meta property=og:image content=http://\(host)/i.png>"
            try PreviewFixture.run({ _ in .everyRequest(PreviewFixture.html(page)) }) { (fixture) throws in
                #expect(try fixture.outcome(fixture.url()) == .none(.incomplete))
            }
        }
    }
}
