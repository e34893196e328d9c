internal import Configuration
internal import Core
internal import Crypto
internal import HTTPClient
internal import HelpDesk
internal import JSON
internal import Observability
internal import Threading
internal import Time

/// Requests session tokens of one app's users from Sendbird. The issuer is kept in reloads that do not change the app's settings. Any
/// thread may use it.
final class SessionIssuer: Sendable {
    /// Called once, on any thread; must not block.
    typealias Completion = @Sendable (SessionOutcome) -> Void

    private struct Waiter: Sendable {
        let caller: AuthenticatedCaller
        let complete: Completion
    }

    /// The maximum time, in milliseconds, in which a replica receives a revocation. A revocation received within this time after a token
    /// was issued may have been made before the token.
    private static let lagMilliseconds: UInt64 = 5000
    /// Whether Sendbird rejects the user id with "ParameterValueLengthExceeded" or "InvalidValue".
    static func refusesUser(_ refusal: PlatformRefusal) -> Bool { ["400110", "400111"].contains(refusal.code) }

    static let requestNames = ["issue_session_token", "create_user"]

    private let appID: String
    private let source: SessionSource
    private let platform: PlatformClient
    private let services: HelpDeskServices
    private let coalescer: Monitor<SessionTokenCoalescer<Waiter>>

    init(appID: String, _ source: SessionSource, platform: PlatformClient, services: HelpDeskServices) {
        self.appID = appID
        self.source = source
        self.platform = platform
        self.services = services
        coalescer = Monitor(
            SessionTokenCoalescer(app: appID, lifetimeMilliseconds: source.settings.lifetimeSeconds * 1000, rules: source.settings.limits))
    }

    func hasSource(_ other: SessionSource) -> Bool { source == other }

    /// The maximum duration of `ask`: a request for a token, the creation of the user, and a second request.
    var longestMilliseconds: UInt64 { 3 * platform.longestMilliseconds }

    /// Returns a cached token; nil when Sendbird must be called.
    func find(_ caller: AuthenticatedCaller) -> Session? {
        let now = services.clocks.unixMilliseconds()
        return coalescer.withLock { $0.find(ByteKey(caller.userID), latest: caller.latest, now: now) }
    }

    func status(of userID: String) -> SessionStatus {
        let now = services.clocks.unixMilliseconds()
        let (session, limit) = coalescer.withLock { $0.status(of: ByteKey(userID), now: now) }
        return SessionStatus(
            kept: session.map { SessionStatus.Kept(obtainedAt: $0.obtainedAt, expiresAt: $0.expiresAt) },
            obstacle: obstacle(userID, limit: limit, now: now))
    }

    private func obstacle(_ userID: String, limit: LimitRefusal?, now: UnixMilliseconds) -> SessionStatus.Obstacle? {
        guard PlatformRequest.isAddressable(userID) else { return .noAddress }
        if SupportAccount.resemblesSupport(userID) { return .supportAccount }
        if platform.isRefused { return .tokenRefused }
        let wait = platform.holdMilliseconds(of: Self.requestNames[0])
        if wait > 0 { return .throttled(until: now + wait) }
        return limit.map { .limited($0.rule, until: $0.until) }
    }

    /// Obtains a token for a caller whose key has just been verified.
    func ask(_ caller: AuthenticatedCaller, _ complete: @escaping Completion) {
        let now = services.clocks.unixMilliseconds()
        guard now < caller.latest else { return complete(.expired) }
        let request = SessionTokenCoalescer.Request(
            user: ByteKey(caller.userID), latest: caller.latest, waiter: Waiter(caller: caller, complete: complete))
        switch coalescer.withLock({ $0.ask(request, now: now) }) {
        case .answer(let session): complete(.kept(session))
        case .wait: break
        case .limited(let refusal): complete(.limited(refusal))
        case .overloaded: complete(.unavailable(reason: "overloaded"))
        case .call(let number, let until): call(number, caller.userID, since: now, until: until, mayCreate: true)
        }
    }

    func handle(_ item: CacheInvalidation.Item) {
        switch item {
        case .revocations(nil): coalescer.withLock { $0.forgetAll() }
        case .revocations(.removed): break
        case .revocations(.added(let revocation)):
            guard revocation.appID.utf8.elementsEqual(appID.utf8) else { return }
            guard case .user(let userID) = revocation.subject else { return coalescer.withLock { $0.forgetAll() } }
            let session = coalescer.withLock { $0.forget(ByteKey(userID)) }
            // Another replica may have ended the user's tokens at Sendbird before this one was issued.
            let now = services.clocks.unixMilliseconds()
            if let session, now.elapsed(since: session.receivedAt) < Self.lagMilliseconds { endSessions(of: userID) }
        case .sessionsEnded(let person):
            guard person.appID.utf8.elementsEqual(appID.utf8) else { return }
            _ = coalescer.withLock { $0.forget(ByteKey(person.userID)) }
        }
    }

