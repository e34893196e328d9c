internal import Crypto
internal import JSON
internal import Notifiers

extension ConfigurationReader {
    func notifiers(in root: ConfigurationObject) -> [Configuration.Notifier] {
        switch root.value("notifiers") {
        case nil: return root.standard("notifiers", [Configuration.Notifier(name: "log", kind: .log)]) { _ in ["log": ["type": "log"]] }
        case .object(let object)?:
            return object.members.compactMap { notifier($0.key, $0.value, path: "\(root.path(of: "notifiers")).\(printable($0.key))") }
        case .some(let value):
            problems.add(root.path(of: "notifiers"), "expected an object, found \(value.kind)")
            return []
        }
    }

    private func notifier(_ name: String, _ value: JSONValue, path: String) -> Configuration.Notifier? {
        if !PlainName.accepts(name) { problems.add(path, "expected \(PlainName.expectation)") }
        let type = NamedNotifiers.type(of: value)
        // The keys of an unknown type are unknown.
        let keys = type?.keys ?? NotifierType.allCases.map(\.keys).reduce([], +)
        guard let object = ConfigurationObject(value, path: path, keys: keys, problems: problems) else { return nil }
        guard let type else {
            let types = NotifierType.allCases.map(\.rawValue)
            object.require("type", "give one of \(types.map { "\"\($0)\"" }.joined(separator: ", "))")
            if let word = object.string("type") { problems.add(object.path(of: "type"), UnknownWord.message(word, known: types)) }
            return nil
        }
        guard let kind = kind(type, object) else { return nil }
        return Configuration.Notifier(
            name: name, kind: kind, requiresDevice: object.bool("requires_device", default: type.requiresDevice))
    }

    private func kind(_ type: NotifierType, _ object: ConfigurationObject) -> Configuration.Notifier.Kind? {
        switch type {
        case .log: .log
        case .http: .http(httpDestination(object))
        case .relay(let helpDesk): .relay(relay(to: helpDesk, object))
        case .apns, .fcm, .rustore, .hms: push(type, object).map { .push($0) }
        }
    }

    func httpDestination(_ object: ConfigurationObject) -> HTTPDestination {
        object.require("url", "give the address to post to, such as https://example.com/events")
        return HTTPDestination(
            url: address("url", in: object, allowsHTTP: object.bool("allow_http")) ?? "",
            secrets: secretList(object, "secret", read: signingSecret), preservesTicketOrder: object.bool("keeps_ticket_order"),
            transport: transport(object))
    }

    /// Parses a secret that signs Deskgate's requests.
    func signingSecret(_ value: JSONValue?, path: String) -> SecretBytes? {
        let remedy = "make one with: echo \"whsec_$(openssl rand -base64 32)\""
        guard let text = secrets.text(value, path: path, from: .signing) else { return nil }
        guard let secret = SecretRules.decodeSigningSecret(text) else {
            problems.add(path, "expected whsec_ and the base64 of 24 to 64 bytes; \(remedy)")
            return nil
        }
        guard !secrets.allowsInsecure else { return text }
        if SecretRules.isWeak(secret) { problems.add(path, "not random enough to be a secret; \(remedy)") }
        if let other = seen.insert(secret, path: path) {
            problems.add(path, "the same secret as \(other); use each secret in one place only")
        }
        return text
    }
}
