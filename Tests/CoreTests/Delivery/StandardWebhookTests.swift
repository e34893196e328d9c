import Core
import Crypto
import Testing
import Time

@Suite struct StandardWebhookTests {
    // The example of the Standard Webhooks specification, and a secret of all bytes from 0 to 63; both are public.
    private static let texts = [
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw==",
    ]
    private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private static let now: UnixMilliseconds = 1_614_265_330_999
    private static let body = Array(#"{"test": 2432232314}"#.utf8)
    /// Computed with Python's hmac and base64.
    private static let signatures = ["v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "v1,LZ5zuwHTqQH3VM8ERUusjzVQq1FXzemvpR8Mk7Ivp5c="]

    @Test(arguments: [0, 1])
    func `signs the published example`(index: Int) throws {
        let signed = try sign([index])
        #expect(signed.timestamp == "1614265330")
        #expect(signed.signature == Self.signatures[index])
    }

    @Test func `signs with each secret in order`() throws {
        #expect(try sign([1, 0]).signature == "\(Self.signatures[1]) \(Self.signatures[0])")
    }

    @Test func `sender and receiver may rotate`() throws {
        #expect(try isGenuine(try sign([0]).signature, secrets: [1, 0]))
        #expect(try isGenuine(try sign([0, 1]).signature, secrets: [1]))
        #expect(try !isGenuine(try sign([0]).signature, secrets: [1]))
        #expect(try !isGenuine(try sign([0]).signature, secrets: []))
    }

    @Test func `an empty body is signed too`() throws {
        let empty: [UInt8] = []
        let signed = try StandardWebhookSignature(id: "a", now: 0, body: empty.span, secrets: try secrets([0]))
        #expect(signed.timestamp == "0")
        #expect(try isGenuine(signed.signature, id: "a", timestamp: "0", body: empty, now: 0))
        #expect(try !isGenuine(signed.signature, id: "a", timestamp: "0", body: [0], now: 0))
    }

    @Test func `every part is authenticated`() throws {
        let signature = Self.signatures[0]
        #expect(try isGenuine(signature))
        #expect(try !isGenuine(signature, id: Self.id + "x"))
        #expect(try !isGenuine(signature, timestamp: "1614265331"))
        for index in Self.body.indices {
            var body = Self.body
            body[index] ^= 1
            #expect(try !isGenuine(signature, body: body))
        }
        #expect(try !isGenuine(signature, body: Array(Self.body.dropLast())))
    }

    /// Other parts with the same concatenation are another message.
    @Test func `the boundaries of parts are authenticated`() throws {
        let body = Array("1.rest".utf8)
        let signed = try StandardWebhookSignature(id: "a", now: 1000, body: body.span, secrets: try secrets([0]))
        #expect(try isGenuine(signed.signature, id: "a", timestamp: "1", body: body, now: 1000))
        #expect(try !isGenuine(signed.signature, id: "a.1", timestamp: "1", body: Array("rest".utf8), now: 1000))
    }

    @Test func `accepts clocks within five minutes`() throws {
        let sent: UnixMilliseconds = 1_614_265_330_000
        for (now, isInTime) in [
            (sent + 300_000, true), (sent + 300_001, false), (sent - 300_000, true), (sent - 300_001, false), (0, false), (.max, false),
        ] as [(UnixMilliseconds, Bool)] {
            #expect(try isGenuine(Self.signatures[0], now: now) == isInTime)
        }
    }

    @Test(arguments: [
        "", "+1614265330", "01614265330", "1614265330.0", " 1614265330", "-1", "1e9", "18446744073709551615", "18446744073709551616",
    ])
    func `other timestamps are refused`(timestamp: String) throws {
        #expect(try !isGenuine(Self.signatures[0], timestamp: timestamp))
    }

    @Test func `invalid signatures are skipped`() throws {
        let right = Self.signatures[0]
        for header in [right, "v1a,AAAA \(right)", "  \(right) ", "v2,\(right.dropFirst(3)) v1,AAAA v1, \(right)"] {
            #expect(try isGenuine(header))
        }
        for header in [
            "", " ", "v1,", "v1", String(right.dropFirst(3)), "v2,\(right.dropFirst(3))", "V\(right.dropFirst())", "\(right)x",
            String(right.dropLast()),
        ] {
            #expect(try !isGenuine(header))
        }
    }

    @Test(arguments: [24, 25, 26, 32, 63, 64])
    func `secrets of these lengths are accepted`(count: Int) throws {
        _ = try StandardWebhookSecret(text(ofBytes: count))
    }

    @Test(arguments: [0, 1, 22, 23, 65, 66, 1000])
    func `secrets of other lengths are rejected`(count: Int) {
        #expect(throws: count < 24 ? StandardWebhookSecret.Problem.tooShort : .tooLong) { try StandardWebhookSecret(text(ofBytes: count)) }
    }

    @Test func `secrets need their prefix`() {
        let text = text(ofBytes: 32)
        for other in ["", "whsec", String(text.dropFirst(6)), "WHSEC_\(text.dropFirst(6))", " \(text)", "whsec-\(text.dropFirst(6))"] {
            #expect(throws: StandardWebhookSecret.Problem.missingPrefix) { try StandardWebhookSecret(other) }
        }
    }

    @Test func `secrets are standard base64`() {
        let text = text(ofBytes: 32)
        #expect(text.hasSuffix("="))
        for other in [
            "\(text)\n", "\(text) ", String(text.dropLast()), "\(text)=", "whsec_ \(text.dropFirst(6))",
            "whsec_" + String(repeating: "_-", count: 16),
        ] {
            #expect(throws: StandardWebhookSecret.Problem.notBase64) { try StandardWebhookSecret(other) }
        }
    }

    @Test func `problems have remedies`() throws {
        let flaws: [StandardWebhookSecret.Problem] = [.missingPrefix, .notBase64, .tooShort, .tooLong]
        #expect(
            flaws.map(\.description) == [
                "does not start with whsec_", "is not whsec_ and standard base64 with padding", "has fewer than 24 bytes",
                "has more than 64 bytes",
            ])
        let none: [UInt8] = []
        let error = try #require(throws: CryptoError.self) { try HMACKey<SHA256>(secret: none.span) }
        #expect(StandardWebhookSecret.Problem.unusable(error).description == "cannot be used: could not key an HMAC: the secret is empty")
    }

    private func secrets(_ indices: [Int]) throws -> [StandardWebhookSecret] {
        try indices.map { try StandardWebhookSecret(Self.texts[$0]) }
    }

    private func text(ofBytes count: Int) -> String {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 91) }
        return "whsec_" + Base64.encode(bytes.span)
    }

    private func sign(_ indices: [Int]) throws -> StandardWebhookSignature {
        try StandardWebhookSignature(id: Self.id, now: Self.now, body: Self.body.span, secrets: try secrets(indices))
    }

    private func isGenuine(
        _ signature: String, id: String = id, timestamp: String = "1614265330", body: [UInt8] = body, secrets indices: [Int] = [0],
        now: UnixMilliseconds = now
    ) throws -> Bool {
        try StandardWebhookSignature.isGenuine(
            signature: signature, id: id, timestamp: timestamp, body: body.span, secrets: try secrets(indices), now: now)
    }
}
