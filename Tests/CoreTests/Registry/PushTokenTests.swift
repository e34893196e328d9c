import Core
import Testing
import Time

@Suite struct PushTokenTests {
    @Test func `shows its first and last characters only if it is long`() throws {
        let long = "abcdefghijklmnopqrstuvwx"
        #expect(try PushToken(long).masked == "abcd…uvwx(24)")
        #expect(try PushToken(String(long.dropLast())).masked == "…(23)")
        #expect(try PushToken("x").masked == "…(1)")
    }

    /// A token could consist of four very long characters, which would all be shown.
    @Test func `counts Unicode scalars instead of characters`() throws {
        let text = "e" + String(repeating: "\u{301}", count: 99)
        #expect(text.count == 1)
        let masked = try PushToken(text).masked
        #expect(masked.unicodeScalars.count == 4 + 1 + 4 + "(100)".count)
        let wide = String(repeating: "\u{1F600}", count: 23)
        #expect(try PushToken(wide).masked == "…(23)")
    }

    @Test func `has a masked description`() throws {
        let text = String(repeating: "MARKER", count: 10)
        let token = try PushToken(text)
        let device = Device(
            key: Device.Key(appID: "app", userID: "user", deviceID: "device"), type: "ios", token: token, registeredAt: 1, seenAt: 1)
        var dumped = ""
        dump(device, to: &dumped)
        for reported in ["\(token)", String(reflecting: token), "\(device)", "\([token])", dumped] {
            #expect(!reported.contains("MARKERMARKER"))
        }
    }

    @Test func `is compared as bytes`() throws {
        #expect(try PushToken("caf\u{E9}") != PushToken("cafe\u{301}"))
        #expect(try PushToken("token") == PushToken("token", digest: []))
        #expect(try PushToken("token").digest.count == 16)
        #expect(try PushToken("token").digest != PushToken("tokem").digest)
    }

    private static let digits = "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789ABCDEF"

    @Test func `hexadecimal tokens are compared as numbers`() throws {
        let lower = try PushToken(Self.digits.lowercased())
        for text in [Self.digits, Self.digits.uppercased(), Self.digits.lowercased()] {
            let token = try PushToken(text)
            #expect(token == lower)
            #expect(token.digest == lower.digest)
            #expect(token.text == Self.digits.lowercased())
        }
        let long = String(repeating: "AB", count: 80)
        #expect(try PushToken(long).text == long.lowercased())
    }

    @Test(arguments: [
        "ABCDEF", String(digits.dropLast()), String(digits.dropLast(2)), "\(digits)G", "\(digits)ag", "\(digits):APA91bABCDEF",
        "<\(digits)>",
        "0X\(digits)", "\(digits) ", String(repeating: "AB", count: 129), "\(digits.dropLast(2))\u{FF21}\u{FF22}", "\(digits)\u{130}",
    ])
    func `other tokens keep their case`(text: String) throws {
        let token = try PushToken(text)
        #expect(Array(token.text.utf8) == Array(text.utf8))
    }

    @Test func `devices are identified by bytes`() {
        let keys = ["caf\u{E9}", "cafe\u{301}"].flatMap { text in
            [
                Device.Key(appID: text, userID: "u", deviceID: "d"), Device.Key(appID: "a", userID: text, deviceID: "d"),
                Device.Key(appID: "a", userID: "u", deviceID: text),
            ]
        }
        #expect(Set(keys).count == 6)
        #expect(Device.Key(appID: "a", userID: "bc", deviceID: "d") != Device.Key(appID: "ab", userID: "c", deviceID: "d"))
    }
}
