internal import Crypto
internal import JSON

extension ConfigurationReader {
    /// The maximum number of tokens in `admin.tokens`: each request is compared with all of them, and unauthenticated clients may send
    /// requests.
    private static let maximumTokens = 32

    /// Reads `admin.token` and `admin.tokens`, in this order.
    func tokens(_ admin: ConfigurationObject) -> [AdminToken] {
        var tokens: [AdminToken] = []
        if let value = admin.value("token"), let secret = token(value, path: admin.path(of: "token"), others: tokens) {
            tokens.append(AdminToken(forEverything: secret))
        }
        guard let elements = admin.array("tokens") else { return tokens }
        let path = admin.path(of: "tokens")
        if elements.isEmpty { problems.add(path, "expected at least one token, or no \"tokens\"") }
        if elements.count > Self.maximumTokens {
            problems.add(path, "expected at most \(Self.maximumTokens) tokens, found \(elements.count)")
        }
        var names: [(name: String, place: String)] = [(AdminToken.nameForEverything, "admin.token")]
        for (index, element) in elements.enumerated() {
            guard let object = ConfigurationObject(element.value, path: element.path, keys: Self.adminTokenKeys, problems: problems) else {
                continue
            }
            object.require("role", "give \"mint\", \"read\" or \"operate\"")
            let role = object.choice("role", default: AdminToken.Role.read)
            let name = name(object, role, others: names) ?? ""
            if !name.isEmpty { names.append((name, "admin.tokens[\(index)]")) }
            guard let secret = token(object.value("token"), path: object.path(of: "token"), others: tokens) else { continue }
            tokens.append(AdminToken(role, secret, name: name, index: index))
        }
        return tokens
    }

    /// Parses the name of a token's holder; nil when it is unsuitable for audit lines.
    private func name(_ object: ConfigurationObject, _ role: AdminToken.Role, others: [(name: String, place: String)]) -> String? {
        object.require(
            "name",
            "name the sender of this token for audit lines and revocations: add a name such as \"name\": \"\(role.sampleHolder)\""
        )
        guard let name = object.string("name") else { return nil }
        let path = object.path(of: "name")
        guard PlainName.accepts(name) else {
            problems.add(path, "expected \(PlainName.expectation)")
            return nil
        }
        if SecretRules.looksLikeSecret(name) {
            problems.add(path, "looks like a secret, and the log shows names; give the name of the token's sender")
            return nil
        }
        // People would confuse two names that differ only in case.
        if let other = others.first(where: { $0.name.lowercased() == name.lowercased() }) {
            problems.add(path, "the same name as $.\(other.place); give each token a name of its own")
            return nil
        }
        return name
    }

    private func token(_ value: JSONValue?, path: String, others: [AdminToken]) -> SecretBytes? {
        guard let token = secrets.text(value, path: path, from: .own) else { return nil }
        // Even if insecure secrets are allowed: the caller's role would be ambiguous.
        if let other = others.first(where: { $0.secret == token }) {
            problems.add(path, "the same token as $.\(other.place)\(other.hasAllRoles ? "" : ".token"); give each entry a token of its own")
            return nil
        }
        if SecretRules.isUsableToken(token) || secrets.allowsInsecure {
            refuseWeakOrShared(token, path: path)
        } else {
            problems.add(path, "expected at least 32 visible ASCII characters; \(SecretHint.finding(token))")
        }
        return token
    }

    /// Rejects metrics that need a token if no token may read them.
    func refuseUnreadableMetrics(_ configured: Configuration.Admin, _ admin: ConfigurationObject) {
        guard configured.metricsNeedToken, !configured.hasToken(for: .read) else { return }
        if admin.value("token") == nil, admin.value("tokens") == nil {
            problems.add(admin.path(of: "token"), "missing, and \"metrics_need_token\" is true")
        } else if case .array(let elements)? = admin.value("tokens"), elements.count == configured.tokens.count {
            // All tokens could be parsed.
            problems.add(admin.path(of: "tokens"), "none has the role \"read\" or \"operate\", and \"metrics_need_token\" is true")
        }
    }
}

extension AdminToken.Role {
    /// An example of a name for this role, in the error for a token without a name.
    fileprivate var sampleHolder: String {
        switch self {
        case .mint: "backend"
        case .read: "prometheus"
        case .operate: "anna"
        }
    }
}
