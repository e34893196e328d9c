internal import HTTPServer
package import JSON

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
