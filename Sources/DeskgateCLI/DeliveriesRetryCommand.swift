internal import JSON
internal import Operators
internal import Service

/// `deskgate deliveries retry`
enum DeliveriesRetryCommand: Command {
    static let name = "deliveries retry"
    static let summary = "Has dead deliveries tried again: one, those that match, or all. Exit 1 when that one is unknown or not dead."
    static let operand: Operand? = Operand(name: "ID", isRequired: false, help: "a delivery's id, without filters")
    static let options = [Option.config] + DeliveriesOptions.filters + [Option("all", "all dead deliveries, without filters"), Option.json]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        try AdminRun.perform(action(arguments), arguments) { answer in
            "\(AdminText.count(answer["retried"], "delivery is", "deliveries are")) pending again."
        }
    }

    private static func action(_ arguments: Arguments) throws(CommandError) -> DeliveryAction {
        let criteria = try question { () throws(AdminMistake) in try DeliveriesOptions.criteria(arguments) }
        let id = try DeliveriesOptions.id(arguments)
        switch (id, criteria.isEmpty, arguments.has("all")) {
        case (let id?, true, false): return .retryOne(id)
        case (nil, false, false), (nil, true, true): return .retry(criteria.filter)
        default: throw .usage("expected an ID, or filters, or --all")
        }
    }
}
