import JSON
import TestSupport
import Testing

/// `Scripts/scan-secrets`
@Suite struct ScanSecretsTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `text without secrets passes`() throws {
        let almost = wellFormedKey.dropLast()
        try directory.write(
            "clean", "a line\n\(almost)\n-----BEGIN CERTIFICATE-----\n{\"key_id\": 1, \"secret\": {\"file\": \"app-1.key\"}}\n")
        #expect(try ScanSecrets.run(directory.path) == (0, "", ""))
    }

    @Test(arguments: ["security key", "app secret", "admin token", "user", "vector secret", "PEM", "RSA PEM"])
    func `a planted secret is reported and not shown`(_ kind: String) throws {
        let secret =
            switch kind {
            case "security key": wellFormedKey
            case "app secret": Markers.appSecrets[1]
            case "admin token": Markers.adminToken
            case "user": Markers.user
            case "vector secret": try vectorSecret()
            case "PEM": "-----BEGIN PRIVATE" + " KEY-----"
            default: "-----BEGIN RSA PRIVATE" + " KEY-----"
            }
        try directory.write("clean", "nothing\n")
        try directory.write("planted", "first\n{\"a\":\"\(secret)\"}\nthird\n\(secret)\n")
        #expect(try ScanSecrets.run(directory.path) == (1, "\(directory.path("planted")):2\n\(directory.path("planted")):4\n", ""))
        #expect(try ScanSecrets.run(directory.path("clean")).code == 0)
        #expect(try ScanSecrets.run(directory.path("clean"), directory.path("planted")).code == 1)
    }

    @Test func `secrets in binary data are found`() throws {
        let bytes = [0, 0xFF, 0x0A, 0xC3] + Array(wellFormedKey.utf8) + [0]
        try directory.write("binary", bytes)
        #expect(try ScanSecrets.run(directory.path("binary")) == (1, "\(directory.path("binary")):2\n", ""))
    }

    @Test func `secrets at the end of unusually named files are found`() throws {
        try directory.write("-n odd: name", Markers.user)
        #expect(try ScanSecrets.run(directory.path) == (1, "\(directory.path("-n odd: name")):1\n", ""))
    }

    @Test func `an empty search is an error`() throws {
        #expect(try ScanSecrets.run().code == 2)
        #expect(try ScanSecrets.run(directory.path).code == 2)
        #expect(try ScanSecrets.run(directory.path("missing")).code == 2)
    }

    private func vectorSecret() throws -> String {
        try #require(VectorFile().apps.last?.keys.last).secret
    }
}
