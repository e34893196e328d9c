package import Configuration
package import Core
internal import HTTPServer
package import JSON
internal import Time

/// An operator's request to the store. Commands send it to the admin listener of a running service, which decodes the same action from the
/// request; without a running service they perform it themselves.
package protocol AdminAction: Sendable {
    var request: AdminRequest { get }

    /// The action's name in the audit log; nil when it changes nothing.
    var change: String? { get }

    /// The role that a token needs for this action: that of its route.
    var role: AdminToken.Role { get }

    /// The app whose help desk the action calls instead of the store, empty for providers that belong to no app: the action then waits for
    /// others, and only the running service can perform it. Nil for an action on the store.
    var remoteAppID: String? { get }

    /// The app whose help desk or replicas the action calls. Such actions have their own queue, so they do not delay actions on the store.
    /// nil for an action on the store.
    var waitingAppID: String? { get }

    /// Advice on narrowing a query that the store stopped because it took too long.
    var shortening: String { get }

    /// Performs the action, and returns its answer in the form of the admin listener. Blocks like the store.
    func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer
}

extension AdminAction {
    /// Most queries use an index.
    package var shortening: String { "ask again in a moment" }

    package var remoteAppID: String? { nil }

    /// An action on a help desk waits for its response.
    package var waitingAppID: String? { remoteAppID }

    package var role: AdminToken.Role { change == nil ? .read : .operate }
}

/// The answer to an action: an HTTP status and a JSON body.
package struct AdminAnswer: Sendable, Equatable {
    package static let defaultLimit = 100
    package static let largestLimit = 1000

    enum Change: Equatable {
        case retried(Int)
        case removed(Int)
        /// Deliveries that were deleted, or marked as dead with reason `purged`.
        case purged(Int)
        case stored(Int)
        /// Removed push tokens of a person who was forgotten.
        case forgotten(Int)
        /// Pushes that are not sent, because the person has read the comment.
        case superseded(Int)

        var name: String {
            switch self {
            case .retried: "retried"
            case .removed: "removed"
            case .purged: "purged"
            case .stored: "stored"
            case .forgotten: "devices"
            case .superseded: "superseded"
            }
        }

        var count: Int {
            switch self {
            case .retried(let count), .removed(let count), .purged(let count), .stored(let count), .forgotten(let count),
                .superseded(let count):
                count
            }
        }

        /// Whether deliveries may have become due: revived ones, or those of the events for removed tokens.
        var makesWork: Bool {
            switch self {
            case .retried(let count), .removed(let count), .stored(let count): count > 0
            case .purged: false
            // The events of the erasure or the receipt.
            case .forgotten, .superseded: true
            }
        }
    }

    /// The HTTP status; 200 for success.
    package let status: Int
    /// The result, or `error` and `message`.
    package let json: JSONValue
    /// nil when it failed or only read.
    let change: Change?
    /// The outcome in audit lines: `done`, or the error's code.
    let outcome: String
    /// Fields of the audit line: never a key, and a person only as the digest `user_ref`.
    let about: [AuditField]
    /// Seconds after which to repeat the request; nil when repeating is useless.
    let retryAfterSeconds: UInt64?

    init(
        status: Int = 200, _ json: JSONValue, outcome: String = "done", change: Change? = nil, about: [AuditField] = [],
        retryAfterSeconds: UInt64? = nil
    ) {
        self.retryAfterSeconds = retryAfterSeconds
        self.status = status
        self.json = json
        self.outcome = outcome
        self.change = change
        self.about = about
    }

    init(_ change: Change, about: [AuditField] = []) {
        self.init(.object([change.name: .integer(Int64(change.count))]), change: change, about: about)
    }

    static let unknown = error(404, code: "not_found", message: "No delivery has this id.")
    static let notDead = error(409, code: "not_dead", message: "Only a dead delivery can be tried again.")

    static func error(_ status: Int, code: String, message: String) -> AdminAnswer {
        AdminAnswer(status: status, .error(code, message), outcome: code)
    }
}

