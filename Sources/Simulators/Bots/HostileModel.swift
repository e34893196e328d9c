internal import JSON

/// Attacks by a caller who knows the whole text of `ai_attrs`, or who controls the model: acting for another customer, or making changes
/// that the customer has not confirmed.
package struct HostileModel: Sendable {
    package struct Attack: Sendable {
        package let name: String
        package let request: ModelRequest
        package let statuses: Set<Int>
    }

    /// The acceptable statuses of the response.
    package struct StolenSecrets: Sendable {
        /// The text of `ai_attrs` of the attacked customer.
        package var data: String
        package var app: String
        /// The user id of the attacked customer.
        package var customer: String
        /// An order of that customer that can be cancelled.
        package var order: String
        /// The user id of another customer.
        package var victim: String
        package var victimOrder: String
        /// A confirmation that the customer has not given; nil without one.
        package var openConfirmation: String?
        package var spentConfirmation: String?

        package init(data: String, app: String, customer: String, order: String, victim: String, victimOrder: String) {
            self.data = data
            self.app = app
            (self.customer, self.order) = (customer, order)
            self.victim = victim
            self.victimOrder = victimOrder
        }
    }

    private static let refusals: Set<Int> = [400, 401, 403, 404, 405, 409]

    private let model: SimulatedModel
    private let stolen: StolenSecrets

    /// - Parameter model: created from the stolen text.
    package init(_ model: SimulatedModel, _ stolen: StolenSecrets) {
        self.model = model
        self.stolen = stolen
    }

    package func attacks() throws(SimulatedModel.Failure) -> [Attack] {
        try victims() + paths() + tickets() + confirmations() + shapes()
    }

    /// Attacks that name another customer.
    private func victims() throws(SimulatedModel.Failure) -> [Attack] {
        let (victim, order) = (JSONValue.string(stolen.victim), JSONValue.string(stolen.victimOrder))
        return [
            try attack(
                "asks for the orders of \(stolen.victim)", statuses: [400], function: "get_order_list", arguments: ["customer_id": victim]),
            try attack(
                "looks at an order of \(stolen.victim)", statuses: [404], function: "get_order_details", arguments: ["order_id": order]),
            try attack(
                "looks at it as \(stolen.victim)", statuses: [400], function: "get_order_details",
                arguments: ["order_id": order, "customer_id": victim]),
            try attack("cancels an order of \(stolen.victim)", statuses: [409], function: "cancel_order", arguments: ["order_id": order]),
            try attack(
                "cancels it as \(stolen.victim)", statuses: [400], function: "cancel_order",
                arguments: ["order_id": order, "customer_id": victim]),
        ]
    }

    /// Attacks that try to leave the path segment.
    private func paths() throws(SimulatedModel.Failure) -> [Attack] {
        let tricks = [
            "..", ".", "%2e%2e", "../cancellations", "\(stolen.victimOrder)?customer_id=\(stolen.victim)",
            "\(stolen.order)&customer_id=\(stolen.victim)", "\(stolen.order)/../\(stolen.victimOrder)", "\(stolen.order)#", "\\..\\orders",
            "//",
            "\(stolen.order)\r\nX-Shop-Token: x", "\(stolen.order)\u{0}", "\(stolen.order);customer_id=\(stolen.victim)", "",
        ]
        var attacks: [Attack] = []
        for trick in tricks {
            for form in SimulatedModel.Form.allCases {
                attacks.append(
                    try attack(
                        "hides an address in an order's number", statuses: [400, 404], function: "get_order_details",
                        arguments: ["order_id": .string(trick)], form: form))
            }
        }
        return attacks
    }

    /// Attacks that edit the text: another ticket, another function, another method.
    private func tickets() throws(SimulatedModel.Failure) -> [Attack] {
        let call = SimulatedModel.Call("get_order_list")
        let genuine = try model.request(for: call)
        let ticket = Self.ticket(of: genuine)
        let forged = [
            "", "dgbt1.", String(ticket.dropLast()), ticket + "A", Self.flipped(ticket, at: ticket.count - 3),
            Self.flipped(ticket, at: ticket.count / 2), Self.flipped(ticket, at: 8), stolen.victim,
        ]
        var attacks = forged.map { text in
            Attack(name: "edits the ticket", request: Self.with(genuine, ticket: text), statuses: [400, 401, 403])
        }
        var bare = genuine
        bare.headers.removeAll { $0.name == "Authorization" }
        attacks.append(Attack(name: "leaves the ticket out", request: bare, statuses: [401]))
        var unknown = genuine
        unknown.url = genuine.url.replacing("get_order_list", with: "refund_order")
        attacks.append(Attack(name: "asks for a function that it was not given", request: unknown, statuses: [404]))
        var otherBot = genuine
        otherBot.url = genuine.url.replacing("/functions/", with: "-2/functions/")
        attacks.append(Attack(name: "asks another bot", request: otherBot, statuses: [403, 404]))
        attacks.append(
            try attack(
                "cancels by GET", statuses: [405], function: "cancel_order", arguments: ["order_id": .string(stolen.order)], form: .query))
        return attacks
    }

    /// Attacks that confirm a change for the customer.
    private func confirmations() throws(SimulatedModel.Failure) -> [Attack] {
        var attacks = [
            try attack(
                "cancels without a confirmation", statuses: [409], function: "cancel_order", arguments: ["order_id": .string(stolen.order)]),
            try attack(
                "makes a confirmation up", statuses: Self.refusals, function: "cancel_order",
                arguments: ["order_id": .string(stolen.order), "confirmation": "dgbc1.e30.AAAA"]),
        ]
        for (confirmation, kind) in [(stolen.openConfirmation, "an open"), (stolen.spentConfirmation, "a spent")] {
            guard let confirmation else { continue }
            for text in [confirmation, Self.flipped(confirmation, at: confirmation.count - 3), Self.flipped(confirmation, at: 12)] {
                attacks.append(
                    try attack(
                        "confirms by itself with \(kind) confirmation", statuses: Self.refusals, function: "cancel_order",
                        arguments: ["order_id": .string(stolen.order), "confirmation": .string(text)]))
                let ticket = try Self.ticket(of: model.request(for: SimulatedModel.Call("cancel_order")))
                for key in [ticket, "", "dgk1." + String(repeating: "A", count: 84)] { attacks.append(try confirming(text, key: key)) }
            }
        }
        return attacks
    }

    /// Creates a request as the customer's app would send it, but without the app's key.
    private func confirming(_ confirmation: String, key: String) throws(SimulatedModel.Failure) -> Attack {
        let function = try model.request(for: SimulatedModel.Call("cancel_order"))
        var request = ModelRequest(
            url: function.url.replacing("/functions/cancel_order", with: "/confirm"), headers: [("Content-Type", "application/json")])
        let body: JSONValue = [
            "app_id": .string(stolen.app), "user_id": .string(stolen.customer), "security_key": .string(key),
            "confirmation": .string(confirmation),
        ]
        request.body = body.serialized()
        return Attack(name: "plays the customer's app without its key", request: request, statuses: [400, 403])
    }

    /// Attacks that violate the schema.
    private func shapes() throws(SimulatedModel.Failure) -> [Attack] {
        var attacks: [Attack] = []
        let order = stolen.order
        let bodies = [
            #"{"order_id":"\#(order)","order_id":"\#(stolen.victimOrder)"}"#, #"{"order_id":"\#(order)","__proto__":{"admin":true}}"#,
            #"{"order_id":["\#(order)","\#(stolen.victimOrder)"]}"#, #"{"order_id":{"$ne":null}}"#, #"{"order_id":null}"#, "[]", "null",
            #"{"order_id":1002}"#, String(repeating: "[", count: 5000), #"{"order_id":"\#(order)"} {}"#, "\u{FEFF}{}",
            #"{"order_id":"\#(String(repeating: "9", count: 10_000))"}"#,
        ]
        for body in bodies {
            var request = try model.request(for: SimulatedModel.Call("cancel_order"))
            request.body = Array(body.utf8)
            attacks.append(Attack(name: "sends what is no order's number", request: request, statuses: [400]))
        }
        var twice = try model.request(for: SimulatedModel.Call("get_order_details", arguments: ["order_id": .string(order)], form: .query))
        twice.url += "&order_id=\(stolen.victimOrder)"
        attacks.append(Attack(name: "names two orders at once", request: twice, statuses: [400]))
        var both = try model.request(for: SimulatedModel.Call("cancel_order", arguments: ["order_id": .string(order)]))
        both.url += "?order_id=\(stolen.victimOrder)"
        attacks.append(Attack(name: "names one order in the query and one in the body", request: both, statuses: [400]))
        var bound = try model.request(for: SimulatedModel.Call("cancel_order", arguments: ["order_id": .string(order)]))
        bound.url += "?customer_id=\(stolen.victim)"
        attacks.append(Attack(name: "names the customer in the query", request: bound, statuses: [400]))
        return attacks
    }

    private func attack(
        _ name: String, statuses: Set<Int>, function: String, arguments: JSONObject, form: SimulatedModel.Form = .json
    ) throws(SimulatedModel.Failure) -> Attack {
        Attack(
            name: name, request: try model.request(for: SimulatedModel.Call(function, arguments: arguments, form: form)), statuses: statuses
        )
    }

    private static func ticket(of request: ModelRequest) -> String {
        let value = request.headers.first { $0.name == "Authorization" }?.value ?? ""
        return String(value.dropFirst("Bearer ".count))
    }

    private static func with(_ request: ModelRequest, ticket: String) -> ModelRequest {
        var request = request
        request.headers = request.headers.map { $0.name == "Authorization" ? ($0.name, "Bearer \(ticket)") : $0 }
        return request
    }

    private static func flipped(_ text: String, at place: Int) -> String {
        var bytes = Array(text.utf8)
        guard bytes.indices.contains(place) else { return text + "A" }
        bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return String(decoding: bytes, as: UTF8.self)
    }
}
