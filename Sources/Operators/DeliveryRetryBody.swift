internal import Configuration
internal import Core
internal import JSON

/// The body of `POST /v1/deliveries/retry`: criteria as in the query of a list, or `{"all": true}`.
enum DeliveryRetryBody {
    /// What stands for all dead deliveries.
    static let all = AdminRoute.Parameter("all", .body, .flag, text: "All dead deliveries, without a criterion.")

    /// Reads it. Without a criterion it must say `all`, so that a forgotten filter does not repeat everything.
    static func action(_ body: Span<UInt8>) throws(AdminMistake) -> DeliveryAction {
        var criteria = DeliveryCriteria()
        var wantsAll = false
        for member in try object(body).members {
            if member.key.utf8.elementsEqual(all.name.utf8) {
                guard member.value == true else { throw AdminMistake("all", "expected true.") }
                wantsAll = true
            } else {
                try criteria.add(member.key, try text(member))
            }
        }
        guard wantsAll == criteria.isEmpty else {
            throw AdminMistake(nil, #"Send at least one criterion, or {"all": true} alone."#)
        }
        guard criteria.filter.state ?? .dead == .dead else {
            throw AdminMistake("state", "expected dead; nothing else can be tried again.")
        }
        return .retry(criteria.filter)
    }

    private static func text(_ member: JSONObject.Member) throws(AdminMistake) -> String {
        let isIdentity = DeliveryCriteria.identities.contains { $0.utf8.elementsEqual(member.key.utf8) }
        switch member.value {
        case .string(let text): return text
        case .integer(let number) where isIdentity: return "\(number)"
        default:
            throw AdminMistake(printable(member.key), "expected \(isIdentity ? "a whole number or a string" : "a string").")
        }
    }

    private static func object(_ body: Span<UInt8>) throws(AdminMistake) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONDocument(parsing: body).value()
        } catch {
            throw AdminMistake(nil, "The body is not valid JSON: \(error).")
        }
        guard case .object(let object) = value else { throw AdminMistake(nil, "The body is JSON, but not an object.") }
        return object
    }
}