struct AuditField: Sendable, Equatable {
    let name: String
    let text: String
}

package struct AdminContext: Sendable {
    let store: any Store
    let now: UnixMilliseconds
    let state: OperatorState
    /// The reason why each notifier starts no attempts now, by name; nil outside the service, where no attempts start.
    let holds: [String: String]?
    /// `AdminCaller.author`; outside the service, `command` followed by the user in parentheses.
    let author: String
    /// Called with the number of pending deliveries that an operator's action has ended, their notifier, and the reason.
    let onGivenUp: @Sendable (_ count: Int, _ notifier: String, _ reason: GivenUpReason) -> Void
    /// Called with a change that the store has; nil if there was nothing to change. When this returns, all changes stored before are in
    /// force.
    let onRevocation: @Sendable (RevocationChange?) -> Void
    /// The tickets of an app at its help desk; nil for an app whose help desk offers none, and outside the service. Does not block.
    let tickets: @Sendable (_ appID: String) -> (any TicketDesk)?
    /// The status of a person's session tokens in this process; nil for an app that issues none, and outside the service. Does not block.
    let sessions: @Sendable (_ appID: String, _ userID: String) -> SessionStatus?
    /// The answers of all replicas to a person's latest requests; nil outside the service. Waits some seconds for the other replicas.
    let authorizations: @Sendable (_ appID: String, _ userID: String) -> KnownAuthorizations?
    /// Called when the store has erased a person, so that the replicas forget the person. Does not block.
    let onForget: @Sendable (AppUser) -> Void
    /// The status of an app's backend in this process; nil for an app without one, and outside the service. Does not block.
    let backend: @Sendable (_ appID: String) -> BackendStatus?
    /// The problems of this process; nil outside the service. Never blocks.
    let problems: @Sendable () -> ProblemSearch?
    /// Tests the running push notifiers; nil outside the service.
    let trials: NotifierTrials?
    /// The revocations in force: those of authorization, or outside the service those of the store.
    let revocations: @Sendable () throws(StoreError) -> Revocations

    /// The current second of the clock that all replicas share, the bound of "until now".
    var sharedNow: UnixSeconds { store.sharedTime(of: now).seconds }

    /// Returns the reason why a due delivery was not attempted yet; nil when it is not due or has ended. While no service runs, a delivery
    /// waits for it also before it is due.
    func wait(of delivery: Delivery) -> String? {
        let hold = hold(of: delivery)
        guard delivery.state == .pending, delivery.dueAt <= now || hold == Self.serviceIsDown else { return nil }
        return hold ?? Self.turn
    }

    /// Returns the reason why a pending delivery is not attempted, or will not be when it is due; nil without a reason, or when it has
    /// ended.
    func hold(of delivery: Delivery) -> String? {
        guard delivery.state == .pending else { return nil }
        if !serves(delivery.notifier) { return Self.notConfigured }
        guard let holds else { return state.configuration.store.isShared ? Self.serviceIsElsewhere : Self.serviceIsDown }
        return holds[delivery.notifier]
    }

    /// The value of `waits` when nothing delays the delivery.
    static let turn = "its turn"
    /// The value of `waits` for a notifier that is no longer configured.
    static let notConfigured = "notifier not configured"
    /// The value of `waits` outside the service.
    static let serviceIsDown = "service not running"
    /// The value of `waits` outside the service, when others may share the store.
    static let serviceIsElsewhere = "no service on this host"

    /// The reason in the value of `waits` for a notifier that is paused, such as `notifier paused (status_410)`; nil for any other value.
    static func pauseReason(_ wait: String) -> String? {
        let words = wait.split(separator: "(", maxSplits: 1)
        return words.count == 2 && words[0] == "notifier paused " && words[1].hasSuffix(")") ? String(words[1].dropLast()) : nil
    }

    /// The person's `user_ref` in the log; nil when it cannot be computed.
    func userReference(_ appID: String, _ userID: String) -> String? {
        state.authorizer.userReference(appID: appID.utf8.span, userID: userID.utf8.span)
    }
}
