internal import Configuration
internal import Core
internal import JSON
internal import Service

/// `deskgate store restore`
enum StoreRestoreCommand: Command {
    static let name = "store restore"
    static let summary = "Puts a backup in the place of the store, which no service may have open; the former store stays beside it."
    static let operand: Operand? = Operand(name: "FILE", isRequired: true, help: "the backup, which stays where it is")
    static let options = [
        Option.config, Option("as-is", "take also a copy whose log (-wal) is missing, and do without what was in it"), Option.json,
    ]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let store = try ConfiguredCommand.configuration(arguments).store
        let file = arguments.operand ?? ""
        do throws(StoreError) {
            let (path, former) = try store.restore(file, asItIs: arguments.has("as-is"))
            if arguments.has("json") {
                Console.print(["store": .string(path), "former": former.map { .string($0) } ?? .null])
            } else {
                Console.print("\(path) is restored" + (former.map { "; the former store is \($0)" } ?? ""))
            }
            return .done
        } catch {
            throw .failed("nothing was restored: \(error)")
        }
    }
}
