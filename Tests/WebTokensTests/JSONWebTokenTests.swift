import Crypto
import JSON
import TestSupport
import Testing
import WebTokens

struct JSONWebTokenTests {
    private static func ec() throws -> ES256PrivateKey { try ES256PrivateKey(pem: TestKey.sharedP256.privatePEM.utf8.span) }
    private static func rsa() throws -> RS256PrivateKey { try RS256PrivateKey(pem: TestKey.sharedRSA.privatePEM.utf8.span) }

    private static func decode(_ part: Substring) throws -> String {
        String(decoding: try #require(Base64URL.decode(String(part))), as: UTF8.self)
    }

    @Test func `the parts contain the given JSON, with the algorithm first`() throws {
        let token = try JSONWebToken.signed(
            header: ["kid": "ABC123DEFG"], claims: ["iss": "DEF123GHIJ", "iat": 1_437_179_036], with: Self.ec())
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        #expect(try Self.decode(parts[0]) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
        #expect(try Self.decode(parts[1]) == #"{"iss":"DEF123GHIJ","iat":1437179036}"#)
        #expect(token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "=") })
    }

    @Test func `the openssl command verifies a token`() throws {
        let token = try JSONWebToken.signed(header: ["typ": "JWT"], claims: ["sub": "é\"\\\n\u{0}"], with: Self.rsa())
        let end = try #require(token.lastIndex(of: "."))
        let signature = try #require(Base64URL.decode(String(token[token.index(after: end)...])))
        let directory = try TemporaryDirectory()
        try directory.write("message", String(token[..<end]))
        try directory.write("signature", signature)
        try directory.write("public", TestKey.sharedRSA.publicPEM)
        let run = try Command(
            "openssl", "dgst", "-sha256", "-verify", directory.path("public"), "-signature", directory.path("signature"),
            directory.path("message"))
        #expect(run.output == "Verified OK\n")
    }

    /// Strings that break out of a careless encoder.
    @Test func `the parts survive a round trip`() throws {
        let key = try Self.ec()
        let texts = ["", "\"", "\\", "\",\"admin\":\"yes", "\u{0}\u{1F}\u{7F}", "é\u{2028}😀", "</script>", "%41+ &="]
        for (index, text) in texts.enumerated() {
            let claims: JSONObject = [
                "text": .string(text), "index": .integer(Int64(index)), "most": .integer(.max), "list": [1, nil, true],
            ]
            let token = try JSONWebToken.signed(header: ["kid": .string(text)], claims: claims, with: key)
            let read = try VerifiedWebToken(token, key: key.publicKey)
            #expect(read.claims == claims)
            #expect(read.header == ["alg": "ES256", "kid": .string(text)])
        }
    }
}
