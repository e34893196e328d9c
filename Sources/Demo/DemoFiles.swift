internal import Crypto
internal import POSIX

/// The directory of a demonstration, which must not contain any of its files at the start: the configuration, secrets, the store and the
/// log.
package struct DemoFiles: Sendable {
    package let directory: String
    package var configuration: String { path("config.json") }
    /// The file of the operator's token.
    package var adminToken: String { path(DemoSecret.adminToken.file) }
    package var log: String { path("deskgate.log") }
    var providers: String { path("providers") }
    /// The client certificate of the app `tablets`, PEM.
    var certificate: String { path("secrets/apns-tablets.pem") }
    var certificateKey: String { path("secrets/apns-tablets.key") }

    /// Uses a directory, which is created if it does not exist.
    /// - Throws: when it cannot be created, or contains a configuration or any other file of a demonstration.
    package init(_ directory: String) throws(DemoFailure) {
        for name in ["config.json", "secrets", "providers", "deskgate.db", "deskgate.log"] {
            let path = Path.resolve(name, in: directory)
            guard !File.exists(path) else {
                throw DemoFailure(
                    "\(path) exists already, and nothing was changed: a demonstration needs a directory of its own; name another"
                )
            }
        }
        do throws(SystemError) {
            try File.createDirectory(directory, mode: 0o700)
            self.directory = try FileSystem.absolutePath(of: directory)
        } catch {
            throw DemoFailure("cannot make \(directory): \(error)")
        }
    }

    /// Creates a new directory for temporary files.
    package static func temporary() throws(DemoFailure) -> DemoFiles {
        try DemoFiles(temporaryPath())
    }

    /// An unused path for temporary files (in `TMPDIR`, or /tmp).
    package static func temporaryPath() throws(DemoFailure) -> String {
        let place = POSIX.Process.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let number: InlineArray<4, UInt8>
        do throws(CryptoError) {
            number = try randomBytes()
        } catch {
            throw DemoFailure("\(error)")
        }
        return Path.resolve("deskgate-demo-\(Base64URL.encode(number.span))", in: place)
    }

    func path(_ name: String) -> String { Path.resolve(name, in: directory) }

    /// Creates the secrets and the client certificate; only their owner may read them.
    func makeSecrets() throws(DemoFailure) -> DemoSecrets {
        do {
            try File.createDirectory(path("secrets"), mode: 0o700)
            let secrets = try DemoSecrets()
            for secret in DemoSecret.allCases { try write(secrets[secret] + "\n", to: path(secret.file)) }
            // The page warns 30 days before its expiry.
            let certificate = try LoopbackCertificate()
            try write(certificate.certificate, to: self.certificate)
            try write(certificate.key, to: certificateKey)
            return secrets
        } catch {
            throw DemoFailure("cannot make the secrets in \(directory): \(error)")
        }
    }

    func write(configuration text: [UInt8]) throws(DemoFailure) {
        do throws(SystemError) {
            try File.create(configuration, mode: 0o600, text)
        } catch {
            throw DemoFailure("cannot make \(configuration): \(error)")
        }
    }

    private func write(_ text: String, to path: String) throws(SystemError) {
        try File.create(path, mode: 0o600, text.utf8)
    }
}

/// A secret of a demonstration, with the name of its file.
enum DemoSecret: String, CaseIterable {
    case adminToken = "admin-token"
    case mintToken = "mint-token"
    case readToken = "read-token"
    case shopFormerKey = "shop-1.key"
    case shopKey = "shop-2.key"
    case shopWebhook = "shop-webhook.key"
    case courierKey = "couriers-1.key"
    case courierNextKey = "couriers-2.key"
    case courierWebhook = "couriers-webhook.key"
    case tabletKey = "tablets-1.key"
    case tabletWebhook = "tablets-webhook.key"
    case marketKey = "market-1.key"
    case backend = "backend.whsec"
    case crm = "crm.whsec"
    case billing = "billing.whsec"
    case bot = "bot-guide.whsec"

    var file: String { "secrets/\(rawValue)" }

    /// Whether it signs events, or calls of a bot.
    var signs: Bool { [.backend, .crm, .billing, .bot].contains(self) }
}

/// The texts of all secrets, for clients of the service.
struct DemoSecrets: Sendable {
    private let texts: [DemoSecret: String]

    /// Creates all secrets. Throws when OpenSSL fails.
    init() throws(CryptoError) {
        var texts: [DemoSecret: String] = [:]
        for secret in DemoSecret.allCases { texts[secret] = secret.signs ? try NewSecret.signing() : try NewSecret.text() }
        self.texts = texts
    }

    subscript(secret: DemoSecret) -> String {
        guard let text = texts[secret] else { preconditionFailure("all secrets are created") }
        return text
    }
}
