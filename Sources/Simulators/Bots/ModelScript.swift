internal import JSON

/// The function that a scripted model calls for a question, and its text about the answer.
package struct ModelScript: Sendable {
    /// A question of the customer, and the model's call.
    package struct Line: Sendable {
        package let question: String
        package let call: SimulatedModel.Call

        package init(_ question: String, _ call: SimulatedModel.Call) {
            self.question = question
            self.call = call
        }
    }

    package let lines: [Line]

    package init(_ lines: [Line]) {
        self.lines = lines
    }

    /// Returns the call for a question; nil when the model would not call a function.
    package func call(for question: String) -> SimulatedModel.Call? {
        lines.first { $0.question.utf8.elementsEqual(question.utf8) }?.call
    }

    /// Calls each function of the sample shop, with arguments in every form that the vendor may choose.
    package static let shop = ModelScript([
        Line("Which orders do I have?", SimulatedModel.Call("get_order_list", arguments: [:], form: .query)),
        Line("When does 1002 arrive?", SimulatedModel.Call("get_order_details", arguments: ["order_id": "1002"], form: .form)),
        Line("What else would you recommend?", SimulatedModel.Call("get_recommendation")),
        Line("Please cancel 1002.", SimulatedModel.Call("cancel_order", arguments: ["order_id": "1002"])),
    ])

    /// Returns the model's text about an answer, in one or a few lines.
    package static func words(for answer: FunctionResponse) -> String {
        guard answer.statusCode == 200 else {
            if answer.text("error") == "confirmation_required" { return "Please confirm that in the app." }
            return answer.text("message").map { "That did not work: \($0)" } ?? "That did not work."
        }
        switch answer.function {
        case "get_order_list":
            let orders = answer.response.elements.map { "\(text($0, "id")) (\(text($0, "status"))): \(items($0))" }
            return orders.isEmpty ? "You have no orders." : "Your orders:\n" + orders.joined(separator: "\n")
        case "get_order_details":
            let order = answer.response
            return "Order \(text(order, "id")) for \(text(order, "customer_name")), \(text(order, "status")): \(items(order)), "
                + "\(text(order, "purchasePrice")). It arrives on \(text(order, "estimatedDeliveryDate"))."
        case "get_recommendation":
            let products = answer.response.elements.map { "\(text($0, "name")) for \(text($0, "price"))" }
            return "You may like: " + products.joined(separator: ", ") + "."
        default: return "Done: order \(text(answer.response, "id")) is \(text(answer.response, "status"))."
        }
    }

    private static func text(_ object: JSONValue, _ name: String) -> String { object[name]?.text ?? "?" }

    private static func items(_ order: JSONValue) -> String {
        (order["items"]?.elements ?? []).compactMap(\.text).joined(separator: ", ")
    }
}
