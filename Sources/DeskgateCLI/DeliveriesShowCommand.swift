internal import Operators
internal import Service

/// `deskgate deliveries show`
enum DeliveriesShowCommand: Command {
    static let name = "deliveries show"
    static let summary = "Tells the whole story of a delivery: exit 1 when there is none of this id."
    static let operand: Operand? = Operand(name: "ID", isRequired: true, help: "the delivery's id")
    static let options = [Option.config, Option.json]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        guard let id = try DeliveriesOptions.id(arguments) else { throw .usage("ID is missing") }
        return try AdminRun.perform(DeliveryAction.show(id), arguments, DeliveriesStory.sentences)
    }
}
