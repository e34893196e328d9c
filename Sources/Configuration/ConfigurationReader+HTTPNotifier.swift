internal import Crypto
internal import JSON
internal import Notifiers

/// Notifiers that post events, signed.
extension ConfigurationReader {
    func httpDestination(_ object: ConfigurationObject) -> HTTPDestination {
        if object.value("url") == nil {
            problems.add(object.path(of: "url"), "missing; give the address to post to, such as https://example.com/events")
        }
        return HTTPDestination(
            url: address("url", in: object, allowsHTTP: object.bool("allow_http", default: false)) ?? "",
            secrets: secretList(object, "secret", read: signingSecret), keepsTicketOrder: object.bool("keeps_ticket_order", default: false),
            transport: transport(object, concurrency: 16))
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
}
