internal import Configuration
internal import Core
internal import JSON
internal import Service

/// `deskgate store backup` and `store restore`
enum StoreCommands {
    static let backup = Command(
        "store backup",
        "Writes a copy of the store to a new file, also while the service runs: whole, searched for damage, for its owner only.",
        operand: Operand(.file, "the new file; one that exists is left as it is"), options: [.config, .json]
    ) { arguments throws(CommandError) in
        let (store, file) = (try arguments.configuration().store, arguments.operand ?? "")
        try explaining { () throws(StoreError) in
            try store.backUp(to: file)
        } as: {
            .failed("nothing was backed up: \($0)")
        }
        Console.answer(
            arguments, ["backup": .string(file)], "\(file) holds everything that was stored by now; keep it as secret as the store")
        return .done
    }

    static let restore = Command(
        "store restore", "Puts a backup in the place of the store, which no service may have open; the former store stays beside it.",
        operand: Operand(.file, "the backup, which stays where it is"),
        options: [
            .config, Option("as-is", "take also a copy whose log (-wal) is missing, and do without what was in it"), .json,
        ]
    ) { arguments throws(CommandError) in
        let (store, file) = (try arguments.configuration().store, arguments.operand ?? "")
        let (path, former) = try explaining { () throws(StoreError) in
            try store.restore(file, asItIs: arguments.has("as-is"))
        } as: {
            .failed("nothing was restored: \($0)")
        }
        Console.answer(
            arguments, ["store": .string(path), "former": former.map { .string($0) } ?? .null],
            "\(path) is restored" + (former.map { "; the former store is \($0)" } ?? ""))
        return .done
    }
}
