import Crypto
import JSON
import TestSupport
import Testing

/// Credentials of push providers, created once for all tests.
struct PushCredentials {
    static let shared = try? PushCredentials()

    let apnsKey: String
    let serviceAccount: String

    private init() throws {
        apnsKey = try KeyGeneration.p256()
        let account: JSONValue = [
            "type": "service_account", "project_id": "shop-1234", "private_key_id": "0123456789abcdef",
            "private_key": .string(try KeyGeneration.rsa2048()), "client_email": "deskgate@shop-1234.iam.gserviceaccount.com",
            "token_uri": "https://oauth2.googleapis.com/token",
        ]
        serviceAccount = String(decoding: account.serialized(), as: UTF8.self)
    }
}

extension ConfigurationDirectory {
    /// Writes the push providers' files named in `docs/config.full.json` and `config.example.json`.
    func writePushCredentials() throws {
        let credentials = try #require(PushCredentials.shared)
        try scratch.write("secrets/AuthKey_ABCDE12345.p8", credentials.apnsKey)
        try scratch.write("secrets/service-account.json", credentials.serviceAccount)
        try scratch.write("secrets/hms-secret", TestSecret.text(9))
    }
}
