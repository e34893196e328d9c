package import JSON
internal import Observability

/// What came of an action: a status of HTTP and the body that goes with it.
package struct AdminAnswer: Sendable, Equatable {
    /// How many entries a list has when nobody says.
    package static let defaultLimit = 100
    /// How many entries a list has at most.
    package static let largestLimit = 1000

    /// 200 when it was done.
    package let status: Int
    /// The result, or `error` and `message`.
    package let json: JSONValue

    init(status: Int = 200, _ json: JSONValue) {
        self.status = status
        self.json = json
    }

    static let unknown = error(404, "not_found", "No delivery has this id.")
    static let notDead = error(409, "not_dead", "Only a dead delivery can be tried again.")

    static func retried(_ count: Int) -> AdminAnswer {
        AdminAnswer(["retried": .integer(Int64(count))])
    }

    static func error(_ status: Int, _ code: String, _ message: String) -> AdminAnswer {
        AdminAnswer(status: status, ["error": .string(code), "message": .string(message)])
    }

    static func removed(_ count: Int) -> AdminAnswer {
        AdminAnswer(["removed": .integer(Int64(count))])
    }

    /// What came of it, for audit lines: `done`, or the error's code.
    var outcome: String {
        guard status != 200, case .object(let object) = json, case .string(let code) = object["error"] else { return "done" }
        return code
    }

    /// How much was changed, for audit lines.
    var counts: [(key: String, value: LogValue)] {
        guard case .object(let object) = json else { return [] }
        return ["retried", "removed", "purged"].compactMap { key in
            if case .integer(let count) = object[key] { (key, .integer(Int(count))) } else { nil }
        }
    }

    /// Whether deliveries may be due that were not: those made pending again, and the news of tokens that were removed.
    var makesWork: Bool {
        guard case .object(let object) = json else { return false }
        return ["retried", "removed"].contains { key in
            if case .integer(let count) = object[key] { count > 0 } else { false }
        }
    }
}
