package import Configuration
package import Core
package import Crypto
internal import HTTPClient
package import Observability
package import Time
package import Tracing

/// Services that all verifiers share. Only one instance per service may be created.
package struct BackendServices: Sendable {
    /// The maximum number of open connections to backends; 0 when no app uses one.
    package static func connectionLimit(of configuration: Configuration) -> Int {
        let modes = configuration.apps.compactMap(\.verify?.mode)
        let clients = modes.contains(.backend) ? 2 : modes.isEmpty ? 0 : 1
        return clients * HelpDeskServices.clientSettings.connectionLimit
    }

    private let client = LazyClient(settings: HelpDeskServices.clientSettings)
    /// The client for calls about new keys, so that junk keys, for any number of apps, use no connections for known keys.
    private let newKeyClient = LazyClient(settings: HelpDeskServices.clientSettings)
    let metrics: BackendMetrics
    let clocks: Clocks
    let random = RandomPool()
    let logger: Logger
    let tracer: Tracer
    let digest: IdentityDigest

    /// Creates the services. The owner must call `close`.
    /// - Throws: when OpenSSL fails.
    package init(metrics: HelpDeskMetrics, clocks: Clocks, logger: Logger, tracer: Tracer) throws(CryptoError) {
        self.metrics = metrics.backends
        self.clocks = clocks
        self.logger = logger
        self.tracer = tracer
        digest = try IdentityDigest()
    }

    /// Calls a backend, like `Client.send`.
    /// - Parameters:
    ///   - app: the app whose share of connections the call uses.
    ///   - isKnown: whether the call is about a known key, as in `BackendCallCoalescer`.
    func send(
        _ request: ClientRequest, for app: String, isKnown: Bool,
        completion: @escaping @Sendable (Result<ClientResponse, ClientError>) -> Void
    ) {
        (isKnown ? client : newKeyClient).send(request, for: app, completion: completion)
    }

    /// Cancels all calls and waits for their threads. Later calls fail immediately. Must not be called from a completion.
    package func close() {
        client.close()
        newKeyClient.close()
    }

    /// Returns the verifiers of a configuration's apps. An app whose `verify` has not changed keeps its verifier, with connections, cached
    /// answers and breaker.
    /// - Parameter former: the active verifiers; nil at the start.
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

package struct BackendVerifiers: Sendable {
    /// The verifiers in the order of the apps of the same configuration's authorizer.
    private let verifiers: [BackendVerifier?]
    private let digest: IdentityDigest

    init(_ verifiers: [BackendVerifier?], _ digest: IdentityDigest) {
        self.verifiers = verifiers
        self.digest = digest
    }

    package var statuses: [(app: String, status: BackendStatus)] { verifiers.compactMap(\.self).map { ($0.app, $0.status) } }

    /// Returns the status of an app's backend; nil for an app without a backend.
    package func status(of appID: String) -> BackendStatus? {
        verifier(of: appID)?.status
    }

    var waiting: Int { verifiers.reduce(0) { $0 + ($1?.waiting ?? 0) } }

    fileprivate func verifier(of app: String, with settings: Configuration.Verify) -> BackendVerifier? {
        verifier(of: app).flatMap { $0.settings == settings ? $0 : nil }
    }

    private func verifier(of app: String) -> BackendVerifier? {
        verifiers.compactMap(\.self).first { $0.app.utf8.elementsEqual(app.utf8) }
    }

    /// Finalizes an `unconfirmed` decision if a cached answer of the app's backend is sufficient.
    /// - Parameter question: set when the backend must be queried; the decision is then returned unchanged.
    func conclude(
        _ decision: Authorizer.Authorization, appID: Span<UInt8>, userID: Span<UInt8>, securityKey: Span<UInt8>,
        asking question: inout BackendVerification?
    ) -> Authorizer.Authorization {
        guard let application = decision.application, let verifier = verifiers[application] else {
            return decision.confirmed(by: .undecided(.internalError))
        }
        do throws(CryptoError) {
            let identity = try digest.identity(appID: appID, userID: userID, securityKey: securityKey)
            let keyID = decision.verdict.keyID
            if let answer = verifier.find(identity) {
                return decision.confirmed(by: verifier.settings.whenUndecided.verdict(on: answer, keyID: keyID))
            }
            question = BackendVerification(verifier, identity, keyID: keyID, appID: appID, userID: userID, securityKey: securityKey)
            return decision
        } catch {
            return decision.confirmed(by: .undecided(.internalError))
        }
    }

    /// Discards the cached answers about an app's user, and the answers of calls in progress, so that the next request queries the backend
    /// again.
    /// - Parameter userID: nil for all users of the app. If OpenSSL fails, the answers about all users are discarded.
    package func forget(appID: String, userID: String? = nil) {
        verifier(of: appID)?.forget(person: userID.flatMap { try? digest.person(appID: appID.utf8.span, userID: $0.utf8.span) })
    }

    /// Discards the cached answers about the users that a revocation covers, because cached answers must not outlive it.
    package func forget(_ revocation: Revocation) {
        var userID: String?
        if case .user(let revoked) = revocation.subject { userID = revoked }
        forget(appID: revocation.appID, userID: userID)
    }

    package func forgetAll() {
        for case let verifier? in verifiers { verifier.forget(person: nil) }
    }
}
