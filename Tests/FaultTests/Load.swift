import Core
import Crypto
import Storage
import TestSupport
import Threading
import Time

/// The load of a service: comments, registrations and sign-outs, on separate threads. Each is repeated until it is accepted, like those of
/// help desks and apps, and at the other replica, as behind a load balancer.
final class Load: Sendable {
    private enum Phase {
        case running
        /// Running calls are still repeated until they are accepted.
        case ending
        case abandoned
    }

    static let notifier = "sink"
    static let limit = 5
    // The second one is never reached, but all registrations are counted for it.
    private static let rules = [
        LimitRule(per: .user, max: limit, windowMilliseconds: 3_600_000),
        LimitRule(per: .service, max: 100_000, windowMilliseconds: 3_600_000),
    ]
    private static let repeatAfterMilliseconds: UInt64 = 20
    /// The pause of each thread between calls while the load is light.
    private static let lightMilliseconds: UInt64 = 100
    private static let commentSenders = 4

    private let replicas: [Replica]
    private let coalescer: AcceptanceRecord
    private let phase = Monitor(Phase.running)
    private let isLight = Monitor(false)
    private let first: Int
    private let comments: Monitor<Int>
    private let threads = Monitor<[DedicatedThread]>([])

    /// Starts the threads.
    /// - Parameter first: the number after which comments and devices are numbered.
    init(on replicas: [Replica], _ coalescer: AcceptanceRecord, after first: Int = 0) {
        self.replicas = replicas
        self.coalescer = coalescer
        self.first = first
        comments = Monitor(first)
        let senders = (0..<Self.commentSenders).map { sender in startThread { self.sendComments(sender) } }
        let callers = (0..<2).map { caller in startThread { self.register(caller) } }
        let phone = startThread { self.signInAndOut() }
        threads.withLock { $0 = senders + callers + [phone] }
    }

    /// Ends the threads after their current calls.
    /// - Parameter isInVain: whether no call can succeed any more, so that none is repeated.
    func stop(isInVain: Bool) {
        phase.update { $0 = isInVain ? .abandoned : .ending }
        let threads = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads { thread.join() }
    }

    /// Slows the calls down while `body` waits for a deadline, because more calls would only use the processor.
    func lightly(_ body: () -> Void) {
        isLight.update { $0 = true }
        defer { isLight.update { $0 = false } }
        body()
    }

    static func data(_ number: Int) -> [UInt8] { Array("{\"number\":\(number)}".utf8) }

    /// A comment to a person, with its own id.
    static func incoming(_ number: Int, to user: String, at now: UnixMilliseconds) -> IncomingEvent {
        var random = SystemRandomNumberGenerator()
        let identity = Event.Identity(
            appID: "app", ticketID: HelpDeskID(Int64(number % 50)), commentID: HelpDeskID(Int64(number)), deviceID: "")
        let event = Event(
            id: UUIDv7(milliseconds: now, using: &random).event, kind: .commentCreated, identity: identity, userID: user, occurredAt: now,
            receivedAt: now, expiresAt: now + 86_400_000, data: data(number))
        return IncomingEvent(event, to: [Subscription(notifier: notifier, keepsOrder: number % 2 == 0)])
    }

    private var ends: Bool { phase.withLock { $0 } != .running }

    /// Called before each next call; waits while the load is light.
    private func wait() {
        _ = isLight.wait(timeoutMilliseconds: Self.lightMilliseconds) { $0 ? nil : () }
    }

    private func nextComment() -> Int {
        comments.withLock { count in
            count += 1
            return count
        }
    }

    private func sendComments(_ sender: Int) {
        // The first threads stay with one replica, so that each replica gets calls even while another one's hang.
        let isFaithful = sender < replicas.count
        while !ends {
            wait()
            let number = nextComment()
            let replica = isFaithful ? sender : number
            send(number, to: "user-\(number % 10)", at: replica)
            // Sometimes the response is lost, and the help desk repeats the webhook.
            if number % 5 == 0 { send(number, to: "user-\(number % 10)", at: isFaithful ? replica : replica + 1) }
        }
    }

    /// Sends a comment until it is accepted.
    private func send(_ number: Int, to user: String, at first: Int) {
        attempt(first) { replica, index in
            let incoming = Self.incoming(number, to: user, at: replica.now())
            coalescer.note(.sent(number, incoming.event.id))
            let result = replica.accept(incoming)
            if case .success(let acceptance) = result {
                coalescer.note(.accepted(number, acceptance.id ?? incoming.event.id))
                coalescer.noteCall(of: index)
            }
            return result.map { $0.map { _ in () } }
        }
    }

    /// Repeats a call until it succeeds, each time at another replica.
    private func attempt(_ first: Int, _ call: (Replica, _ index: Int) -> Result<Void, StoreError>?) {
        var index = first
        while phase.withLock({ $0 }) != .abandoned {
            let place = index % replicas.count
            switch call(replicas[place], place) {
            case .success: return
            case .failure: coalescer.noteRefusal()
            case nil: return coalescer.note(.broken("a call had no answer"))
            }
            index += 1
            _ = phase.wait(timeoutMilliseconds: Self.repeatAfterMilliseconds) { $0 == .abandoned ? () : nil }
        }
    }
}

extension Load {
    /// Both callers register the same persons' devices at different replicas, until each is denied by the limit.
    private func register(_ caller: Int) {
        for number in 0... {
            let user = "limited-\(number)"
            var tokens = 0
            while !ends, !coalescer.isLimited(user) {
                wait()
                tokens += 1
                let token = "token-\(first)-\(number)-\(caller)-\(tokens)"
                attempt(caller + tokens) { replica, index in
                    register(user, device: "phone", token: token, rules: Self.rules, at: replica, index: index)
                }
            }
            if ends { return }
        }
    }

    /// A device registers, gets a comment, signs out, and must get no later one.
    private func signInAndOut() {
        for round in 0... {
            wait()
            let (user, device) = ("phone-\(first)-\(round % 3)", "device-\(round)")
            attempt(round) { replica, index in
                register(user, device: device, token: "token-\(user)-\(device)", rules: [], at: replica, index: index)
            }
            send(nextComment(), to: user, at: round + 1)
            attempt(round) { replica, index in register(user, device: device, token: nil, rules: [], at: replica, index: index) }
            let later = nextComment()
            coalescer.note(.signedOut(later, device: device))
            send(later, to: user, at: round + 1)
            if ends { return }
        }
    }

    private func register(
        _ user: String, device: String, token: String?, rules: [LimitRule], at replica: Replica, index: Int
    ) -> Result<Void, StoreError>? {
        let key = Device.Key(appID: "app", userID: user, deviceID: device)
        let token = try? token.map { try PushToken($0) }
        let registration = Registration(key: key, type: "ios", token: token, now: replica.now(), rules: rules)
        if !rules.isEmpty { coalescer.note(.asked(user)) }
        let result = replica.register(registration)
        if case .success(let outcome) = result {
            coalescer.noteCall(of: index)
            if !rules.isEmpty { coalescer.note(outcome.isLimited ? .denied(user) : .allowed(user)) }
        }
        return result.map { $0.map { _ in () } }
    }
}

extension Acceptance {
    /// The id of the stored event; nil when it is the event's own.
    fileprivate var id: UUIDv7? {
        if case .duplicate(let earlier) = self { earlier } else { nil }
    }
}

extension Registration.Outcome {
    fileprivate var isLimited: Bool {
        if case .limited = self { true } else { false }
    }
}
