internal import Crypto
internal import JSON

/// What events are delivered to.
extension ConfigurationReader {
    private enum NotifierType: String, CaseIterable {
        case log, http
    }

    /// The names of all notifiers, also of those that are wrong, so that one mistake is told once.
    func notifierNames(in root: ConfigurationObject) -> [String] {
        guard case .object(let object)? = root.value("notifiers") else { return ["log"] }
        return object.members.map(\.key)
    }

    func notifiers(in root: ConfigurationObject) -> [Configuration.Notifier] {
        switch root.value("notifiers") {
        case nil: return [Configuration.Notifier(name: "log", kind: .log)]
        case .object(let object)?:
            return object.members.compactMap { notifier($0.key, $0.value, path: "\(root.path(of: "notifiers")).\(printable($0.key))") }
        case .some(let value):
            problems.add(root.path(of: "notifiers"), "expected an object, found \(value.kind)")
            return []
        }
    }

    private func notifier(_ name: String, _ value: JSONValue, path: String) -> Configuration.Notifier? {
        if !Self.isName(name) { problems.add(path, "expected a name of 1 to 64 letters, digits, \"-\", \"_\" or \".\"") }
        let keys = Self.isLog(value) ? ConfigurationKeys.logNotifier : ConfigurationKeys.httpNotifier
        guard let object = ConfigurationObject(value, path: path, keys: keys, problems: problems) else { return nil }
        if object.value("type") == nil { problems.add(object.path(of: "type"), "missing; give \"log\" or \"http\"") }
        let requiresDevice = object.bool("requires_device", default: true)
        switch object.choice("type", default: NotifierType.log) {
        case .log: return Configuration.Notifier(name: name, kind: .log, requiresDevice: requiresDevice)
        case .http: return Configuration.Notifier(name: name, kind: .http(destination(object)), requiresDevice: requiresDevice)
        }
    }

    private func destination(_ object: ConfigurationObject) -> Configuration.HTTPDestination {
        Configuration.HTTPDestination(
            url: url(object), secrets: signingSecrets(object),
            timeoutSeconds: object.integer("timeout_seconds", 1...120, default: 20),
            concurrency: object.integer("concurrency", 1...1000, default: 16),
            keepsTicketOrder: object.bool("keeps_ticket_order", default: false),
            certificateAuthorities: certificateAuthorities(object), proxy: proxy(object))
    }

    private func url(_ object: ConfigurationObject) -> String {
        let path = object.path(of: "url")
        let allowsHTTP = object.bool("allow_http", default: false)
        guard let text = object.string("url") else {
            if object.value("url") == nil { problems.add(path, "missing; give the address to post to, such as https://example.com/events") }
            return ""
        }
        guard let url = DestinationURL(text), url.scheme == "https" || url.scheme == "http" else {
            problems.add(path, "expected an https address with a host, without a user, a password or a fragment")
            return text
        }
        if url.scheme == "http", !url.isLoopback, !allowsHTTP {
            problems.add(path, "plain http leaves this machine unprotected; give an https address, or set \"allow_http\": true beside it")
        }
        return text
    }

    private func signingSecrets(_ object: ConfigurationObject) -> [SecretBytes] {
        guard case .array? = object.value("secret") else {
            return [signingSecret(object.value("secret"), path: object.path(of: "secret"))].compactMap(\.self)
        }
        let elements = object.array("secret") ?? []
        if elements.isEmpty { problems.add(object.path(of: "secret"), "expected at least one secret") }
        return elements.compactMap { signingSecret($0.value, path: $0.path) }
    }

    private func signingSecret(_ value: JSONValue?, path: String) -> SecretBytes? {
        let remedy = "make one with: echo \"whsec_$(openssl rand -base64 32)\""
        guard let text = secrets.text(value, path: path) else { return nil }
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

    private func certificateAuthorities(_ object: ConfigurationObject) -> String? {
        let path = object.path(of: "certificate_authorities")
        guard let file = object.string("certificate_authorities"), let bytes = secrets.file(file, at: path, isSecret: false) else {
            return nil
        }
        if !String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") {
            problems.add(path, "expected a file with certificates in PEM")
        }
        return secrets.resolve(file)
    }

    private func proxy(_ object: ConfigurationObject) -> String? {
        guard let text = object.string("proxy") else { return nil }
        guard let url = DestinationURL(text), ["http", "socks5"].contains(url.scheme) else {
            problems.add(object.path(of: "proxy"), "expected an http or socks5 address with a host, without a user or a password")
            return nil
        }
        return text
    }

    private static func isLog(_ value: JSONValue) -> Bool {
        guard case .object(let object) = value else { return false }
        return object["type"] == "log"
    }

    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { SecretRules.isUnreserved($0) && $0 != UInt8(ascii: "~") }
    }
}
