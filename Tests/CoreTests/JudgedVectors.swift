import Core
import Crypto
import TestSupport
import Testing

/// The vectors and their authorizer.
struct JudgedVectors: Sendable {
    let vectors: [Vector]
    let authorizer: Authorizer
    let sharesSecretsOnPurpose: Bool

    /// The vectors of this package; nil when they cannot be read, which `VectorTests` reports.
    static let shared = try? JudgedVectors()

    init() throws {
        let file = try VectorFile()
        let policy = KeyPolicy(clockSkewSeconds: file.clockSkewSeconds, maximumLifetimeSeconds: file.maximumLifetimeSeconds)
        vectors = file.vectors
        authorizer = try Authorizer(file.apps.map { try Self.application($0) }, policy: policy)
        let secrets = file.apps.flatMap { $0.keys.map(\.secret) }
        sharesSecretsOnPurpose = Set(secrets).count < secrets.count
    }

    private static func application(_ app: VectorFile.App) throws -> Application {
        let keys = try app.keys.map { key in
            let secret = try #require(Base64URL.decode(key.secret))
            try #require(secret.count == 32)
            return Application.Key(id: key.id, secret: try HMACKey(secret: secret.span))
        }
        return Application(id: app.id, keys: keys)
    }
}

extension Vector {
    var triple: Triple { Triple(appID, userID: userID, securityKey: securityKey) }
}

extension Vector: CustomTestStringConvertible {
    package var testDescription: String { name }
}
