internal import Configuration
internal import Core
internal import JSON
internal import Service

/// `deskgate store backup`
enum StoreBackupCommand: Command {
    static let name = "store backup"
    static let summary =
        "Writes a copy of the store to a new file, also while the service runs: whole, searched for damage, for its owner only."
    static let operand: Operand? = Operand(name: "FILE", isRequired: true, help: "the new file; one that exists is left as it is")
    static let options = [Option.config, Option.json]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let store = try ConfiguredCommand.configuration(arguments).store
        let file = arguments.operand ?? ""
        do throws(StoreError) {
            try store.backUp(to: file)
        } catch {
            throw .failed("nothing was backed up: \(error)")
        }
        if arguments.has("json") {
            Console.print(["backup": .string(file)])
        } else {
            Console.print("\(file) holds everything that was stored by now; keep it as secret as the store")
        }
        return .done
    }
}
