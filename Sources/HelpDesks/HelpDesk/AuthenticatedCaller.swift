package import Core
package import Crypto
package import HTTPServer
package import Observability
package import Threading
package import Time

/// A caller with a valid security key for the chat.
package struct AuthenticatedCaller: Sendable {
    package let appID: String
    package let userID: String
    /// The path segment at the route's parameter as sent, with its escapes; empty when the route has no parameter.
    package let parameter: String
    package let context: RequestContext
    /// The time at which the key expires according to all rules; `max` for a key that only the app's backend can verify.
    package let latest: UnixMilliseconds
    private let appDigest: KeyedDigest
    private let key: SecurityKey?

    /// - Parameter key: the parsed and verified key; nil for a key that only the app's backend can verify.
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

    /// The key's identity; nil for a key that only the app's backend can verify.
    package var keyIdentity: KeyIdentity? { key?.identity }

    /// Whether the key was revoked, or the user blocked, after the key was verified.
    /// - Throws: when OpenSSL fails.
    package func isRevoked(_ revocations: Revocations) throws(CryptoError) -> Bool {
        guard let key else { return try revocations.blocks(app: appDigest, appID: appID.utf8.span, userID: userID.utf8.span) }
        return try revocations.revokes(key, app: appDigest, appID: appID.utf8.span, userID: userID.utf8.span)
    }
}

extension CallWindows.Person {
    /// The user as an owner of a share of capacity that the users of all apps share.
    package var share: ShareOwner { ShareOwner(appID.text, userID.text) }
}

package struct AuthenticatedAnswer: Sendable {
    package let response: Response
    /// The result in logs and metrics.
    package let result: String
    /// The reason of a rejection, for a log line; nil when the call succeeded and nothing is logged. Never contains text from the caller.
    package let reason: String?
    package let level: LogLevel

    package init(_ response: Response, result: String, reason: String? = nil, level: LogLevel = .info) {
        self.response = response
        self.result = result
        self.reason = reason
        self.level = level
    }

    package static func limited(_ refusal: LimitRefusal, now: UnixMilliseconds) -> AuthenticatedAnswer {
        AuthenticatedAnswer(.limited(refusal, now: now), result: "limited", reason: "limit_per_\(refusal.rule.scope.rawValue)")
    }
}

package enum AuthenticatedResponse: Sendable {
    case answer(AuthenticatedAnswer)
    /// An answer that requires another server. The closure starts the work and must not block. It calls `complete` exactly once, on any
    /// thread, possibly before it returns.
    case later(@Sendable (_ complete: @escaping @Sendable (AuthenticatedAnswer) -> Void) -> Void)
}
