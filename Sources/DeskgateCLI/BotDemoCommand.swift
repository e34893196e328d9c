internal import Configuration
internal import Demo
internal import JSON
internal import POSIX

/// `deskgate bots demo`
enum BotDemoCommand {
    static let command = Command(
        "bots demo", "Shows a bot at work: Deskgate, a sample shop, a scripted model and a customer's app, on this machine only.",
        details: "The model calls each of the bot's four functions; a cancellation needs the customer's confirmation; then a model that "
            + "obeys hostile texts tries to act for another customer. The directory stays when it ends.",
        exits: [.negative: "when something did not happen as expected"],
        operand: Operand(
            .directory, required: false, default: "a new one among the temporary files",
            "created by init --bot-demo"),
        options: [
            Option("stay", "run until SIGTERM or SIGINT, for manual tests"),
            Option("json", "print one JSON object at the end, for machines"),
        ],
        examples: [
            Example("deskgate bots demo", "Plays it in a directory of its own."),
            Example("deskgate bots demo shop --stay", "Runs it with the files of a directory, and keeps running."),
        ], run: run)

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        // Before any thread is started, so that all threads inherit the blocked signals.
        let signals = try explaining { () throws(SystemError) in try Signals() }
        POSIX.Process.forbidMemoryDumps()
        _ = POSIX.Process.raiseOpenFileLimit()
        let directory: String
        if let given = arguments.operand {
            // The demonstration itself reports an invalid configuration.
            let files = (try? Configuration(contentsOf: Path.resolve("config.json", in: given)))?.store.files ?? []
            try arguments.refuseRoot(making: files, line: arguments.line)
            directory = given
        } else {
            directory = try makeDirectory()
        }
        let demo = try explaining { () throws(DemoFailure) in try BotDemo(directory: directory) }
        defer { demo.stop() }
        let say: (String) -> Void = arguments.has("json") ? { _ in } : { Console.print(Console.printable($0)) }
        let surprises = try explaining { () throws(DemoFailure) in try demo.play(say) }
        Console.answer(arguments, json: json(directory, surprises), text: text(directory, surprises, stays: arguments.has("stay")))
        if arguments.has("stay") {
            demo.goOn(until: signals)
            signals.endAtOnce()
        }
        return surprises.isEmpty ? .done : .negative
    }

    /// Creates the files of `init --bot-demo` in a new directory.
    private static func makeDirectory() throws(CommandError) -> String {
        let directory = try explaining { () throws(DemoFailure) in try DemoFiles.temporaryPath() }
        let ports = DemoPorts.free(withShop: true)
        try InitFiles(directory: directory, helpDesk: .pyrus, hasBot: true)
            .write(app: BotDemoFiles.app, ports: ports, store: nil, simulator: nil)
        return directory
    }

    private static func json(_ directory: String, _ surprises: [String]) -> JSONValue {
        [
            "as_expected": .bool(surprises.isEmpty), "surprises": .array(surprises.map(JSONValue.string)),
            "directory": .string(directory), "configuration": .string(Path.resolve("config.json", in: directory)),
        ]
    }

    private static func text(_ directory: String, _ surprises: [String], stays: Bool) -> String {
        let configuration = ShellWord.inQuotes(Path.resolve("config.json", in: directory))
        let verdict = surprises.isEmpty ? "Everything happened as expected." : "\(surprises.count) things did not happen as expected."
        let serve = stays ? "Deskgate and the shop run until Ctrl-C." : "First start it: deskgate serve --config \(configuration)"
        return """

            \(verdict) The directory \(directory) stays.

            Look at the audit:
              deskgate bots calls list --config \(configuration)
            \(serve)
            """
    }
}

/// The next steps that `init --bot-demo` prints.
struct BotDemoGuide {
    let text: String

    init(_ files: InitFiles, _ app: String, port: UInt16) {
        let configuration = files.configuration
        let directory = ShellWord.inQuotes(files.directory)
        text = """
            Made \(configuration) with the bot `\(BotDemoFiles.bot)`, its sample shop in \(files.bot?.shop ?? ""), and fresh secrets in
            \(files.secrets) that only their owner may read.

            Next:
              1. See it at work:  deskgate bots demo \(directory) --stay
                 It plays a conversation, and then continues until Ctrl-C. Meanwhile, in another terminal:
              2. Start the bot as the app does:
                   KEY=$(deskgate key mint --config \(configuration) --app \(app) --user user-1)
                   curl http://127.0.0.1:\(port)/bots/\(BotDemoFiles.bot)/start \\
                        --json '{"app_id": "\(app)", "user_id": "user-1", "security_key": "'$KEY'"}'
              3. Call a function with the `ticket` of the answer, as a model of your own would:
                   curl http://127.0.0.1:\(port)/bots/\(BotDemoFiles.bot)/call \\
                        --json '{"ticket": "TICKET", "name": "get_order_list", "arguments": {}}'
              4. See who called what:
                   deskgate bots calls list --config \(configuration)

            docs/BOTS.md describes how your own backend replaces the shop.
            """
    }
}
