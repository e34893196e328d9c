import Crypto
import JSON
import TestSupport
import Testing
import WebTokens

struct VerifiedWebTokenTests {
    private static func ec() throws -> ES256PrivateKey { try ES256PrivateKey(pem: TestKey.sharedP256.privatePEM.utf8.span) }
    private static func rsa() throws -> RS256PrivateKey { try RS256PrivateKey(pem: TestKey.sharedRSA.privatePEM.utf8.span) }

    private static func flaw(_ text: String) throws -> VerifiedWebToken.Problem? {
        let key = try ec().publicKey
        do throws(VerifiedWebToken.Problem) {
            _ = try VerifiedWebToken(text, key: key)
            return nil
        } catch {
            return error
        }
    }

    /// A valid signature over any header and claims.
    private static func signed(_ header: String, _ claims: String) throws -> String {
        let message = "\(Base64URL.encode(header.utf8.span)).\(Base64URL.encode(claims.utf8.span))"
        let signature = try ec().sign(message.utf8.span)
        return "\(message).\(Base64URL.encode(signature.span))"
    }

    @Test func `a valid token is parsed`() throws {
        let token = try VerifiedWebToken(Self.signed(#"{"kid":"a","alg":"ES256"}"#, #" {"iat": 5} "#), key: Self.ec().publicKey)
        #expect(token.header["kid"] == "a")
        #expect(token.claims == ["iat": 5])
    }

    @Test func `a changed, added or removed character is detected`() throws {
        let token = try Self.signed(#"{"alg":"ES256"}"#, #"{"iss":"team"}"#)
        #expect(try Self.flaw(token) == nil)
        let characters = Array(token)
        for index in characters.indices {
            var changed = characters
            changed[index] = changed[index] == "A" ? "B" : "A"
            #expect(try Self.flaw(String(changed)) != nil)
            changed.remove(at: index)
            #expect(try Self.flaw(String(changed)) != nil)
        }
        for added in ["=", "A", ".", " ", "\n"] {
            #expect(try Self.flaw(token + added) != nil)
            #expect(try Self.flaw(added + token) != nil)
        }
    }

    @Test func `another key or algorithm is reported`() throws {
        let other = try ES256PrivateKey(pem: TestKey.p256().privatePEM.utf8.span)
        #expect(try Self.flaw(JSONWebToken.signed(claims: [:], with: other)) == .wrongSignature)
        #expect(try Self.flaw(JSONWebToken.signed(claims: [:], with: Self.rsa())) == .wrongAlgorithm)
        for header in [#"{"alg":"none"}"#, #"{"alg":"es256"}"#, #"{"alg":null}"#, #"{}"#, #"{"alg":["ES256"]}"#] {
            #expect(try Self.flaw(Self.signed(header, "{}")) == .wrongAlgorithm)
        }
        #expect(try Self.flaw("\(Base64URL.encode(#"{"alg":"none"}"#.utf8.span)).e30.") == .wrongAlgorithm)
    }

    @Test func `malformed tokens are reported`() throws {
        #expect(try Self.flaw(Self.signed(#"{"alg":"ES256","crit":["exp"]}"#, "{}")) == .unknownExtension)
        #expect(try Self.flaw(Self.signed(#"{"alg":"ES256","alg":"ES256"}"#, "{}")) == .unreadableHeader)
        #expect(try Self.flaw(Self.signed("[]", "{}")) == .unreadableHeader)
        for claims in ["", "[]", "{}{}", #"{"a":1,"a":1}"#, "null"] {
            #expect(try Self.flaw(Self.signed(#"{"alg":"ES256"}"#, claims)) == .unreadableClaims)
        }
        for text in ["", ".", "a.b", "a.b.c.d", String(repeating: "A", count: 10_000) + ".e30.e30"] {
            #expect(try Self.flaw(text) == .notThreeParts)
        }
        #expect(try Self.flaw("e30.e30.+/") == .notBase64URL)
        #expect(try Self.flaw("e30=.e30.e30") == .notBase64URL)
    }
}
