internal import Crypto
internal import HTTPServer
internal import Time

extension Configuration {
    /// A certificate that expires within this time is due for renewal.
    private static let renewalSeconds: UInt64 = 14 * 24 * 3600

    /// What is served all the same but should be changed, with its remedy.
    /// - Parameter now: Unix seconds.
    package func warnings(now: UInt64) -> [ConfigurationProblem] {
        adminWarnings + certificateExpiries.compactMap { Self.warning($0, now) }
    }

    /// When the certificates of the listeners expire, in Unix seconds.
    package var certificateExpiries: [(listener: String, expiresAt: UInt64)] {
        [("public", listen), ("admin", admin.listener)].compactMap { name, listener in
            listener.settings.tls.flatMap { CertificatePair.expiry(ofCertificate: $0.certificate) }.map { (name, $0) }
        }
    }

    private var adminWarnings: [ConfigurationProblem] {
        guard !admin.isLocal else { return [] }
        var warnings: [ConfigurationProblem] = []
        if admin.listener.settings.tls == nil {
            warnings.append(
                ConfigurationProblem(
                    path: "$.admin.tls",
                    message:
                        "missing, and \(admin.listener.address) is reached from other machines: tokens and security keys pass in plain text; "
                        + "give \"tls\", or listen on \"unix\" or the host 127.0.0.1"))
        }
        if admin.token == nil {
            warnings.append(
                ConfigurationProblem(
                    path: "$.admin.token",
                    message: "missing, so nobody can read /metrics, which needs the token where other machines reach the listener"))
        }
        return warnings
    }

    private static func warning(_ certificate: (listener: String, expiresAt: UInt64), _ now: UInt64) -> ConfigurationProblem? {
        guard certificate.expiresAt < now + renewalSeconds else { return nil }
        let path = certificate.listener == "admin" ? "$.admin.tls.certificate" : "$.listen.tls.certificate"
        let time = RFC3339.text(certificate.expiresAt * 1000)
        return ConfigurationProblem(
            path: path,
            message: certificate.expiresAt <= now
                ? "expired at \(time); renew it and send SIGHUP" : "expires at \(time); renew it and send SIGHUP")
    }
}
