internal import Core
internal import Crypto
internal import HTTPServer
internal import Postgres
package import Time

extension Configuration {
    /// A certificate or an app's last active key that ends within this time is due for renewal.
    private static let renewalSeconds: UInt64 = 14 * 24 * 3600

    /// What is served all the same but should be changed, with its remedy.
    package func warnings(now: UnixSeconds) -> [ConfigurationProblem] {
        adminWarnings + storeWarnings + certificateExpiries.compactMap { Self.warning($0, now) } + keyWarnings(now)
    }

    /// When the certificates of the listeners expire.
    package var certificateExpiries: [(listener: String, expiresAt: UnixSeconds)] {
        [("public", listen), ("admin", admin.listener)].compactMap { name, listener in
            listener.settings.tls.flatMap { CertificatePair.expiry(ofCertificate: $0.certificate) }.map {
                (name, UnixSeconds(rawValue: $0))
            }
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

    private var storeWarnings: [ConfigurationProblem] {
        guard case .postgres(let settings) = store.kind, settings.isUnverified else { return [] }
        return [
            ConfigurationProblem(
                path: "$.store.url",
                message: "sslmode does not verify who the server is: whoever is on the way can read the password and everything stored; "
                    + "give sslmode=verify-full with sslrootcert=FILE, or leave sslmode out")
        ]
    }

    private static func warning(_ certificate: (listener: String, expiresAt: UnixSeconds), _ now: UnixSeconds) -> ConfigurationProblem? {
        guard certificate.expiresAt < now + renewalSeconds else { return nil }
        let path = certificate.listener == "admin" ? "$.admin.tls.certificate" : "$.listen.tls.certificate"
        let time = RFC3339.text(certificate.expiresAt.milliseconds)
        return ConfigurationProblem(
            path: path,
            message: certificate.expiresAt <= now
                ? "expired at \(time); renew it and send SIGHUP" : "expires at \(time); renew it and send SIGHUP")
    }

    private func keyWarnings(_ now: UnixSeconds) -> [ConfigurationProblem] {
        apps.enumerated().compactMap { index, app in
            let active = app.keys.filter { key in key.state == .active && key.notAfter.map { now <= $0 } ?? true }
            let path = "$.apps[\(index)].keys"
            guard !active.isEmpty else {
                return ConfigurationProblem(
                    path: path,
                    message: "none is active and before its \"not_after\", so no security key can be minted for this app; "
                        + "make one \"active\", or run deskgate secret rotate")
            }
            let ends = active.compactMap(\.notAfter)
            guard ends.count == active.count, let last = ends.max(), last < now + Self.renewalSeconds else { return nil }
            return ConfigurationProblem(
                path: path,
                message: "no security key can be minted for this app after \(RFC3339.text(last.milliseconds)), "
                    + "the \"not_after\" of the last active one; add one with deskgate secret rotate")
        }
    }
}
