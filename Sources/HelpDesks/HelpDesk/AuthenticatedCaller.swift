package import Core
package import Crypto
package import HTTPServer
package import Observability
package import Threading
package import Time

/// Somebody whose security key lets the person use the chat.
package struct AuthenticatedCaller: Sendable {
    package let appID: String
    package let userID: String
    /// The segment of the path at the route's parameter, as sent, with its escapes; empty when the route has none.
    package let parameter: String
    package let context: RequestContext
    /// When the key ends, by all that ends it; `max` for a key that only the app's backend understands.
    package let latest: UnixMilliseconds
    private let appDigest: KeyedDigest
    private let key: SecurityKey?

    /// - Parameters:
    ///   - policy: the requirements on the app's keys.
    ///   - key: parsed, and verified; nil where only the app's backend understands it.
    init(_ application: Application, policy: KeyPolicy, userID: String, parameter: String, context: RequestContext, key: SecurityKey?) {
        self.userID = userID
        self.parameter = parameter
        self.context = context
        self.key = key
        appID = application.name
        appDigest = application.digest
        latest = key.map { policy.narrowed(by: application.life).end(of: $0, in: application).milliseconds } ?? .max
    }

    package var person: CallWindows.Person { CallWindows.Person(appID: appID, userID: userID) }

    /// The key's identity, for derived credentials; nil where only the app's backend understands it.
    package var keyIdentity: KeyIdentity? { key?.identity }

    /// Whether the key has been revoked meanwhile, or the person blocked.
    /// - Throws: when OpenSSL fails.
    package func isRevoked(_ revocations: Revocations) throws(CryptoError) -> Bool {
        guard let key else { return try revocations.blocks(app: appDigest, appID: appID.utf8.span, userID: userID.utf8.span) }
        return try revocations.revokes(key, app: appDigest, appID: appID.utf8.span, userID: userID.utf8.span)
    }
}

extension CallWindows.Person {
    /// The person's share of what the people of all apps use.
    package var share: ShareOwner { ShareOwner(appID.text, userID.text) }
}

/// The answer to an authenticated caller, with its fields for metrics and log.
package struct AuthenticatedAnswer: Sendable {
    package let response: Response
    package let result: String
    /// The reason of a failure, for a log line; nil for a success that is not logged. Never the caller's own text.
    package let reason: String?
    package let level: LogLevel

    package init(_ response: Response, result: String, reason: String? = nil, level: LogLevel = .info) {
        self.response = response
        self.result = result
        self.reason = reason
        self.level = level
    }

    /// 429, because a limit of ours is reached.
    package static func limited(_ refusal: LimitRefusal, now: UnixMilliseconds) -> AuthenticatedAnswer {
        AuthenticatedAnswer(.limited(refusal, now: now), result: "limited", reason: "limit_per_\(refusal.rule.scope.rawValue)")
    }
}

package enum AuthenticatedStep: Sendable {
    case answer(AuthenticatedAnswer)
    /// After a call: starts it, and must not block. Its argument is called exactly once, on any thread, perhaps before it returns.
    case later(@Sendable (_ complete: @escaping @Sendable (AuthenticatedAnswer) -> Void) -> Void)
}
