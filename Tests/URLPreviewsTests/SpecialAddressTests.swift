import Bytes
import Testing
import URLPreviews

@Suite struct SpecialAddressTests {
    private static let special: [(String, SpecialAddress)] = [
        ("0.0.0.0", .unspecified), ("0.255.255.255", .unspecified), ("10.0.0.0", .privateUse), ("10.255.255.255", .privateUse),
        ("100.64.0.0", .shared), ("100.127.255.255", .shared), ("127.0.0.1", .loopback), ("127.255.255.255", .loopback),
        ("169.254.0.0", .linkLocal), ("169.254.169.254", .linkLocal), ("172.16.0.0", .privateUse), ("172.31.255.255", .privateUse),
        ("192.0.0.0", .reserved), ("192.0.0.9", .reserved), ("192.0.0.171", .reserved), ("192.0.2.1", .documentation),
        ("192.88.99.1", .translated), ("192.168.0.0", .privateUse), ("192.168.255.255", .privateUse), ("198.18.0.0", .benchmarking),
        ("198.19.255.255", .benchmarking), ("198.51.100.7", .documentation), ("203.0.113.7", .documentation),
        ("224.0.0.0", .multicast), ("239.255.255.255", .multicast), ("240.0.0.0", .reserved), ("255.255.255.254", .reserved),
        ("255.255.255.255", .broadcast),
        ("::", .unspecified), ("::1", .loopback), ("::2", .translated), ("::127.0.0.1", .translated), ("::8.8.8.8", .translated),
        ("::ffff:127.0.0.1", .loopback), ("::ffff:10.0.0.1", .privateUse), ("::ffff:0:127.0.0.1", .reserved),
        ("64:ff9b::127.0.0.1", .loopback), ("64:ff9b::a9fe:a9fe", .linkLocal), ("64:ff9b::10.1.2.3", .privateUse),
        ("64:ff9b:1::8.8.8.8", .translated), ("64:ff9b:0:0:1::8.8.8.8", .reserved), ("100::1", .reserved), ("100:0:0:1::1", .reserved),
        ("200::1", .reserved), ("1fff:ffff::1", .reserved), ("2001::1", .translated), ("2001:0:4136:e378:8000:63bf:3fff:fdd2", .translated),
        ("2001:1::1", .reserved), ("2001:2::1", .benchmarking), ("2001:3::1", .reserved), ("2001:10::1", .reserved),
        ("2001:20::1", .reserved), ("2001:1ff:ffff::1", .reserved), ("2001:db8::1", .documentation), ("2001:db8:ffff::1", .documentation),
        ("2002::1", .translated), ("2002:7f00:1::", .translated), ("2002:808:808::1", .translated), ("3fff::1", .documentation),
        ("3fff:fff:ffff::1", .documentation), ("4000::1", .reserved), ("5f00::1", .reserved), ("8000::1", .reserved),
        ("fc00::1", .privateUse),
        ("fd12:3456::1", .privateUse), ("fe00::1", .reserved), ("fe80::1", .linkLocal), ("febf:ffff::1", .linkLocal),
        ("fec0::1", .siteLocal), ("feff::1", .siteLocal), ("ff02::1", .multicast), ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .multicast),
    ]

    @Test(arguments: special.indices)
    func `special addresses are reported with their block`(index: Int) throws {
        let (text, kind) = Self.special[index]
        #expect(SpecialAddress(try #require(IPAddress(text))) == kind, "\(text)")
    }

    // The neighbours of each block, and other public addresses.
    @Test(arguments: [
        "1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.31.196.1",
        "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0",
        "203.0.112.255", "203.0.114.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2000::1", "2001:200::1",
        "2001:4860:4860::8888", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2606:4700::1111", "2a00:1450::1", "3ffe::1",
        "3fff:1000::1",
    ])
    func `public addresses are allowed`(text: String) throws {
        #expect(SpecialAddress(try #require(IPAddress(text))) == nil)
    }
}
