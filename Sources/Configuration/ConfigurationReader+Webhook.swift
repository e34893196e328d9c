internal import Crypto
internal import JSON

extension ConfigurationReader {
    /// The maximum number of secrets that are compared with one webhook: each signature costs a pass over a body of possibly unknown
    /// origin.
    private static let maximumWebhookSecrets = 8

    func webhook(_ app: ConfigurationObject) -> Configuration.Webhook? {
        guard let object = app.object("webhook", keys: Self.webhookKeys) else { return nil }
        if object.value("secret") == nil, object.value("signature_secret") == nil {
            problems.add(object.path, "give \"secret\" or \"signature_secret\", or leave \"webhook\" out to take none")
        }
        return Configuration.Webhook(
            secrets: webhookSecrets(
                object, "secret", isRight: SecretRules.isUsableInPath,
                expectation: "16 to 128 letters, digits, \"-\", \".\", \"_\" or \"~\"; give the last part of the webhook's address, "
                    + "or, if the help desk has none yet, make one with: deskgate secret new"),
            signatureSecrets: webhookSecrets(
                object, "signature_secret", isRight: { !self.isTooShort($0) },
                expectation: "at least 16 bytes; give the help desk a longer secret"))
    }

    /// Rejects too many signature secrets: without a secret in the path, a webhook may belong to any app, so all of them are tried.
    func refuseTooManySigners(_ apps: [Configuration.App], path: String) {
        let signers = apps.compactMap(\.webhook).filter(\.needsNoPathSecret).reduce(0) { $0 + $1.signatureSecrets.count }
        guard signers > Self.maximumWebhookSecrets else { return }
        problems.add(
            path,
            "\(signers) signature secrets would be tried for each webhook, at most \(Self.maximumWebhookSecrets) may be; "
                + "give some of these apps a \"webhook.secret\" as well")
    }

    /// Parses a secret, or a list of them during a rotation.
    func secretList(
        _ object: ConfigurationObject, _ key: String, read: (_ value: JSONValue?, _ path: String) -> SecretBytes?
    ) -> [SecretBytes] {
        guard case .array? = object.value(key) else { return [read(object.value(key), object.path(of: key))].compactMap(\.self) }
        let elements = object.array(key) ?? []
        if elements.isEmpty { problems.add(object.path(of: key), "expected at least one secret") }
        return elements.compactMap { read($0.value, $0.path) }
    }

    func notifiers(_ app: ConfigurationObject, known: NamedNotifiers, takesWebhooks: Bool) -> [String] {
        let path = app.path(of: "notifiers")
        guard app.value("notifiers") != nil else {
            if known.contains("log") { return app.standardTexts("notifiers") }
            if takesWebhooks, app.value("routes") == nil {
                problems.add(path, "missing; \"log\" is not configured, so name the notifiers of this app's events")
            }
            return []
        }
        var names: [String] = []
        for (value, path) in app.array("notifiers") ?? [] {
            guard case .string(let name) = value else {
                problems.add(path, "expected the name of a notifier, found \(value.kind)")
                continue
            }
            if !known.contains(name) { problems.add(path, known.unknownName(name)) }
            if names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { problems.add(path, "the app has this notifier already") }
            names.append(name)
        }
        return names
    }

    private func webhookSecrets(
        _ webhook: ConfigurationObject, _ key: String, isRight: (SecretBytes) -> Bool, expectation: String
    ) -> [SecretBytes] {
        guard webhook.value(key) != nil else { return [] }
        let found = secretList(webhook, key) { value, path in
            guard let secret = secrets.text(value, path: path, from: .shared) else { return nil }
            guard isRight(secret) else {
                problems.add(path, "expected \(expectation)")
                return nil
            }
            refuseWeakOrShared(secret, path: path)
            return secret
        }
        if found.count > Self.maximumWebhookSecrets {
            problems.add(webhook.path(of: key), "expected at most \(Self.maximumWebhookSecrets) secrets, found \(found.count)")
        }
        return found
    }

    /// Rejects a secret in the configuration's text if it is hardly random, or used elsewhere as well.
    func refuseWeakOrShared(_ secret: SecretBytes, path: String) {
        guard !secrets.allowsInsecure else { return }
        if SecretRules.isWeakText(secret) {
            problems.add(path, "not random enough to be a secret; make one with: deskgate secret new")
        }
        // An app's key with the same characters is treated as the same secret.
        if let other = seen.insert(SecretRules.decode(secret) ?? secret, path: path) {
            problems.add(path, "the same secret as \(other); use each secret in one place only")
        }
    }

    private func isTooShort(_ secret: SecretBytes) -> Bool {
        secret.count < 16 && !secrets.allowsInsecure
    }
}
