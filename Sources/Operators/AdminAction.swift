package import Core
internal import HTTPServer
package import JSON
internal import Time

/// Something that an operator wants of the store. Commands send it to the admin listener of a running service, which reads the same action out of
/// the request; without one they do it themselves.
package protocol AdminAction: Sendable {
    /// The request that means it.
    var request: AdminRequest { get }

    /// What it changes, as the log's audit lines name it; nil when it only looks.
    var change: String? { get }

    /// Does it, and says what came of it in the form of the admin listener; blocks as the store does.
    func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer
}

/// What came of an action: a status of HTTP and the body that goes with it.
package struct AdminAnswer: Sendable, Equatable {
    /// How many entries a list has when nobody says.
    package static let defaultLimit = 100
    /// How many entries a list has at most.
    package static let largestLimit = 1000

    /// What was changed, and how much of it.
    enum Change: Equatable {
        /// Dead deliveries that are pending again.
        case retried(Int)
        /// Push tokens that are gone.
        case removed(Int)
        /// Deliveries that are forgotten or given up.
        case purged(Int)

        /// The member of the answer, and of audit lines.
        var name: String {
            switch self {
            case .retried: "retried"
            case .removed: "removed"
            case .purged: "purged"
            }
        }

        /// How much.
        var count: Int {
            switch self {
            case .retried(let count), .removed(let count), .purged(let count): count
            }
        }

        /// Whether deliveries may be due that were not: those made pending again, and the news of tokens that were removed.
        var makesWork: Bool {
            switch self {
            case .retried(let count), .removed(let count): count > 0
            case .purged: false
            }
        }
    }

    /// 200 when it was done.
    package let status: Int
    /// The result, or `error` and `message`.
    package let json: JSONValue
    /// What it changed; nil when it only looked, or failed.
    let change: Change?
    /// What came of it, for audit lines: `done`, or the error's code.
    let outcome: String

    init(status: Int = 200, _ json: JSONValue, outcome: String = "done") {
        self.status = status
        self.json = json
        self.outcome = outcome
        change = nil
    }

    init(_ change: Change) {
        status = 200
        json = .object([change.name: .integer(Int64(change.count))])
        self.change = change
        outcome = "done"
    }

    static let unknown = error(404, "not_found", "No delivery has this id.")
    static let notDead = error(409, "not_dead", "Only a dead delivery can be tried again.")

    static func error(_ status: Int, _ code: String, _ message: String) -> AdminAnswer {
        AdminAnswer(status: status, .error(code, message), outcome: code)
    }
}

/// What is needed to do what operators want of the store.
package struct AdminContext: Sendable {
    let store: any Store
    /// Unix milliseconds.
    let now: UnixMilliseconds
    /// What the configuration says.
    let state: OperatorState
    /// Why nothing starts for a notifier just now, by its name; nil outside the service, where nothing starts at all.
    let holds: [String: String]?
    /// Told how many deliveries of which notifier were given up.
    let onGivenUp: @Sendable (_ count: Int, _ notifier: String) -> Void

    /// Why a pending delivery that is due has not been tried yet; nil when it is not due, or has ended.
    func wait(of delivery: Delivery) -> String? {
        guard delivery.state == .pending, delivery.dueAt <= now else { return nil }
        if !serves(delivery.notifier) { return "notifier not configured" }
        guard let holds else { return "service not running" }
        return holds[delivery.notifier] ?? Self.turn
    }

    /// What a delivery waits for that nothing holds back.
    static let turn = "its turn"

    /// The name of a person in the log; nil when it cannot be made.
    func userReference(_ key: Device.Key) -> String? {
        state.authorizer.userReference(appID: key.appID.utf8.span, userID: key.userID.utf8.span)
    }
}

/// What is wrong with an operator's question, for the caller; never a value.
package struct AdminProblem: Error, Equatable {
    /// The criterion that is meant; nil when it is the question as a whole.
    package let field: String?
    /// What is wrong, in one sentence for a person.
    package let problem: String

    /// The sentence, which begins with the criterion's name.
    package var message: String { field.map { "\($0): \(problem)" } ?? problem }

    init(_ field: String?, _ problem: String) {
        self.field = field
        self.problem = problem
    }
}
