internal import JSON
internal import Simulators
internal import Threading
internal import Time

extension BotStory {
    /// The time in milliseconds within which calls must be in the audit.
    private static let recordedMilliseconds: UInt64 = TimeLimit.milliseconds(10_000)

    /// An attacker tries to act for another customer, through a model that obeys every text.
    /// - Parameter spent: a confirmation that was used.
    mutating func attack(_ start: Start, _ spent: String) throws(DemoFailure) {
        say("\n5. An order's text tells the model to act for \(Self.victim), and it obeys. The ticket is still that of \(Self.customer).\n")
        let (before, calls) = (shop.shopData, shop.records.count)
        let open = try confirmForVictim(start)
        var stolen = HostileModel.StolenSecrets(
            data: start.data, app: caller.app, customer: Self.customer, order: Self.otherOrder, victim: Self.victim,
            victimOrder: Self.victimOrder)
        (stolen.openConfirmation, stolen.spentConfirmation) = (open, spent)
        let attacks = try explained { () throws(SimulatedModel.Failure) in try HostileModel(start.model, stolen).attacks() }
        var counts: [(name: String, statuses: [Int])] = []
        for attack in attacks {
            let answer = try explained { () throws(SimulatedModel.Failure) in try attack.request.send(with: client) }
            check(attack.statuses.contains(answer.statusCode), "the model \(attack.name), and was answered \(answer.statusCode)")
            if let place = counts.firstIndex(where: { $0.name == attack.name }) {
                counts[place].statuses.append(answer.statusCode)
            } else {
                counts.append((attack.name, [answer.statusCode]))
            }
        }
        for (name, statuses) in counts {
            let shown = Set(statuses).sorted().map { "\($0)" }.joined(separator: ", ")
            tell("model", "\(name)\(statuses.count == 1 ? "" : ", \(statuses.count) times"): \(shown)")
        }
        check(shop.shopData == before, "the hostile calls changed the shop's orders")
        check(
            shop.records.dropFirst(calls).allSatisfy { $0.customerID == Self.customer && $0.status >= 400 },
            "the shop performed a hostile call")
        tell("shop", "\(attacks.count) hostile calls, and every order is as it was.")
    }

    /// The model requests the cancellation of another customer's order, and the customer even confirms it.
    /// - Returns: an unused confirmation of the customer's own order.
    private mutating func confirmForVictim(_ start: Start) throws(DemoFailure) -> String {
        let asked = try explained { () throws(SimulatedModel.Failure) in
            try start.model.ask(SimulatedModel.Call("cancel_order", arguments: ["order_id": .string(Self.victimOrder)]))
        }
        tell("model", "cancels order \(Self.victimOrder), which is of \(Self.victim): \(asked.statusCode)")
        let answer = try caller.ask(
            "confirm", user: Self.customer, key: start.key, more: [("confirmation", .string(asked.text("confirmation") ?? ""))])
        let refusal = FunctionResponse(answer)
        tell("app", "\(Self.customer) confirms even that")
        tell("shop", "\(refusal?.statusCode ?? answer.status): \(refusal?.text("message") ?? "")")
        check(refusal?.statusCode == 404, "the shop did not refuse the order of \(Self.victim)")
        let own = try explained { () throws(SimulatedModel.Failure) in
            try start.model.ask(SimulatedModel.Call("cancel_order", arguments: ["order_id": .string(Self.otherOrder)]))
        }
        return own.text("confirmation") ?? ""
    }

    mutating func audit() throws(DemoFailure) {
        say("\n6. Every call is in the audit, with user, function, digest of the arguments, outcome and time. The newest of each kind:\n")
        var expected: Set<String> = ["succeeded", "refused", "invalid"]
        // A call without a response would have been reported as unexpected before.
        if wasAskedToConfirm { expected.insert("confirmation_required") }
        let calls = try recorded(expected)
        var shown: Set<String> = []
        for call in calls where shown.insert("\(call["function"]?.text ?? "") \(call["outcome"]?.text ?? "")").inserted {
            let texts = ["at", "function", "outcome", "arguments_sha256"].map { name in
                call[name]?.text ?? call[name]?.integer.map { "\($0)" } ?? "-"
            }
            say("  \(texts[0])  \(texts[1])  \(texts[2])  \(texts[3].prefix(12))…")
        }
        for outcome in expected.subtracting(Self.outcomes(of: calls)).sorted() { check(false, "the audit has no call that was \(outcome)") }
        check(calls.allSatisfy { $0["user_id"]?.text == Self.customer }, "the audit names another user")
    }

    /// Waits until calls with these outcomes are stored, some of them a moment after their responses, and returns the calls.
    private func recorded(_ expected: Set<String>) throws(DemoFailure) -> [JSONValue] {
        let start = SystemClock.monotonicMilliseconds()
        while true {
            let calls = try caller.calls(of: Self.customer)
            let isLate = SystemClock.monotonicMilliseconds().elapsed(since: start) > Self.recordedMilliseconds
            if isLate || expected.isSubset(of: Self.outcomes(of: calls)) { return calls }
            _ = Monitor(false).wait(timeoutMilliseconds: 50) { _ -> Bool? in nil }
        }
    }

    private static func outcomes(of calls: [JSONValue]) -> Set<String> { Set(calls.compactMap { $0["outcome"]?.text }) }
}
