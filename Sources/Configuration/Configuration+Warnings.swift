package import Core
internal import Crypto
internal import HTTPServer
internal import Postgres
package import Time

extension Configuration {
    /// The time before the expiry of a certificate or an app's last active key from which a renewal is due, in seconds.
    static let renewalSeconds = UInt64(RenewalTime.dueDays) * 24 * 3600

    /// Returns warnings about settings that are valid but should be changed, with the remedy.
    package func warnings(now: UnixSeconds) -> [ConfigurationProblem] {
        reportedWarnings(now: now).map { warning in
            let app = ConfigurationProblem.appIndex(in: warning.path).map { apps[$0].id }
            return ConfigurationProblem(path: warning.path, message: warning.message.english, appID: app)
        }
    }

    package func reportedWarnings(now: UnixSeconds) -> [ConfigurationWarning] {
        callerWarnings + adminWarnings + storeWarnings + relayWarnings + certificateExpiries.compactMap { Self.warning($0, now) }
            + issuerWarnings + shadowWarnings(now) + keyWarnings(now) + audienceWarnings + botWarnings + apnsWarnings + providerHostWarnings
            + routeWarnings + traceWarnings + ticketWarnings + leftoverWarnings
    }

    package var certificateExpiries: [(listener: String, expiresAt: UnixSeconds)] {
        [("public", listen), ("admin", admin.listener)].compactMap { name, listener in
            listener.settings.tls.flatMap { CertificatePair.expiry(ofCertificate: $0.certificate) }.map {
                (name, UnixSeconds(rawValue: $0))
            }
        }
    }

    /// The listeners whose certificate file contains a newer certificate than the active one, with the same or another key. May block on
    /// the disk.
    package var listenersWithRenewedCertificate: [String] {
        [("public", "$.listen.tls.certificate"), ("admin", "$.admin.tls.certificate")].filter { sources.hasChanged(at: $0.1) }.map(\.0)
    }

    /// The certificates of listeners, and the last keys of apps, if these expire.
    package var credentials: [ExpiringCredential] {
        certificateExpiries.map { ExpiringCredential(.listenerCertificate, of: $0.listener, expiresAt: $0.expiresAt) }
            + apps.compactMap { app in app.lastMinting.map { ExpiringCredential(.appKey, of: app.id, expiresAt: $0) } }
    }

    /// Warns about certificates without the chain to a trusted authority, which OpenSSL and browsers reject.
    private var issuerWarnings: [ConfigurationWarning] {
        [("$.listen.tls.certificate", listen), ("$.admin.tls.certificate", admin.listener)].compactMap { path, listener in
            guard let issuer = listener.settings.tls.flatMap({ CertificatePair.missingIssuer(ofCertificates: $0.certificate) }) else {
                return nil
            }
            let file = sources.file(at: path) ?? path
            return ConfigurationWarning(
                path: path,
                message: LocalizedText(
                    "\(file) holds no certificate of its issuer (\(printable(issuer))), so browsers and help desks refuse it; ",
                    "в \(file) нет сертификата издателя (\(printable(issuer))), поэтому браузеры и сервисы поддержки его не примут; ")
                    + LocalizedText(
                        "append the intermediate certificate (certbot has both in fullchain.pem) and \(LocalizedText.reload)",
                        "допишите промежуточный сертификат (у certbot оба в fullchain.pem) и \(LocalizedText.reload)"))
        }
    }

    private var callerWarnings: [ConfigurationWarning] {
        // A list of allowed networks also exempts their addresses from the limit of connections.
        if let proxies = callers.trustedProxies, proxies.networks.isEmpty, !callers.areRestricted {
            return [
                ConfigurationWarning(
                    path: "$.listen.trusted_proxies",
                    message: LocalizedText(
                        "has no effect, because no caller is rejected for its address; remove it, or set $.listen.allow",
                        "не действует: никому не отказывают из-за адреса; уберите его или задайте $.listen.allow"))
            ]
        }
        guard callers.networks != nil, case .unix = listen.address, callers.trustedProxies?.includeUnixSocket != true else { return [] }
        return [
            ConfigurationWarning(
                path: "$.listen.allow",
                message: LocalizedText(
                    "has no effect, because callers through a Unix socket have no address; if a proxy calls through it, add \"unix\" to ",
                    "не действует: вызовы через сокет Unix не приходят ни из какой сети; если там прокси, добавьте \"unix\" в ")
                    + LocalizedText(
                        "$.listen.trusted_proxies; otherwise remove it, and restrict access to the socket with the directory's permissions",
                        "$.listen.trusted_proxies, иначе уберите его, а кому можно открыть сокет, пусть говорят права каталога"))
        ]
    }

    private var adminWarnings: [ConfigurationWarning] {
        guard !admin.isLocal else { return tokenWarnings }
        var warnings: [ConfigurationWarning] = []
        if admin.listener.settings.tls == nil {
            warnings.append(
                ConfigurationWarning(
                    path: "$.admin.tls",
                    message: LocalizedText(
                        "missing, and \(admin.listener.address) is reached from other machines: tokens and security keys pass in plain text; ",
                        "нет, а \(admin.listener.address) доступен с других машин: токены и ключи безопасности передаются открыто; ")
                        + LocalizedText(
                            "set \"tls\", or listen on \"unix\" or the host 127.0.0.1",
                            "задайте \"tls\" или слушайте на \"unix\" либо на 127.0.0.1")))
        }
        if admin.tokens.isEmpty {
            warnings.append(
                ConfigurationWarning(
                    path: "$.admin.token",
                    message: LocalizedText(
                        "missing, so /metrics cannot be read: it needs a token where other machines reach the listener; set it",
                        "нет, поэтому никто не может читать /metrics: когда порт доступен с других машин, для этого нужен токен; задайте его"
                    )))
        }
        return warnings + tokenWarnings
    }

