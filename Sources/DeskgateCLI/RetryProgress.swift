internal import AdminAPI
internal import Core
internal import JSON
internal import Threading

/// The sum of the steps of a retry.
struct RetryProgress {
    private var (retried, total): (Int64, Int64) = (0, 0)
    private var kept: [RetryObstacle: Int64] = [:]
    /// The start of the next step; nil when none is left.
    private(set) var next: RetryCursor?

    /// Retries all dead deliveries that match a filter, in steps, and shows the progress on a terminal.
    static func run(_ filter: DeliveryFilter, _ arguments: Arguments) throws(CommandError) -> ExitCode {
        let access = try arguments.service(author: arguments.author()).access
        let shown = Monitor("retrying")
        var progress = RetryProgress()
        let refusal = try explaining {
            try WaitingLine.show(shown.withLock { $0 }) { () throws(AdminAccess.Failure) in
                repeat {
                    let isFirst = progress.next == nil
                    // The remark of the first step applies to all.
                    let answer = try access.perform(DeliveryAction.retry(filter, after: progress.next)) {
                        if isFirst { Console.complain($0) }
                    }
                    guard answer.status == 200, case .object(let object) = answer.json else { return Optional(answer) }
                    progress.add(object)
                    shown.withLock { $0 = "retrying, \(progress.retried) of \(progress.shownTotal)" }
                } while progress.next != nil
                return nil
            }
        } as: {
            .failed(progress.retried == 0 ? "\($0)" : "\($0); \(progress.remark)")
        }
        if let refusal {
            if progress.retried > 0 { Console.complain(progress.remark) }
            return AdminQuestion.tell(refusal.status, json: refusal.json, arguments: arguments) { _ in "" }
        }
        Console.answer(arguments, json: .object(progress.json), text: progress.text)
        return progress.kept.values.contains { $0 > 0 } ? .negative : .done
    }

    private mutating func add(_ step: JSONObject) {
        retried += Self.count(step["retried"])
        total = Self.count(step["total"])
        if case .object(let numbers) = step["kept"] {
            for obstacle in RetryObstacle.allCases { kept[obstacle, default: 0] += Self.count(numbers[obstacle.rawValue]) }
        }
        next = if case .string(let text) = step["next"] { RetryCursor(text) } else { nil }
    }

    private static func count(_ value: JSONValue?) -> Int64 { if case .integer(let number) = value { number } else { 0 } }

    private var keptCount: Int64 { kept.values.reduce(0, +) }

    /// A delivery that ended while the set was being counted may be added to it.
    private var shownTotal: Int64 { max(total, retried + keptCount) }

    /// The progress at the time of a failure.
    private var remark: String { "\(retried) of \(shownTotal) deliveries are pending again; repeat the command for the rest" }

    private var json: JSONObject {
        var kept = JSONObject()
        for obstacle in RetryObstacle.allCases { kept.append(.integer(self.kept[obstacle] ?? 0), forKey: obstacle.rawValue) }
        return ["retried": .integer(retried), "kept": .object(kept), "total": .integer(total), "left": 0, "next": .null]
    }

    private var text: String {
        if shownTotal == 0 {
            return "0 deliveries are pending again: none of those that match is dead. "
                + "One that found no device (no_target) cannot be retried; the next comment reaches the devices registered by then."
        }
        guard retried < shownTotal else {
            return "\(AdminText.count(.integer(retried), one: "delivery is", many: "deliveries are")) pending again."
        }
        var lines = ["\(retried) of \(shownTotal) deliveries \(retried == 1 ? "is" : "are") pending again."]
        for obstacle in RetryObstacle.allCases {
            guard let count = kept[obstacle], count > 0 else { continue }
            lines.append("\(AdminText.count(.integer(count), one: "stays", many: "stay")) dead: \(Self.cause(obstacle))")
        }
        let gone = shownTotal - retried - keptCount
        if gone > 0 {
            lines.append("\(AdminText.count(.integer(gone), one: "is", many: "are")) no longer dead: retried or deleted meanwhile.")
        }
        return lines.joined(separator: "\n")
    }

    private static let again = "repeat the command when those that wait have arrived, or see why they do not (deskgate status)"

    private static func cause(_ obstacle: RetryObstacle) -> String {
        switch obstacle {
        case .notifierQueueFull: "the queue of the notifier is full (\(obstacle.rawValue)); \(again)."
        case .queueFull: "the maximum number of deliveries is waiting (\(obstacle.rawValue)); \(again)."
        case .forgotten: "the user was forgotten (\(obstacle.rawValue)), so there is nothing to send."
        case .noDevice: "the device is not registered (\(obstacle.rawValue)); retry when the person has opened the app, which registers it."
        }
    }
}
