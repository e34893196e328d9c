internal import Crypto
internal import JSON

/// The tokens of the admin listener.
extension ConfigurationReader {
    static let adminTokenKeys = ConfigurationKeys.live("role", "token")

    /// The most tokens in `admin.tokens`: each request is compared with all of them, and anybody may send one.
    private static let mostTokens = 32

    /// Reads `admin.token` and `admin.tokens`, in this order.
    func tokens(_ admin: ConfigurationObject) -> [AdminToken] {
        var tokens: [AdminToken] = []
        if let value = admin.value("token"), let secret = token(value, path: admin.path(of: "token"), others: tokens) {
            tokens.append(AdminToken(forEverything: secret))
        }
        guard let elements = admin.array("tokens") else { return tokens }
        let path = admin.path(of: "tokens")
        if elements.isEmpty { problems.add(path, "expected at least one token, or no \"tokens\"") }
        if elements.count > Self.mostTokens { problems.add(path, "expected at most \(Self.mostTokens) tokens, found \(elements.count)") }
        for (index, element) in elements.enumerated() {
            guard let object = ConfigurationObject(element.value, path: element.path, keys: Self.adminTokenKeys, problems: problems) else {
                continue
            }
            object.require("role", "give \"mint\", \"read\" or \"operate\"")
            let role = object.choice("role", default: AdminToken.Role.read)
            guard let secret = token(object.value("token"), path: object.path(of: "token"), others: tokens) else { continue }
            tokens.append(AdminToken(role, secret, index: index))
        }
        return tokens
    }

    private func token(_ value: JSONValue?, path: String, others: [AdminToken]) -> SecretBytes? {
        guard let token = secrets.text(value, path: path) else { return nil }
        // Even where insecure secrets are allowed: nobody could tell which role the caller has.
        if let other = others.first(where: { $0.secret == token }) {
            problems.add(path, "the same token as $.\(other.place)\(other.hasAllRoles ? "" : ".token"); give each entry a token of its own")
            return nil
        }
        if SecretRules.isUsableToken(token) || secrets.allowsInsecure {
            refuseWeakOrShared(token, path: path)
        } else {
            problems.add(path, "expected at least 32 visible ASCII characters; make one with: deskgate secret new")
        }
        return token
    }

    /// Refuses metrics that need a token while none may read them.
    func refuseUnreadableMetrics(_ configured: Configuration.Admin, _ admin: ConfigurationObject) {
        guard configured.metricsNeedToken, !configured.hasToken(for: .read) else { return }
        if admin.value("token") == nil, admin.value("tokens") == nil {
            problems.add(admin.path(of: "token"), "missing, and \"metrics_need_token\" is true")
        } else if case .array(let elements)? = admin.value("tokens"), elements.count == configured.tokens.count {
            // All of them could be read.
            problems.add(admin.path(of: "tokens"), "none has the role \"read\" or \"operate\", and \"metrics_need_token\" is true")
        }
    }
}
