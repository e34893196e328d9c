internal import AdminAPI
internal import Configuration
internal import Core
internal import JSON
internal import POSIX
internal import Service
internal import Storage
internal import Time

/// `deskgate store migrate`, `store status`, `store backup` and `store restore`
enum StoreCommands {
    static let migrate = Command(
        "store migrate", "Migrates the store's schema to this program's version, as the first start of a new version would.",
        details:
            "With PostgreSQL it lets the service run as a role that may not make tables: migrate as their owner (--url), and grant the "
            + "service's role the rights that it needs (--grant). Any number of processes may migrate at once, and replicas of the previous version continue.",
        options: [
            .config,
            Option("url", value: .secret("URL"), "the URL of a role that may create tables; store.url by default"),
            Option("grant", value: .text("ROLE"), "a role that gets the rights to serve with the tables"), .json,
        ],
        examples: [
            Example(
                "deskgate store migrate --url - --grant deskgate <owner-url",
                "Migrates as the owner of the tables, and grants the role deskgate the rights to serve with them.")
        ]
    ) { arguments throws(CommandError) in
        let store = try arguments.configuration().store
        let place = InitPlace(of: try arguments.configurationFile())
        let (before, now) = try explaining { () throws(StoreError) in
            try WaitingLine.show("migrating") { () throws(StoreError) in
                try store.migrate(as: arguments["url"], grantingTo: arguments["grant"])
            }
        } as: {
            .failed("nothing was migrated: \(place.message(for: $0))")
        }
        Console.answer(
            arguments, json: ["version": .integer(Int64(now)), "before": .integer(Int64(before))],
            text: before == now ? "the schema already has version \(now)" : "the schema has version \(now); it had \(before)")
        return .done
    }

    static let status = Command(
        "store status", "Tells how the store is: versions, sizes, room; of PostgreSQL also the replicas, old transactions and replication.",
        exits: [.negative: "when something needs attention"], options: [.config, .json],
        examples: [
            Example("deskgate store status", "Shows sizes and versions, and points that need attention.")
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
        Console.answer(arguments, json: .object(report.json(warnings)), text: report.text(warnings, room: room?.message))
        return warnings.isEmpty ? .done : .negative
    }

    static let backup = Command(
        "store backup",
        "Writes a copy of the store to a new file, also while the service runs: whole, searched for damage, for its owner only.",
        operand: Operand(.file, "the new file; an existing one is not overwritten"), options: [.config, .json],
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
        if let problem {
            Console.complain("the backup is complete, but its time could not be recorded for metrics beside the store: \(problem)")
        }
        Console.answer(
            arguments, json: ["backup": .string(file)],
            text: "\(file) holds everything that was stored by now; keep it as secret as the store")
        return .done
    }

    static let restore = Command(
        "store restore", "Replaces the store with a backup. No service may have the store open. The former store remains beside it.",
        details: "Revocations and blocks since the backup are taken over from the copy at store.revocations_path. If there is none that "
            + "can be used, keys that were revoked since the backup are valid again, and the command says so.",
        exits: [.negative: "when it is restored, and the keys of --sign-out-issued-before are still valid"],
        operand: Operand(.file, "the backup, which is not moved"),
        options: [
            .config, Option("as-is", "accept a copy without its log (-wal); the log's contents are lost"),
            Option(
                "sign-out-issued-before", value: .number(1...Revocation.latestBound.rawValue, Value.moment),
                "revoke all keys of all apps that were issued before this time, in seconds since 1970"), .json,
        ],
        examples: [
            Example("deskgate store restore /var/backups/deskgate.db", "Replaces the store with the backup."),
            Example(
                "deskgate store restore /var/backups/deskgate.db --sign-out-issued-before 1767225600",
                "Also signs out all users with older keys."),
        ]
    ) { arguments throws(CommandError) in
        let (configuration, file) = (try arguments.configuration(), arguments.operand ?? "")
        let place = InitPlace(of: try arguments.configurationFile())
        let bound: UInt64? = arguments.number("sign-out-issued-before")
        let restored = try explaining { () throws(StoreError) in
            try WaitingLine.show("restoring") { () throws(StoreError) in
                try configuration.store.restore(
                    file, asItIs: arguments.has("as-is"), devicesPerUser: configuration.pushTokens.devicesPerUser,
                    signingOut: configuration.apps.map(\.id), issuedBefore: bound.map { UnixSeconds(rawValue: $0) }, clocks: .system)
            }
        } as: {
            .failed("nothing was restored: \(place.message(for: $0))")
        }
        if AdminListenerIdentity(configuration.admin) == .service {
            Console.complain("the service that runs does not use the restored store yet; \(place.order("restart"))")
        }
        if let failure = restored.signOutFailure { Console.complain("it is restored, but no users are signed out: \(failure)") }
        Console.answer(
            arguments,
            json: [
                "store": .string(restored.path), "former": restored.former.map { .string($0) } ?? .null,
                "revocations_recovered": restored.recovered.map { .integer(Int64($0)) } ?? .null,
                "revocations_doubt": restored.doubt.map { .string($0) } ?? .null,
            ], text: sentences(restored, isSignedOut: bound != nil).joined(separator: "\n"))
        return restored.signOutFailure == nil ? .done : .negative
    }

    private static func sentences(_ restored: RestoredStore, isSignedOut: Bool) -> [String] {
        var sentences = ["\(restored.path) is restored" + (restored.former.map { "; the former store is \($0)" } ?? "")]
        if let count = restored.recovered, count > 0 {
            let what = count == 1 ? "1 revocation missing in the backup is" : "\(count) revocations missing in the backup are"
            sentences.append("\(what) in force again, from the copy of the revocations: deskgate revocations list")
        }
        if let doubt = restored.doubt {
            sentences.append("Revocations, blocks and forgotten users since the backup may be missing: \(doubt).")
            let all = isSignedOut ? "" : "; or have everybody sign in again: deskgate revoke --app ID --all, for each app"
            sentences.append("Repeat them\(all)")
        }
        return sentences
    }
}
