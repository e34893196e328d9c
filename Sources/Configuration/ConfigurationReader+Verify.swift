internal import Core
internal import Crypto
internal import JSON

/// Whether an app's own backend is called for its users.
extension ConfigurationReader {
    /// nil when the security key alone decides.
    func verify(_ app: ConfigurationObject) -> Configuration.Verify? {
        guard let object = app.object("verify", keys: Self.verifyKeys) else { return nil }
        let mode = object.choice("mode", of: VerifyMode.self)
        if mode != .key {
            object.require("url", "give the address to ask, such as https://example.com/may-chat")
            object.require("secret", "give the secret that signs the calls as \(SecretReader.sources)")
        } else if object.value("mode") == nil, object.value("url") != nil {
            problems.add(object.path(of: "mode"), "missing, so \"url\" is never asked; give \"key_and_backend\", \"backend\" or \"key\"")
        }
        let verify = Configuration.Verify(
            mode: mode, url: backendAddress(object) ?? "",
            secrets: object.value("secret") == nil ? [] : secretList(object, "secret", read: signingSecret),
            timeoutMilliseconds: object.timeLimit("timeout_ms"),
            lifetimes: lifetimes(object.section("cache", keys: Self.verifyCacheKeys)), whenUndecided: undecidedRule(object, mode))
        return mode == .key ? nil : verify
    }

    private func backendAddress(_ object: ConfigurationObject) -> String? {
        guard let text = object.string("url") else { return nil }
        let path = object.path(of: "url")
        if text.contains("{"), !Placeholder.hasVariable(text) {
            problems.add(
                path,
                "placeholders such as {user_id} are not replaced; leave them out: the request is a POST whose JSON has app_id and user_id"
            )
            return nil
        }
        _ = isRight(address: text, at: path)
        return text
    }

    private func lifetimes(_ object: ConfigurationObject) -> AnswerLifetimes {
        AnswerLifetimes(
            positiveSeconds: UInt64(object.integer("positive_seconds")),
            negativeSeconds: UInt64(object.integer("negative_seconds")))
    }

    private func undecidedRule(_ object: ConfigurationObject, _ mode: VerifyMode) -> UndecidedPolicy {
        let rule = object.choice("when_undecided", of: UndecidedPolicy.self)
        if rule == .allowIfKeyValid, mode == .backend {
            problems.add(
                object.path(of: "when_undecided"),
                "in mode \"backend\" no key is checked that could be valid; give \"error\" or \"deny\", or the mode \"key_and_backend\"")
        }
        return rule
    }
}
