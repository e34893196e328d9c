package import JSON

/// What came of an action: a status of HTTP and the body that goes with it.
package struct DeliveryAnswer: Sendable, Equatable {
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

    static func retried(_ count: Int) -> DeliveryAnswer {
        DeliveryAnswer(["retried": .integer(Int64(count))])
    }

    static func error(_ status: Int, _ code: String, _ message: String) -> DeliveryAnswer {
        DeliveryAnswer(status: status, ["error": .string(code), "message": .string(message)])
    }

    /// How many were made pending again; 0 for what was no retry.
    var retriedCount: Int64 {
        guard case .object(let object) = json, case .integer(let count) = object["retried"] else { return 0 }
        return count
    }
}
