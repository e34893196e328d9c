internal import Core
internal import Crypto
internal import JSON
internal import Notifiers

/// Push notifiers with their credentials, and the relay of registrations.
extension ConfigurationReader {
    func push(_ type: NotifierType, _ object: ConfigurationObject) -> PushSettings? {
        let allowsHTTP = object.bool("allow_http")
        let provider: PushDestination? =
            switch type {
            case .apns: apns(object, allowsHTTP).map { .apns($0) }
            case .fcm: fcm(object, allowsHTTP).map { .fcm($0) }
            case .rustore: rustore(object, allowsHTTP).map { .rustore($0) }
            case .hms: hms(object, allowsHTTP).map { .hms($0) }
            case .log, .http, .relay: nil
            }
        let (style, transport) = (pushStyle(object), transport(object))
        guard let provider, let style else { return nil }
        return PushSettings(provider: provider, style: style, transport: transport)
    }

    func relay(to helpDesk: HelpDeskKind, _ object: ConfigurationObject) -> Configuration.Relay {
        let transport = transport(object)
        guard let registry = helpDesk.registry else { return Configuration.Relay(helpDesk: helpDesk, transport: transport) }
        let url = address("url", in: object, allowsHTTP: object.bool("allow_http"))
        let domain = object.string("domain")
        if domain != nil, url != nil { problems.add(object.path(of: "domain"), "give \"url\" or \"domain\", not both") }
        let host = domain ?? (url == nil ? object.standard("domain") : registry.cloudHost)
        let ours = registry.address(at: host)
        if let domain, (try? DestinationURL(ours))?.host != domain.lowercased() {
            problems.add(object.path(of: "domain"), "expected the name of a host, such as \(registry.cloudHost)")
        }
        return Configuration.Relay(helpDesk: helpDesk, url: url ?? object.standard("url", ours), transport: transport)
    }

    private func fcm(_ object: ConfigurationObject, _ allowsHTTP: Bool) -> FCMDestination? {
        let url = baseAddress("url", in: object, allowsHTTP: allowsHTTP) ?? object.standard("url")
        let path = object.path(of: "service_account")
        guard let text = secrets.text(object.value("service_account"), path: path) else { return nil }
        do throws(ServiceAccount.Problem) {
            _ = try text.withSpan { span throws(ServiceAccount.Problem) in try ServiceAccount(parsing: span) }
            return FCMDestination(serviceAccount: text, url: url)
        } catch {
            problems.add(path, "the service account's file \(error)")
            return nil
        }
    }

    private func rustore(_ object: ConfigurationObject, _ allowsHTTP: Bool) -> RuStoreDestination? {
        let url = baseAddress("url", in: object, allowsHTTP: allowsHTTP) ?? object.standard("url")
        let project = word(
            "project_id", in: object, missing: "the project's identifier, which RuStore's console shows under Push notifications, Projects",
            expectation: "1 to 128 letters, digits, \"-\", \"_\" or \".\"")
        let token = credential("token", in: object)
        guard let project, let token else { return nil }
        return RuStoreDestination(projectID: project, token: token, url: url)
    }

    private func hms(_ object: ConfigurationObject, _ allowsHTTP: Bool) -> HMSDestination? {
        let url = baseAddress("url", in: object, allowsHTTP: allowsHTTP) ?? object.standard("url")
        let tokenURL = address("token_url", in: object, allowsHTTP: allowsHTTP) ?? object.standard("token_url")
        let app = word(
            "app_id", in: object, missing: "the app's identifier, which AppGallery Connect shows in the project's settings",
            expectation: "1 to 20 digits", isRight: Self.isNumber)
        let secret = credential("secret", in: object)
        let category = category(object)
        guard let app, let secret else { return nil }
        return HMSDestination(appID: app, secret: secret, category: category, url: url, tokenURL: tokenURL)
    }

    private func category(_ object: ConfigurationObject) -> String? {
        switch object.value("category") {
        case nil: return object.standard("category")
        case .null?: return nil
        case .some:
            guard let category = object.string("category") else { return nil }
            if !Self.isCategory(category) {
                problems.add(
                    object.path(of: "category"),
                    "expected 1 to 32 capital letters or \"_\", such as \"IM\" or \"SUBSCRIPTION\", or null for none")
            }
            return category
        }
    }

    func word(
        _ key: String, in object: ConfigurationObject, missing: String, expectation: String, isRight: (String) -> Bool = isPlain
    ) -> String? {
        object.require(key, "give \(missing)")
        guard let text = object.string(key) else { return nil }
        guard isRight(text) else {
            problems.add(object.path(of: key), "expected \(expectation)")
            return nil
        }
        return text
    }

    /// A provider's secret, sent in a header or a form.
    private func credential(_ key: String, in object: ConfigurationObject) -> SecretBytes? {
        let path = object.path(of: key)
        guard let secret = secrets.text(object.value(key), path: path) else { return nil }
        guard SecretRules.isVisible(secret) else {
            problems.add(path, "expected visible ASCII characters on one line; copy it again from the provider's console")
            return nil
        }
        return secret
    }

    private static func isPlain(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy(SecretRules.isUnreserved)
    }

    private static func isCategory(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isNumber(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// nil when it has a mistake.
    func pushStyle(_ object: ConfigurationObject) -> PushStyle? {
        let content = object.choice("content", of: PushContent.self)
        let badge = object.optionalInteger("badge")
        let name = "expected a name of 1 to 64 letters, digits, \"-\", \"_\", \".\" or \"/\""
        let sound = sound(object)
        if let sound, (try? PushStyle(sound: sound)) == nil { problems.add(object.path(of: "sound"), "\(name), or null for none") }
        let channel = object.string("android_channel")
        if let channel, (try? PushStyle(androidChannel: channel)) == nil { problems.add(object.path(of: "android_channel"), name) }
        let withdraws = object.bool("withdraw")
        guard let templates = templates(object) else { return nil }
        return try? PushStyle(
            content: content, templates: templates, sound: sound, badge: badge, androidChannel: channel, withdraws: withdraws)
    }

    private func sound(_ object: ConfigurationObject) -> String? {
        switch object.value("sound") {
        case nil: object.standard("sound")
        case .null?: nil
        case .some: object.string("sound")
        }
    }

    private func templates(_ object: ConfigurationObject) -> PushTemplates? {
        let language = object.string("language") ?? object.standard("language")
        let given = object.section("templates", keys: Self.templatesKeys)
        let builtIn = PushTemplates.builtIn(in: language)
        var texts: [PushTemplatePart: String] = [:]
        for part in PushTemplatePart.allCases {
            texts[part] = given.string(part.rawValue) ?? builtIn[part].map { given.standard(part.rawValue, $0) }
        }
        do throws(PushTemplates.Problems) {
            return try PushTemplates(language: language, texts: texts)
        } catch {
            for problem in error.all {
                let path = problem.part.map { "\(object.path(of: "templates")).\($0.rawValue)" } ?? object.path(of: "language")
                problems.add(path, problem.description)
            }
            return nil
        }
    }
}
