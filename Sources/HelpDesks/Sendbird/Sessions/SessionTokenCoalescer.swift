internal import Core
internal import Crypto
internal import Time

struct Session: Sendable {
    /// The app's credential for Sendbird; as good as a password.
    let token: SecretBytes
    let expiresAt: UnixMilliseconds
    /// When Sendbird was asked for it.
    let obtainedAt: UnixMilliseconds
    /// When Sendbird's answer arrived. The token was issued at some moment between the two.
    let receivedAt: UnixMilliseconds

    /// Whether only a tenth of its life, or less, is left.
    func isNearItsEnd(_ now: UnixMilliseconds) -> Bool {
        10 * now.remaining(until: expiresAt) <= obtainedAt.remaining(until: expiresAt)
    }
}

/// Decides when Sendbird is asked for a session token of an app's users: a token that is kept needs no call, who asks for the same person
/// shares one, and the limits say how often there may be another.
///
/// Each call that `ask` orders must be ended by `finish` exactly once, because those who wait for its answer wait in here. It is a value,
/// and the caller locks; all moments are of the wall clock, because Sendbird compares them with its own.
struct SessionTokenCoalescer<Waiter: Sendable>: Sendable {
    struct Request: Sendable {
        let user: ByteKey
        /// When the security key ends, which no token outlives.
        let latest: UnixMilliseconds
        let waiter: Waiter
    }

    enum Step {
        case answer(Session)
        /// Nothing: a call that is under way answers.
        case wait
        /// Ask Sendbird for a token that ends then, and pass this number to `finish`.
        case call(UInt64, until: UnixMilliseconds)
        case limited(LimitRefusal)
        /// Answer that too many calls are under way.
        case overloaded
    }

    struct End {
        let requests: [Request]
        /// Whether `forget` has come since the call, so that its token may have been ended.
        let isForgotten: Bool
    }

    private struct Call {
        let user: ByteKey
        let at: UnixMilliseconds
        var requests: [Request]
    }

    private let app: String
    private let lifeMilliseconds: UInt64
    private let callLimit: Int
    private var sessions: BoundedTable<ByteKey, Session>
    private var windows: CallWindows
    private var calls: [UInt64: Call] = [:]
    private var callOfUser: [ByteKey: UInt64] = [:]
    private var lastCall: UInt64 = 0

    /// Makes a ledger without tokens.
    /// - Parameters:
    ///   - app: whose users' tokens they are.
    ///   - lifeMilliseconds: how long a token lives at most; positive.
    ///   - rules: of the scopes `user` and `app`; they count calls.
    ///   - sessionLimit: how many tokens are kept; the oldest leaves first. One takes about half a kilobyte.
    ///   - callLimit: how many calls may be under way: half of the app's requests, so that webhooks and tickets find the other half free.
    init(app: String, lifeMilliseconds: UInt64, rules: [LimitRule], sessionLimit: Int = 50_000, callLimit: Int = 256) {
        self.app = app
        self.lifeMilliseconds = lifeMilliseconds
        self.callLimit = callLimit
        sessions = BoundedTable(limit: sessionLimit)
        windows = CallWindows(rules, personLimit: sessionLimit)
    }

    var count: Int { sessions.count }

    /// The token that is kept for a person, if it may be handed out: it does not outlive the key, and a new one would not live much longer.
    func find(_ user: ByteKey, latest: UnixMilliseconds, now: UnixMilliseconds) -> Session? {
        guard let session = sessions[user], now < session.expiresAt, session.expiresAt <= latest else { return nil }
        // Near the end of the key a new token would have the same end.
        return session.isNearItsEnd(now) && session.expiresAt < end(latest, now) ? nil : session
    }

    /// A person's token that is kept and has not ended, and the limit that a call for another one would break now.
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
    ///   - session: the token that Sendbird has given; nil when it has given none. It is kept unless it may have been ended.
    ///   - mayHaveArrived: whether Sendbird may have received a request of the call; otherwise the call does not count for the limits.
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

    /// Forgets a person's token, also that of a call under way: later requests start a new call.
    /// - Returns: the cached token.
    mutating func forget(_ user: ByteKey) -> Session? {
        callOfUser[user] = nil
        return sessions.remove(user)
    }

    mutating func forgetAll() {
        callOfUser = [:]
        sessions.removeAll { _ in true }
    }

    private func end(_ latest: UnixMilliseconds, _ now: UnixMilliseconds) -> UnixMilliseconds {
        min(now.saturating(adding: lifeMilliseconds), latest)
    }
}