    /// Requests a token from Sendbird.
    /// - Parameter mayCreate: whether to create the user if Sendbird does not have the user.
    private func call(
        _ number: UInt64, _ userID: String, since start: UnixMilliseconds, until end: UnixMilliseconds, mayCreate: Bool
    ) {
        let body: JSONValue = ["expires_at": .integer(Int64(clamping: end.rawValue))]
        platform.send(PlatformRequest("issue_session_token", method: .post, path: ["users", userID, "token"], body: body)) {
            [self] answer in
            switch answer {
            case .failure(.notFound) where mayCreate:
                platform.createUser(userID) { [self] failure in
                    if let failure { return finish(number, userID: userID, answer: .failure(failure)) }
                    call(number, userID, since: start, until: end, mayCreate: false)
                }
            case .failure(let error):
                // Without permission to create the user, this is the second request.
                finish(number, userID: userID, answer: .failure(error), mayHaveArrived: error.mayHaveArrived || !mayCreate)
            case .success(let json):
                finish(
                    number, userID: userID, answer: Session.read(json, since: start, until: end, now: services.clocks.unixMilliseconds()))
            }
        }
    }

    /// Answers the waiters of a call. A waiter receives the token only if its key is still valid and does not expire before the token.
    /// Other waiters repeat the request.
    /// - Parameter mayHaveArrived: whether Sendbird may have received a request of the call.
    private func finish(
        _ number: UInt64, userID: String, answer: Result<Session, PlatformError>, mayHaveArrived: Bool = true
    ) {
        let end = coalescer.withLock { $0.finish(number, try? answer.get(), mayHaveArrived: mayHaveArrived) }
        let session: Session
        switch answer {
        case .success(let given): session = given
        case .failure(let error):
            for request in end.requests { request.waiter.complete(SessionOutcome(error)) }
            return
        }
        let revocations = services.revocations.current
        let verdicts = end.requests.map { request in
            (request.waiter, Result { () throws(CryptoError) in try request.waiter.caller.isRevoked(revocations) })
        }
        let isRevoked = verdicts.contains { $0.1 == .success(true) }
        if isRevoked {
            _ = coalescer.withLock { $0.forget(ByteKey(userID)) }
            endSessions(of: userID)
        }
        for (waiter, verdict) in verdicts {
            switch verdict {
            case .success(true): waiter.complete(.revoked)
            case .failure: waiter.complete(.unavailable(reason: UndecidedReason.internalError.rawValue))
            case .success(false):
                let isGood = !isRevoked && !end.isForgotten && session.expiresAt <= waiter.caller.latest
                if isGood { waiter.complete(.issued(session)) } else { ask(waiter.caller, waiter.complete) }
            }
        }
    }

    /// Ends a user's tokens at Sendbird with an event, whose delivery is retried.
    private func endSessions(of userID: String) {
        var random = SystemRandomNumberGenerator()
        let audience = services.state.current.subscriptions.registry
        let person = AppUser(appID: appID, userID: userID)
        // The store ignores other events about a forgotten person. If OpenSSL fails, the person is treated as forgotten.
        let isForgotten = (try? services.revocations.current.isForgotten(appID: appID.utf8.span, userID: userID.utf8.span)) ?? true
        let now = services.clocks.unixMilliseconds()
        guard let incoming = audience.signOut(person, at: now, isErased: isForgotten, using: &random) else { return }
        services.store.accept(incoming, telling: audience, isAwaited: { true }) { [services, appID] result in
            switch result {
            case .success: services.onChange()
            case .failure(let error):
                services.logger.log(
                    .error, message: "the session tokens of a user may outlive a revocation",
                    fields: [
                        "app": .string(appID), "reason": .string(error.kind.rawValue),
                        "remedy": .string("when the store works again, sign the user out again"),
                    ])
            }
        }
    }
}

/// The settings on which an app's session tokens depend.
struct SessionSource: Equatable {
    let url: String
    let tokens: [SecretBytes]
    let timeoutMilliseconds: Int?
    let settings: Configuration.SessionTokens
}

extension Session {
    /// - Parameter end: the requested expiry.
    fileprivate static func read(
        _ json: JSONValue, since start: UnixMilliseconds, until end: UnixMilliseconds, now: UnixMilliseconds
    ) -> Result<Session, PlatformError> {
        guard let token = json["token"]?.text, !token.isEmpty else {
            return .failure(.unavailable(reason: "malformed_response", mayHaveArrived: true))
        }
        let given = json["expires_at"]?.integer.map { UnixMilliseconds(rawValue: UInt64(clamping: $0)) } ?? end
        return .success(
            Session(token: SecretBytes(copying: token.utf8.span), expiresAt: min(given, end), obtainedAt: start, receivedAt: now))
    }
}

extension SessionOutcome {
    fileprivate init(_ error: PlatformError) {
        switch error {
        case .rateLimited(let milliseconds), .heldBack(let milliseconds): self = .throttled(milliseconds: milliseconds)
        case .unavailable(let reason, _): self = .unavailable(reason: reason)
        case .invalid(let refusal) where SessionIssuer.refusesUser(refusal): self = .refusedUser
        case .invalid, .notFound, .unauthorized: self = .unavailable(reason: error.word)
        }
    }
}
