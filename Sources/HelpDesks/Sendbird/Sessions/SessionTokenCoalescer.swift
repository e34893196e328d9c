internal import Core
internal import Crypto
internal import Time

struct Session: Sendable {
    /// The token that the app sends to Sendbird; a secret.
    let token: SecretBytes
    let expiresAt: UnixMilliseconds
    /// The time of the request to Sendbird.
    let obtainedAt: UnixMilliseconds
    /// The time of Sendbird's response. The token was issued between `obtainedAt` and this time.
    let receivedAt: UnixMilliseconds

    /// Whether at most a tenth of its lifetime is left.
    func isNearItsEnd(_ now: UnixMilliseconds) -> Bool {
        10 * now.remaining(until: expiresAt) <= obtainedAt.remaining(until: expiresAt)
    }
}

/// Decides when Sendbird is called for a session token of an app's users. A cached token needs no call, callers of the same user share one,
/// and limits restrict the rate of calls.
///
/// The caller must end each call that `ask` orders with `finish`, exactly once, because the call's waiters are stored here. This type is a
/// value; its owner locks. All times are of the wall clock, because Sendbird compares them with its own clock.
struct SessionTokenCoalescer<Waiter: Sendable>: Sendable {
    struct Request: Sendable {
        let user: ByteKey
        /// The expiry of the security key, which no token outlives.
        let latest: UnixMilliseconds
        let waiter: Waiter
    }

    enum Step {
        case answer(Session)
        /// Do nothing: a call in progress will answer.
        case wait
        /// Call Sendbird for a token that expires at this time, and pass this number to `finish`.
        case call(UInt64, until: UnixMilliseconds)
        case limited(LimitRefusal)
        case overloaded
    }

    struct End {
        let requests: [Request]
        /// Whether `forget` was called after the call began, so that its token may be invalid.
        let isForgotten: Bool
    }

    private struct Call {
        let user: ByteKey
        /// The time at which the limits counted the call.
        let at: UnixMilliseconds
        var requests: [Request]
    }

    private let app: String
    private let lifetimeMilliseconds: UInt64
    private let callLimit: Int
    private var sessions: BoundedTable<ByteKey, Session>
    private var windows: CallWindows
    private var calls: [UInt64: Call] = [:]
    private var callOfUser: [ByteKey: UInt64] = [:]
    private var lastCall: UInt64 = 0

    /// - Parameters:
    ///   - lifetimeMilliseconds: the maximum lifetime of a token; positive.
    ///   - rules: limits of the scopes `user` and `app`; they count calls.
    ///   - sessionLimit: the maximum number of cached tokens; the oldest is evicted. A token takes about half a kilobyte.
    ///   - callLimit: the maximum number of calls in progress: half of the app's requests; the other half is for webhooks and tickets.
    init(app: String, lifetimeMilliseconds: UInt64, rules: [LimitRule], sessionLimit: Int = 50_000, callLimit: Int = 256) {
        self.app = app
        self.lifetimeMilliseconds = lifetimeMilliseconds
        self.callLimit = callLimit
        sessions = BoundedTable(limit: sessionLimit)
        windows = CallWindows(rules, personLimit: sessionLimit)
    }

    var count: Int { sessions.count }

    /// Returns a user's cached token if it may be issued: it does not outlive the key, and a new token would not be valid much longer.
    func find(_ user: ByteKey, latest: UnixMilliseconds, now: UnixMilliseconds) -> Session? {
        guard let session = sessions[user], now < session.expiresAt, session.expiresAt <= latest else { return nil }
        // Near the key's expiry a new token would expire at the same time.
        return session.isNearItsEnd(now) && session.expiresAt < end(latest, now) ? nil : session
    }

    /// Returns a user's cached token if it has not expired, and the limit that another call would exceed now.
    func status(of user: ByteKey, now: UnixMilliseconds) -> (Session?, LimitRefusal?) {
        (sessions[user].flatMap { now < $0.expiresAt ? $0 : nil }, windows.refusal(of: person(user), now: now))
    }

    mutating func ask(_ request: Request, now: UnixMilliseconds) -> Step {
        if let session = find(request.user, latest: request.latest, now: now) { return .answer(session) }
        if let number = callOfUser[request.user] {
            calls[number]?.requests.append(request)
            return .wait
        }
        guard calls.count < callLimit else { return .overloaded }
        if let refusal = windows.take(person(request.user), now: now) { return .limited(refusal) }
        lastCall += 1
        calls[lastCall] = Call(user: request.user, at: now, requests: [request])
        callOfUser[request.user] = lastCall
        return .call(lastCall, until: end(request.latest, now))
    }

    private func person(_ user: ByteKey) -> CallWindows.Person { CallWindows.Person(appID: app, userID: user.text) }

    /// Ends a call.
    /// - Parameters:
    ///   - session: nil when Sendbird issued none. It is cached unless it may be invalid.
    ///   - mayHaveArrived: whether Sendbird may have received a request of the call; if not, the limits do not count it.
    mutating func finish(_ number: UInt64, _ session: Session?, mayHaveArrived: Bool = true) -> End {
        guard let call = calls.removeValue(forKey: number) else { preconditionFailure("a call ends once") }
        if !mayHaveArrived { windows.giveBack(person(call.user), at: call.at) }
        let isForgotten = callOfUser[call.user] != number
        if !isForgotten {
            callOfUser[call.user] = nil
            if let session { sessions.insert(session, for: call.user) }
        }
        return End(requests: call.requests, isForgotten: isForgotten)
    }

    /// Removes a user's token, and prevents the caching of a token that a call in progress returns: later requests start a new call.
    /// - Returns: the token that was cached.
    mutating func forget(_ user: ByteKey) -> Session? {
        callOfUser[user] = nil
        return sessions.remove(user)
    }

    mutating func forgetAll() {
        callOfUser = [:]
        sessions.removeAll { _ in true }
    }

    private func end(_ latest: UnixMilliseconds, _ now: UnixMilliseconds) -> UnixMilliseconds {
        min(now.saturating(adding: lifetimeMilliseconds), latest)
    }
}
