internal import JSON
package import Time

/// A credential of the configuration with a known expiry.
package struct ExpiringCredential: Sendable, Equatable {
    /// The raw value is stable.
    package enum Kind: String, Sendable, CaseIterable {
        case listenerCertificate = "listener_certificate"
        case notifierCertificate = "notifier_certificate"
        /// The last active key of an app.
        case appKey = "app_key"
    }

    package let kind: Kind
    /// The name of the listener, notifier or app.
    package let name: String
    package let expiresAt: UnixSeconds

    package init(_ kind: Kind, of name: String, expiresAt: UnixSeconds) {
        self.kind = kind
        self.name = name
        self.expiresAt = expiresAt
    }

    /// The condition that the credential expires soon. The key contains the expiry, so that a replacement that also expires soon is a
    /// separate condition, and processes that have read different files do not contradict each other.
    package var condition: OperatorCondition.Key {
        OperatorCondition.Key(.credentialExpires, "\(kind.rawValue) \(expiresAt.rawValue) \(name)")
    }

    /// Whether the credential is listed among the problems: from `RenewalTime.shownDays` before its expiry, or earlier if operators are
    /// notified earlier.
    package func isShown(now: UnixSeconds, _ thresholds: OperatorThresholds) -> Bool {
        expiresAt < now + UInt64(max(RenewalTime.shownDays, thresholds.expiresDays)) * 86_400
    }

    package func hasEnded(now: UnixSeconds) -> Bool { expiresAt <= now }

    /// Whether operators are notified that the credential expires soon, or has expired.
    package func status(now: UnixSeconds, _ thresholds: OperatorThresholds) -> ConditionStatus {
        expiresAt < now + UInt64(thresholds.expiresDays) * 86_400 ? .holds : .over(.resolved)
    }

    /// The remedy in full sentences.
    package var remedy: LocalizedText {
        switch kind {
        case .listenerCertificate:
            LocalizedText(
                "Renew the certificate in the file of \(name == "admin" ? "admin" : "listen").tls.certificate, and \(LocalizedText.reload).",
                "Обновите сертификат в файле из \(name == "admin" ? "admin" : "listen").tls.certificate и \(LocalizedText.reload)."
            )
        case .notifierCertificate:
            LocalizedText(
                "Get a new certificate from the provider, put it in notifiers.\(name).certificate, and \(LocalizedText.reload). A key does not expire.",
                "Получите новый у провайдера, положите его туда, куда указывает notifiers.\(name).certificate, и \(LocalizedText.reload). Ключ не истекает."
            )
        case .appKey:
            LocalizedText(
                "Add a key with deskgate secret rotate, and have the app's backend mint with it.",
                "Добавьте ключ командой deskgate secret rotate, и пусть сервер приложения выдаёт ключи с ним.")
        }
    }

    /// The condition's data, a JSON object.
    package var data: [UInt8] {
        let end = min(expiresAt.rawValue, RFC3339.latest)
        let data: JSONValue = [
            "credential": .string(kind.rawValue), "name": .string(name),
            "expires_at": .string(RFC3339.text(UnixSeconds(rawValue: end).milliseconds)), "remedy": .string(remedy.english),
        ]
        return data.serialized()
    }
}
