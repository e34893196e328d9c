package import Configuration
package import Core
package import Crypto
package import HTTPClient
package import Observability
package import Time
package import Tracing

/// What all verifiers share. Make it once per service.
package struct BackendServices: Sendable {
    /// How many connections to backends may be open; none while no app asks one.
    package static func connectionLimit(of configuration: Configuration) -> Int {
        configuration.apps.contains { $0.verify != nil } ? HelpDeskServices.clientSettings.connectionLimit : 0
    }

    /// Calls the backends, each request for its app; the owner closes it.
    package let client: LazyClient
    let metrics: BackendMetrics
    let clocks: Clocks
    let random = RandomPool()
    let logger: Logger
    let tracer: Tracer
    let digest: IdentityDigest

    /// Gathers them.
    /// - Throws: when OpenSSL fails.
    package init(metrics: HelpDeskMetrics, clocks: Clocks, logger: Logger, tracer: Tracer) throws(CryptoError) {
        client = LazyClient(settings: HelpDeskServices.clientSettings)
        self.metrics = metrics.backends
        self.clocks = clocks
        self.logger = logger
        self.tracer = tracer
        digest = try IdentityDigest()
    }

    /// The verifiers of a configuration's apps. An app whose `verify` has not changed keeps the one that it has, with its connections, kept
    /// answers and breaker.
    /// - Parameter former: the verifiers in force; nil at the start.
    /// - Throws: when OpenSSL fails.
    package func verifiers(
        of configuration: Configuration, _ authorizer: Authorizer, former: BackendVerifiers? = nil
    ) throws(CryptoError) -> BackendVerifiers {
        var verifiers: [BackendVerifier?] = Array(repeating: nil, count: authorizer.applications.count)
        for app in configuration.apps {
            guard let settings = app.verify, let index = authorizer.index(of: app.id.utf8.span) else { continue }
            let kept = former?.verifier(of: app.id, with: settings)
            verifiers[index] = if let kept { kept } else { try BackendVerifier(settings, of: authorizer.applications[index], self) }
        }
        return BackendVerifiers(verifiers, digest)
    }
}

/// The verifiers of the apps in one configuration.
package struct BackendVerifiers: Sendable {
    /// By the app's index in the authorizer of the same configuration.
    private let verifiers: [BackendVerifier?]
    private let digest: IdentityDigest

    init(_ verifiers: [BackendVerifier?], _ digest: IdentityDigest) {
        self.verifiers = verifiers
        self.digest = digest
    }

    /// How the backends do, by app.
    package var standings: [(app: String, standing: BreakerStanding)] { verifiers.compactMap(\.self).map { ($0.app, $0.standing) } }

    /// How many requests wait for the backends' answers.
    var waiting: Int { verifiers.reduce(0) { $0 + ($1?.waiting ?? 0) } }

    /// The verifier of an app that is asked in just this way.
    fileprivate func verifier(of app: String, with settings: Configuration.Verify) -> BackendVerifier? {
        verifiers.compactMap(\.self).first { $0.app.utf8.elementsEqual(app.utf8) && $0.settings == settings }
    }

    /// Concludes a decision that waits for the app's backend, if what is kept allows.
    /// - Parameters:
    ///   - decision: one that is `unconfirmed`, on these fields.
    ///   - question: set to what is left to ask; the decision is then returned as it is.
    func conclude(
        _ decision: Authorizer.Decision, appID: Span<UInt8>, userID: Span<UInt8>, securityKey: Span<UInt8>,
        asking question: inout BackendQuestion?
    ) -> Authorizer.Decision {
        guard let application = decision.application, let verifier = verifiers[application] else {
            return decision.concluded(.undecided(.internalError))
        }
        do throws(CryptoError) {
            let identity = try digest.identity(appID: appID, userID: userID, securityKey: securityKey)
            let keyID = decision.verdict.keyID
            if let answer = verifier.find(identity) {
                return decision.concluded(verifier.settings.whenUndecided.verdict(on: answer, keyID: keyID))
            }
            question = BackendQuestion(verifier, identity, keyID: keyID, appID: appID, userID: userID, securityKey: securityKey)
            return decision
        } catch {
            return decision.concluded(.undecided(.internalError))
        }
    }

    /// Forgets what the backends have said of an app's users, also what calls under way will say, so that the next request asks again.
    /// - Parameter userID: the person; nil for all of the app's, who are also forgotten when OpenSSL fails.
    package func forget(appID: String, userID: String? = nil) {
        guard let verifier = verifiers.compactMap(\.self).first(where: { $0.app.utf8.elementsEqual(appID.utf8) }) else { return }
        verifier.forget(person: userID.flatMap { try? digest.person(appID: appID.utf8.span, userID: $0.utf8.span) })
    }

    /// Forgets what the backends have said of those whom a revocation covers, because no kept answer may outlive it.
    package func forget(_ revocation: Revocation) {
        var userID: String?
        if case .user(let revoked) = revocation.subject { userID = revoked }
        forget(appID: revocation.appID, userID: userID)
    }

    /// Forgets all that the backends have said.
    package func forgetAll() {
        for case let verifier? in verifiers { verifier.forget(person: nil) }
    }
}
