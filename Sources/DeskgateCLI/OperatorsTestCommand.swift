internal import AdminAPI
internal import Configuration
internal import Core
internal import JSON
internal import Service
internal import Threading
internal import Time

/// `deskgate operators test`
enum OperatorsTestCommand {
    private static let longestWaitSeconds: UInt64 = 300
    private static let standardWaitSeconds: UInt64 = 30
    private static let pollIntervalMilliseconds: UInt64 = 200

    private struct Test {
        let notifier: Configuration.Notifier
        /// The delivery's id from the service; nil when the service did not accept the test.
        let delivery: UUIDv7?
        var status = Status.waiting
        /// The reason of the last attempt, of the wait, or of the service's refusal; empty when unknown.
        var reason = ""
    }

    private enum Status: String {
        case delivered, logged, refused, waiting

        var isDone: Bool { self == .delivered || self == .logged }
    }

    static let command = Command(
        "operators test",
        "Makes the running service send an operator.test to each notifier of operators.notifiers, and shows the results.",
        exits: [.done: "when all have arrived or were logged", .negative: "otherwise"],
        options: [
            .config,
            Option(
                "wait", value: .number(1...longestWaitSeconds), default: "\(standardWaitSeconds)",
                "seconds to wait for the first attempts"), .author, .json,
        ],
        examples: [
            Example("deskgate operators test", "Shows whether the service's own alerts reach you.")
        ]
    ) { arguments throws(CommandError) in
        let configuration = try arguments.configuration()
        guard !configuration.operators.notifiers.isEmpty else {
            throw .failed(
                "operators.notifiers names no notifier, so operators get no events; name one of type http or log, and \(LocalizedText.reload.english)"
            )
        }
        let author = try arguments.author()
        let seconds: UInt64 = arguments.number("wait") ?? standardWaitSeconds
        let tests = try explaining { () throws(AdminAccess.Failure) in
            try WaitingLine.show("waiting for the notifiers") { () throws(AdminAccess.Failure) in
                try run(AdminAccess(configuration, author: author), configuration: configuration, seconds: seconds)
            }
        }
        guard let tests else {
            let finding = configuration.store.isShared ? "no service runs on this host" : "the service does not run"
            let file = try arguments.configurationFile()
            let start = InitPlace(of: file).start(file, of: configuration)
            throw .failed("\(finding). \(ReportedProblem.remedy(startingBy: start))")
        }
        Console.answer(arguments, json: ["notifiers": .array(tests.map(json))], text: tests.map(line).joined(separator: "\n"))
        return tests.allSatisfy(\.status.isDone) ? .done : .negative
    }

    /// - Returns: nil when no service runs.
    private static func run(
        _ access: AdminAccess, configuration: Configuration, seconds: UInt64
    ) throws(AdminAccess.Failure) -> [Test]? {
        let status = try access.perform(StatusAction(), remark: Console.complain)
        guard let version = status.json["version"], version != .null else { return nil }
        var tests: [Test] = []
        for notifier in configuration.notifiers where configuration.operators.notifiers.contains(notifier.name) {
            let answer = try access.perform(NotifierTestAction(notifier: notifier.name), remark: Console.complain)
            var test = Test(notifier: notifier, delivery: answer.json["delivery_id"]?.text.flatMap { UUIDv7($0) })
            if test.delivery == nil { test.reason = answer.json["message"]?.text ?? "the service has another configuration" }
            tests.append(test)
        }
        let start = SystemClock.monotonicMilliseconds()
        while SystemClock.monotonicMilliseconds().elapsed(since: start) < seconds * 1000 {
            for index in tests.indices where tests[index].status == .waiting { try look(access, &tests[index]) }
            if tests.allSatisfy({ $0.status != .waiting || $0.delivery == nil }) { break }
            // The value never changes, so this waits for the whole time.
            _ = Monitor(()).wait(timeoutMilliseconds: pollIntervalMilliseconds) { _ -> Void? in nil }
        }
        return tests
    }

    /// Queries the result of the delivery; a failed attempt is a result, though more may follow.
    private static func look(_ access: AdminAccess, _ test: inout Test) throws(AdminAccess.Failure) {
        guard let id = test.delivery else { return }
        let story = try access.perform(DeliveryAction.show(id), remark: Console.complain).json
        let (state, reason) = (story["state"]?.text ?? "", story["reason"]?.text ?? "")
        switch state {
        case Delivery.State.delivered.rawValue where reason == Delivery.loggedReason: (test.status, test.reason) = (.logged, reason)
        case Delivery.State.delivered.rawValue: (test.status, test.reason) = (.delivered, reason)
        case Delivery.State.pending.rawValue where reason.isEmpty: test.reason = story["waits"]?.text ?? ""
        default: (test.status, test.reason) = (.refused, reason)
        }
    }

    private static func line(_ test: Test) -> String {
        let start = "\(test.notifier.name) (\(test.notifier.type.rawValue)): \(test.status.rawValue)"
        switch test.status {
        case .delivered: return start
        case .logged: return "\(start), which notifies no one"
        case .waiting: return "\(start): " + (test.reason.isEmpty ? "no attempt has ended yet" : AdminText.text(.string(test.reason)))
        case .refused:
            let meaning = Configuration.Notifier.meaning(of: test.reason, for: test.notifier)
            return "\(start): \(test.reason): \(meaning.text)" + (meaning.remedy.map { ": \($0)" } ?? "")
        }
    }

    private static func json(_ test: Test) -> JSONValue {
        let meaning = test.status == .refused ? Configuration.Notifier.meaning(of: test.reason, for: test.notifier) : nil
        return [
            "notifier": .string(test.notifier.name), "status": .string(test.status.rawValue), "reason": .string(test.reason),
            "explanation": meaning.map { .string($0.text) } ?? .null, "remedy": meaning?.remedy.map { .string($0) } ?? .null,
            "delivery_id": test.delivery.map { .string($0.description) } ?? .null,
        ]
    }
}
