internal import Configuration
internal import Core
internal import JSON
internal import Service
internal import Time

/// `deskgate store copy`
enum StoreCopyCommand {
    static let command = Command(
        "store copy", "Copies everything from the SQLite store into the PostgreSQL store, or back, while no service uses either.",
        details:
            "The configuration must contain both, store.path and store.url. An interrupted copy continues when the command is repeated.",
        options: [
            Option("to", value: .choice(words, "STORE"), required: true, "postgres or sqlite: the store to fill, which must be empty"),
            Option("anew", "remove the rows of an unfinished copy, and begin again"), .config, .json,
        ],
        examples: [
            Example("deskgate store copy --to postgres", "Moves from SQLite to PostgreSQL.")
        ], run: run)

    private static let words = ["postgres", "sqlite"]

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let store = try arguments.configuration().store
        guard store.namesBoth else {
            throw .usage("the configuration must contain both stores: store.path and store.url")
        }
        let target = arguments.required("to")
        let place = InitPlace(of: try arguments.configurationFile())
        var progress = Progress()
        let report = try explaining { () throws(StoreError) in
            try store.copy(toPostgres: target == words[0], beginsAnew: arguments.has("anew")) { progress.tell($0) }
        } as: {
            .failed("not copied: \(place.message(for: $0))")
        }
        Console.answer(arguments, json: json(report, target), text: sentence(report, target))
        return .done
    }

    private static func json(_ report: StoreCopyReport, _ target: String) -> JSONValue {
        var tables: JSONObject = [:]
        for table in report.tables { tables.append(.integer(Int64(table.rows)), forKey: table.name) }
        return [
            "to": .string(target), "continued": .bool(report.isContinued), "rows": .integer(Int64(report.rows)), "tables": .object(tables),
        ]
    }

    private static func sentence(_ report: StoreCopyReport, _ target: String) -> String {
        let lines = report.tables.map { "\($0.name): \($0.rows)" }
        return (lines + ["\(report.rows) rows are in both stores; now set store.type to \(target)"]).joined(separator: "\n")
    }
}

/// Reports the progress of a copy on standard error: after each table, and every second within a large one.
private struct Progress {
    private var reportedAt = SystemClock.monotonicMilliseconds()

    mutating func tell(_ progress: StoreCopyProgress) {
        let now = SystemClock.monotonicMilliseconds()
        guard progress.copied >= progress.total || now.elapsed(since: reportedAt) >= 1000 else { return }
        reportedAt = now
        Console.remark("\(progress.table): \(progress.copied) of \(progress.total)")
    }
}