    /// Warns if tokens are configured but none has a required role; otherwise operators would notice this only when a command fails.
    private var tokenWarnings: [ConfigurationWarning] {
        if admin.tokens.isEmpty || admin.hasToken(for: .operate) { return [] }
        let missing =
            admin.hasToken(for: .read)
            ? LocalizedText(
                "none has the role \"operate\", so no command can change anything in a service that runs",
                "ни у одного нет роли \"operate\", поэтому команды ничего не могут изменить в работающей службе")
            : LocalizedText(
                "none has the role \"read\" or \"operate\", so no command can ask a service that runs, nor can /metrics be read ",
                "ни у одного нет роли \"read\" или \"operate\", поэтому команды не могут спросить работающую службу, а /metrics не прочитать "
            )
                + LocalizedText("from other machines", "с других машин")
        return [
            ConfigurationWarning(
                path: "$.admin.tokens",
                message: LocalizedText("\(missing); add one, or set $.admin.token", "\(missing); добавьте такой или задайте $.admin.token"))
        ]
    }

    private var storeWarnings: [ConfigurationWarning] {
        if store.hasURLWithoutType {
            return [
                ConfigurationWarning(
                    path: "$.store.url",
                    message: LocalizedText(
                        "is not used, because the store is SQLite without $.store.type; set that to \"postgres\", or to \"sqlite\" if the ",
                        "не используется: без $.store.type хранилище — SQLite; задайте там \"postgres\" или, если этот ")
                        + LocalizedText("address is for deskgate store copy", "адрес нужен для deskgate store copy, \"sqlite\""))
            ]
        }
        guard case .postgres(let settings) = store.kind, settings.isUnverified else { return [] }
        return [
            ConfigurationWarning(
                path: "$.store.url",
                message: LocalizedText(
                    "sslmode does not verify the server: an attacker on the way can read the password and everything stored; ",
                    "sslmode не проверяет, кто сервер: тот, кто окажется на пути, прочтёт пароль и всё, что хранится; ")
                    + LocalizedText(
                        "set sslmode=verify-full and sslrootcert=FILE, or omit sslmode",
                        "задайте sslmode=verify-full с sslrootcert=FILE или уберите sslmode"))
        ]
    }

    private func shadowWarnings(_ now: UnixSeconds) -> [ConfigurationWarning] {
        apps.enumerated().compactMap { index, app in
            app.shadowUntil.map { end in
                let time = RFC3339.text(end.milliseconds)
                return ConfigurationWarning(
                    path: "$.apps[\(index)].shadow_until",
                    message: now < end
                        ? LocalizedText(
                            "until \(time) everybody may use the chat of this app, under each user id that is not blocked or forgotten: ",
                            "до \(time) чат этого приложения открыт всем под любым user_id, кроме заблокированных и забытых: ")
                            + LocalizedText(
                                "denials are answered 200; remove it to deny again",
                                "вместо отказа отвечают 200; уберите, чтобы снова отказывать")
                        : LocalizedText("ended at \(time) and has no effect; remove it", "кончилось \(time) и не действует; уберите"))
            }
        }
    }

    /// The help desk sends the key of a relayed registration back to Deskgate. If the backend alone decides, it must be able to verify this
    /// key.
    private var relayWarnings: [ConfigurationWarning] {
        let relays = notifiers.filter { if case .relay(let relay) = $0.kind { relay.url != nil } else { false } }.map(\.name)
        return apps.enumerated().filter { $0.element.verify?.mode == .backend }.flatMap { index, app in
            app.notifiers.filter { relays.contains($0) }.map { name in
                ConfigurationWarning(
                    path: "$.apps[\(index)].notifiers",
                    message: LocalizedText(
                        "\(name) reports registrations with keys that Deskgate mints, and verify.mode \"backend\" leaves the decision ",
                        "\(name) сообщает о регистрациях с ключами, которые выдаёт Deskgate, а при verify.mode \"backend\" о них решает ")
                        + LocalizedText(
                            "on them to the backend; remove \(name), or give the mode \"key_and_backend\"",
                            "сервер приложения; уберите \(name) или задайте режим \"key_and_backend\""))
            }
        }
    }

    private static func warning(_ certificate: (listener: String, expiresAt: UnixSeconds), _ now: UnixSeconds) -> ConfigurationWarning? {
        guard certificate.expiresAt < now + renewalSeconds else { return nil }
        let path = certificate.listener == "admin" ? "$.admin.tls.certificate" : "$.listen.tls.certificate"
        let time = RFC3339.text(certificate.expiresAt.milliseconds)
        return ConfigurationWarning(
            path: path,
            message: certificate.expiresAt <= now
                ? LocalizedText(
                    "expired at \(time); renew it and \(LocalizedText.reload)", "истёк \(time); обновите его и \(LocalizedText.reload)")
                : LocalizedText(
                    "expires at \(time); renew it and \(LocalizedText.reload)", "истекает \(time); обновите его и \(LocalizedText.reload)"),
            isAboutCredential: true)
    }
}
