internal import Configuration
internal import Core
internal import JSON
internal import POSIX
internal import Service
internal import Storage

/// `deskgate store migrate`, `store status`, `store backup` and `store restore`
enum StoreCommands {
    static let migrate = Command(
        "store migrate", "Brings the store's schema to this version, as the first start of a new version would.",
        details:
            "With PostgreSQL it lets the service run as a role that may not make tables: migrate as their owner (--url), and grant the "
            + "service's role what serving takes (--grant). Any number of processes may migrate at once, and replicas of the version before go on.",
        options: [
            .config,
            Option("url", value: .secret("URL"), "the address of a role that may make tables; store.url by default"),
            Option("grant", value: .text("ROLE"), "a role that may serve with the tables from now on"), .json,
        ],
        examples: [
            Example(
                "deskgate store migrate --url - --grant deskgate <owner-url",
                "Migrates as the owner of the tables, and lets the role deskgate serve with them.")
        ]
    ) { arguments throws(CommandError) in
        let store = try arguments.configuration().store
        let (before, now) = try explaining { () throws(StoreError) in
            try WaitingLine.show("migrating") { () throws(StoreError) in
                try store.migrate(as: arguments["url"], grantingTo: arguments["grant"])
            }
        } as: {
            .failed("nothing was migrated: \($0)")
        }
        Console.answer(
            arguments, ["version": .integer(Int64(now)), "before": .integer(Int64(before))],
            before == now ? "the schema has version \(now) already" : "the schema has version \(now); it had \(before)")
        return .done
    }

    static let status = Command(
        "store status", "Tells how the store is: versions, sizes, room; of PostgreSQL also the replicas, old transactions and replication.",
        exits: [.negative: "when something should be looked at"], options: [.config, .json],
        examples: [
            Example("deskgate store status", "Tells sizes and versions, and what should be looked at.")
        ]
    ) { arguments throws(CommandError) in
        let store = try arguments.store()
        let report = try explaining { () throws(StoreError) in
            try store.report()
        } as: {
            .failed("\($0)")
        }
        let thresholds = try arguments.thresholds()
        let room = report.freeBytes.map { store.room(freeBytes: $0, in: Path.directory(of: report.place), thresholds) }
        let warnings = (report.server?.warnings ?? []) + [room].compactMap { $0.flatMap { $0.state == .ok ? nil : $0.message } }
        Console.answer(arguments, .object(report.json(warnings)), report.text(warnings, room: room?.message))
        return warnings.isEmpty ? .done : .negative
    }

    static let backup = Command(
        "store backup",
        "Writes a copy of the store to a new file, also while the service runs: whole, searched for damage, for its owner only.",
        operand: Operand(.file, "the new file; one that exists is left as it is"), options: [.config, .json],
        examples: [
            Example("deskgate store backup /var/backups/deskgate.db", "Copies the store while the service runs.")
        ]
    ) { arguments throws(CommandError) in
        let (store, file) = (try arguments.store(), arguments.operand ?? "")
        let problem = try explaining { () throws(StoreError) in
            try WaitingLine.show("backing up") { () throws(StoreError) in try store.backUp(to: file) }
        } as: {
            .failed("nothing was backed up: \($0)")
        }
        if let problem { Console.complain("the backup is made, but its time could not be noted for metrics beside the store: \(problem)") }
        Console.answer(
            arguments, ["backup": .string(file)], "\(file) holds everything that was stored by now; keep it as secret as the store")
        return .done
    }

    static let restore = Command(
        "store restore", "Puts a backup in the place of the store, which no service may have open; the former store stays beside it.",
        operand: Operand(.file, "the backup, which stays where it is"),
        options: [
            .config, Option("as-is", "take also a copy whose log (-wal) is missing, and do without what was in it"), .json,
        ],
        examples: [
            Example("deskgate store restore /var/backups/deskgate.db", "Puts the backup in the place of the store.")
        ]
    ) { arguments throws(CommandError) in
        let (store, file) = (try arguments.configuration().store, arguments.operand ?? "")
        let (path, former) = try explaining { () throws(StoreError) in
            try WaitingLine.show("restoring") { () throws(StoreError) in try store.restore(file, asItIs: arguments.has("as-is")) }
        } as: {
            .failed("nothing was restored: \($0)")
        }
        Console.answer(
            arguments, ["store": .string(path), "former": former.map { .string($0) } ?? .null],
            "\(path) is restored" + (former.map { "; the former store is \($0)" } ?? ""))
        return .done
    }
}
