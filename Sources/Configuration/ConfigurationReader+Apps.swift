internal import Core
internal import Crypto
internal import JSON
internal import Time

extension ConfigurationReader {
    /// The maximum duration of an app's shadow mode in days.
    private static let longestShadowDays = 90

    /// - Parameters:
    ///   - known: the configured notifiers.
    ///   - life: the lifetime limits of keys for all apps.
    func apps(
        in root: ConfigurationObject, known: NamedNotifiers, life: (longest: UInt64?, standard: UInt64)
    ) -> [Configuration.App] {
        root.require("apps", "list the apps that may use the chat")
        guard let elements = root.array("apps") else { return [] }
        if elements.isEmpty { problems.add(root.path(of: "apps"), "expected at least one app") }
        var apps: [Configuration.App] = []
        for (value, path) in elements {
            guard let object = ConfigurationObject(value, path: path, keys: Self.appKeys, problems: problems) else { continue }
            let id = appID(object, others: apps)
            let verify = verify(object)
            let (keys, webhook) = (keys(object, isOptional: verify?.mode == .backend), webhook(object))
            let helpDesk: HelpDeskKind = object.choice("help_desk")
            refuseForeignKeys(object, of: helpDesk)
            let sendbird = sendbird(
                object, appID: helpDesk == .sendbird ? id.flatMap { sendbirdID($0, path: object.path(of: "app_id")) } : id)
            let notifiers = notifiers(object, known: known, takesWebhooks: webhook != nil || sendbird != nil)
            refuseForeignRelays(notifiers, known, in: object, of: helpDesk)
            requireRelay(notifiers, known, in: object, for: sendbird)
            let routes = routes(object, known: known, notifiers: notifiers)
            apps.append(
                Configuration.App(
                    id: id ?? "", helpDesk: helpDesk, keys: keys, keyLifetime: keyLifetime(object, within: life), verify: verify,
                    webhook: webhook,
                    anonymous: object.choice("anonymous"), sendbird: sendbird, notifiers: notifiers, routes: routes,
                    shadowUntil: shadowUntil(object)))
        }
        refuseTooManySigners(apps, path: root.path(of: "apps"))
        return apps
    }

    private func appID(_ object: ConfigurationObject, others: [Configuration.App]) -> String? {
        let path = object.path(of: "app_id")
        object.require("app_id", "give the app_id that the help desk shows")
        guard let id = object.string("app_id") else { return nil }
        let bytes = Array(id.utf8)
        if FieldGrammar.problem(ofAppID: bytes.span) != nil {
            problems.add(path, "expected at most \(FieldGrammar.longestAppID) UTF-16 code units and no control characters")
        }
        if others.contains(where: { $0.id.utf8.elementsEqual(id.utf8) }) { problems.add(path, "another app has this app_id already") }
        return id
    }

    private func shadowUntil(_ app: ConfigurationObject) -> UnixSeconds? {
        guard let end = app.optionalInteger("shadow_until").map({ UnixSeconds(rawValue: UInt64($0)) }) else {
            return nil
        }
        let latest = now + UInt64(Self.longestShadowDays * 86_400)
        if end > latest {
            problems.add(
                app.path(of: "shadow_until"),
                "expected at most \(latest), \(Self.longestShadowDays) days from now, found \(end): until then everybody may use the chat, "
                    + "so the mode must end by itself if it is forgotten; give an earlier date in seconds since 1970")
        }
        return end
    }

    /// - Parameter isOptional: whether the keys of the app may be omitted.
    private func keys(_ app: ConfigurationObject, isOptional: Bool) -> [Configuration.App.Key] {
        if !isOptional { app.require("keys", "give [{\"id\": 1, \"secret\": {\"file\": \"PATH\"}}]") }
        guard let elements = app.array("keys") else { return [] }
        if elements.isEmpty { problems.add(app.path(of: "keys"), "expected at least one key") }
        var keys: [Configuration.App.Key] = []
        var ids: Set<UInt32> = []
        for (value, path) in elements {
            guard let object = ConfigurationObject(value, path: path, keys: Self.appKeyKeys, problems: problems) else { continue }
            let id = keyID(object, &ids)
            let secret = secret(object)
            let state: Application.Key.State = object.choice("state")
            let notAfter = object.optionalInteger("not_after").map { UnixSeconds(rawValue: UInt64($0)) }
            if let id, let secret { keys.append(Configuration.App.Key(id: id, secret: secret, state: state, notAfter: notAfter)) }
        }
        return keys
    }

    private func keyID(_ key: ConfigurationObject, _ seen: inout Set<UInt32>) -> UInt32? {
        let path = key.path(of: "id")
        key.require("id", "number the keys of an app from 1")
        guard let id = key.optionalInteger("id").map({ UInt32($0) }) else { return nil }
        if !seen.insert(id).inserted { problems.add(path, "another key of this app has this id already") }
        return id
    }

    private func secret(_ key: ConfigurationObject) -> SecretBytes? {
        let path = key.path(of: "secret")
        guard let text = secrets.text(key.value("secret"), path: path, from: .own) else { return nil }
        guard let secret = SecretRules.decode(text) else {
            problems.add(path, "expected 43 base64url characters, which are 32 bytes; \(SecretHint.finding(text))")
            return nil
        }
        guard !secrets.allowsInsecure else { return secret }
        if SecretRules.isWeak(secret) {
            problems.add(path, "not random enough to be a secret; make one with: deskgate secret new")
        }
        if let other = seen.insert(secret, path: path) {
            problems.add(path, "the same secret as \(other); give each key a secret of its own")
        }
        return secret
    }
}
