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
        callerWarnings + adminWarnings + storeWarnings + relayWarnings + certificateExpiries.compactMap { Self.warning($0, now) }
            + shadowWarnings(now) + keyWarnings(now)
    }

    /// When the certificates of the listeners expire.
    package var certificateExpiries: [(listener: String, expiresAt: UnixSeconds)] {
        [("public", listen), ("admin", admin.listener)].compactMap { name, listener in
            listener.settings.tls.flatMap { CertificatePair.expiry(ofCertificate: $0.certificate) }.map {
                (name, UnixSeconds(rawValue: $0))
            }
        }
    }

    private var callerWarnings: [ConfigurationProblem] {
        guard callers.networks != nil, case .unix = listen.address else { return [] }
        return [
            ConfigurationProblem(
                path: "$.listen.allow",
                message: "has no effect, because callers through a Unix socket are in no network; remove it, and let the directory's "
                    + "permissions say who may open the socket")
        ]
    }

    private var adminWarnings: [ConfigurationProblem] {
        guard !admin.isLocal else { return tokenWarnings }
        var warnings: [ConfigurationProblem] = []
        if admin.listener.settings.tls == nil {
            warnings.append(
                ConfigurationProblem(
                    path: "$.admin.tls",
                    message:
                        "missing, and \(admin.listener.address) is reached from other machines: tokens and security keys pass in plain text; "
                        + "give \"tls\", or listen on \"unix\" or the host 127.0.0.1"))
        }
        if admin.tokens.isEmpty {
            warnings.append(
                ConfigurationProblem(
                    path: "$.admin.token",
                    message: "missing, so nobody can read /metrics, which needs a token where other machines reach the listener"))
        }
        return warnings + tokenWarnings
    }

    /// Roles that no token has although there are tokens: an operator would learn it only when a command is needed.
    private var tokenWarnings: [ConfigurationProblem] {
        if admin.tokens.isEmpty || admin.hasToken(for: .operate) { return [] }
        let missing =
            admin.hasToken(for: .read)
            ? "none has the role \"operate\", so no command can change anything in a service that runs"
            : "none has the role \"read\" or \"operate\", so no command can ask a service that runs, nor can /metrics be read from other machines"
        return [ConfigurationProblem(path: "$.admin.tokens", message: "\(missing); add one, or set $.admin.token")]
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

    private func shadowWarnings(_ now: UnixSeconds) -> [ConfigurationProblem] {
        apps.enumerated().compactMap { index, app in
            app.shadowUntil.map { end in
                let time = RFC3339.text(end.milliseconds)
                return ConfigurationProblem(
                    path: "$.apps[\(index)].shadow_until",
                    message: now < end
                        ? "until \(time) everybody may use the chat of this app: what would be denied is answered 200; remove it to deny again"
                        : "ended at \(time) and has no effect; remove it")
            }
        }
    }

    /// The help desk sends the key of a relayed registration back to us, and where the backend alone decides it must know that key.
    private var relayWarnings: [ConfigurationProblem] {
        let relays = notifiers.filter { if case .relay = $0.kind { true } else { false } }.map(\.name)
        return apps.enumerated().filter { $0.element.verify?.mode == .backend }.flatMap { index, app in
            app.notifiers.filter { relays.contains($0) }.map { name in
                ConfigurationProblem(
                    path: "$.apps[\(index)].notifiers",
                    message: "\(name) reports registrations with keys that Deskgate mints, and verify.mode \"backend\" leaves the decision "
                        + "on them to the backend; remove \(name), or give the mode \"key_and_backend\"")
            }
        }
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
