import Crypto
import JSON
import Notifiers
import TestSupport
import Testing

/// Keys are never passed as arguments of tests, because those are printed.
struct ServiceAccountTests {
    private static func flaw(_ bytes: [UInt8]) -> ServiceAccount.Problem? {
        do throws(ServiceAccount.Problem) {
            _ = try ServiceAccount(parsing: bytes.span)
            return nil
        } catch {
            return error
        }
    }

    private static func flaw(_ key: String, _ value: JSONValue?) -> ServiceAccount.Problem? {
        flaw(ServiceAccountFile().with(key, value).bytes)
    }

    @Test func `required members are parsed, and others ignored`() throws {
        let account = try ServiceAccount(parsing: ServiceAccountFile().bytes.span)
        #expect(account.projectID == "shop-1234")
        #expect(account.clientEmail == "deskgate@shop-1234.iam.gserviceaccount.com")
        #expect(account.privateKeyID == "0123456789abcdef")
        #expect(account.tokenURI == "https://oauth2.googleapis.com/token")
        let message = Array("message".utf8)
        let signature = try account.privateKey.sign(message.span)
        let isGenuine = account.privateKey.publicKey.verify(signature.span, message.span)
        #expect(isGenuine)
        #expect(!"\(account)".contains(TestKey.sharedRSA.privatePEM.dropFirst(40).prefix(20)))
    }

    @Test func `a key without line feeds is parsed`() {
        let key = TestKey.sharedRSA.privatePEM
        let forms = [
            key.replacing("\n", with: #"\n"#), key.replacing("\n", with: #"\r\n"#), key.replacing("\n", with: " "),
            key.replacing("\n", with: ""),
            "\"\(key)\"", "  \(key)",
        ]
        for form in forms { #expect(Self.flaw("private_key", .string(form)) == nil) }
    }

    @Test func `the name of an older project contains its domain`() throws {
        #expect(Self.flaw("project_id", "example.com:shop") == nil)
    }

    @Test(arguments: ["project_id", "client_email", "private_key", "private_key_id", "token_uri"])
    func `the error names a field that is missing, empty or no text`(field: String) {
        for value: JSONValue? in [nil, "", nil as JSONValue, 5, ["a"]] {
            #expect(Self.flaw(field, value) == .missing(field: field))
        }
        #expect(ServiceAccount.Problem.missing(field: field).description.contains(field))
    }

    @Test(arguments: ["authorized_user", "external_account", ""])
    func `another type of file is reported`(type: String) {
        #expect(Self.flaw("type", .string(type)) == .notServiceAccount)
        #expect(Self.flaw("type", nil) == .notServiceAccount)
    }

    @Test func `invalid JSON is reported with its position`() {
        #expect(Self.flaw([])?.description == "is not JSON: line 1, column 1: the text ends too early")
        #expect(Self.flaw(Array("[]".utf8)) == .notServiceAccount)
        #expect(Self.flaw(Array(TestKey.sharedRSA.privatePEM.utf8)) == .pem)
        #expect(Self.flaw(ServiceAccountFile().bytes + [0x7D])?.description.hasSuffix("more text after the end of the JSON value") == true)
    }

    @Test(arguments: [
        ("project_id", "a/b"), ("project_id", "../x"), ("project_id", "Shop"), ("project_id", "a b"), ("project_id", "a?b"),
        ("client_email", "nobody"), ("client_email", "a b@c"), ("client_email", "a@b\n"), ("private_key_id", "a b"),
        ("private_key_id", "é"),
        ("token_uri", "oauth2.googleapis.com/token"), ("token_uri", "https://"), ("token_uri", "ftp://a/"), ("token_uri", "https://a@b/"),
        ("token_uri", "https://a/ b"), ("token_uri", "file:///etc/passwd"),
    ])
    func `the error names a field with an invalid value`(field: String, text: String) {
        #expect(Self.flaw(field, .string(text)) == .invalid(field: field))
    }

    @Test(arguments: [
        "http://oauth2.googleapis.com/token", "http://127.0.0.1.example.com/", "http://localhost.example.com", "http://[::1]x/",
        "http://10.0.0.1/",
        "http://127.0.0.1x", "http:///", "http://",
    ])
    func `plain HTTP to another host is rejected`(uri: String) {
        #expect(Self.flaw("token_uri", .string(uri)) == .insecureTokenURI)
    }

    @Test(arguments: ["http://127.0.0.1:8080/token", "http://localhost/token", "http://[::1]:80/token", "http://127.0.0.1"])
    func `plain HTTP to the local host is accepted`(uri: String) {
        #expect(Self.flaw("token_uri", .string(uri)) == nil)
    }

    @Test func `a key of another type or without its end is reported`() {
        #expect(Self.flaw("private_key", .string(TestKey.sharedP256.privatePEM)) == .key(.wrongType(found: "EC", needed: "an RSA key")))
        #expect(Self.flaw("private_key", "nothing") == .key(.notPEM))
        #expect(Self.flaw("private_key", .string(String(TestKey.sharedRSA.privatePEM.prefix(300)))) == .key(.damaged))
        #expect(Self.flaw("private_key", "x")?.description.hasPrefix("has a private_key that is not PEM") == true)
    }
}
