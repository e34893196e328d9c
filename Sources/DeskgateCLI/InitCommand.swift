internal import Configuration
internal import Core
internal import Crypto
internal import Demo
internal import HTTPServer
internal import JSON
internal import POSIX

/// `deskgate init`
enum InitCommand {
    static let command = Command(
        "init", "Creates a working configuration with new secrets; never overwrites a file.",
        operand: Operand(.directory, required: false, default: "the current directory", "where"),
        options: [
            Option("app", value: .text("ID"), default: "\(placeholder), to be replaced", "the app_id that the help desk shows"),
            Option(
                "help-desk", value: .choice(HelpDeskKind.allCases.map(\.rawValue), "NAME"), default: HelpDeskKind.default.rawValue,
                "the help desk that the app belongs to: pyrus or sendbird"),
            Option(
                "port", value: .number(1...65534),
                default:
                    "\(DemoPorts.usual.listen), and \(DemoPorts.usual.admin) for the admin listener, or others when one of them is in use",
                "the port of the public listener; the admin listener gets the next one"),
            Option(
                "store", value: .file,
                default: "deskgate.db beside the configuration, and in \(InitPlace.packaged.state) for \(InitPlace.packaged.configuration)",
                "the SQLite database, relative to DIR; elsewhere when the service may not write to DIR"),
            Option(
                "simulator", value: .directory,
                "the directory of a running deskgate simulate: adds its notifiers for ios, android, huawei and rustore, and its Sendbird for an app of that"
            ),
            Option("bot-demo", "add a bot with four functions, and the files of a sample shop that it calls; see deskgate bots demo"),
            .json,
        ],
        examples: [
            Example("deskgate init /etc/deskgate --app my-app", "Makes a configuration and its secrets for the service of the package."),
            Example("deskgate init data --simulator data/simulator", "Creates one whose pushes go to deskgate simulate."),
            Example("deskgate init data --help-desk sendbird --app THE-APPLICATION-ID", "Creates one for an app of Sendbird Desk."),
            Example("deskgate init --bot-demo shop", "Creates one with the bot of deskgate bots demo."),
        ], run: run)

    private static let placeholder = Configuration.placeholderAppID

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let hasBot = arguments.has("bot-demo")
        let app = arguments["app"] ?? (hasBot ? BotDemoFiles.app : placeholder)
        try Arguments.refuseKey(app, as: "--app")
        if let problem = FieldGrammar.problem(ofAppID: Array(app.utf8).span) {
            throw .option("app", ValidationError(.appID, problem).complaint)
        }
        if arguments.operand?.isEmpty == true { throw .usage("DIR is empty") }
        let helpDesk = arguments["help-desk"].flatMap { HelpDeskKind(rawValue: $0) } ?? .default
        let simulator = try arguments["simulator"].map { directory throws(CommandError) in
            try InitSimulator(directory: directory, helpDesk: helpDesk)
        }
        let port: UInt16? = arguments.number("port")
        let ports = port.map { DemoPorts(from: $0) } ?? DemoPorts.free(withShop: hasBot)
        if hasBot, ports.listen > UInt16.max - 2 { throw .option("port", "the sample shop needs the second port behind it") }
        let place = InitPlace(named: arguments.operand ?? ".")
        let files = InitFiles(directory: arguments.operand ?? ".", helpDesk: helpDesk, hasBot: hasBot) { path, error in
            error.remedy(at: path, arguments.line)
        }
        try files.refuseExisting { place.start($0, of: try? Configuration(contentsOf: $0)) }
        let store = arguments["store"] ?? place.store
        try Process.asOwner(of: files.configuration) {
            .failed("cannot make \(files.configuration) with the rights of the path's owner: \($0)")
        } _: { () throws(CommandError) in
            try files.write(app: app, ports: ports, store: store, simulator: simulator)
        }
        let start = place.start(files.configuration)
        let next =
            hasBot
            ? BotDemoGuide(files, app, port: ports.listen).text : nextSteps(files, app, isSimulated: simulator != nil, start: start)
        let remark = port == nil && ports != .usual ? "The usual ports are taken, so it has \(ports.listen) and \(ports.admin).\n" : ""
        // A requested port is written even if it is in use: its process may end before the service starts.
        let obstacle = port == nil ? nil : ports.problem(withShop: hasBot)
        let warning = obstacle.map { "\nThe service could not start now: \($0.description)." } ?? ""
        // Printed first, because a user who has lost a configuration should not use this one.
        let text = files.warning(beside: store ?? InitPlace.database) + remark + next + warning
        Console.answer(arguments, json: files.json(ports, start: start), text: text)
        return .done
    }

    /// The step that adds a notifier, with the choice of what a provider can read.
    private static func notifying(hasOnlyLog: Bool, isSimulated: Bool) -> String {
        let nobody = hasOnlyLog ? " no one is notified of a reply until the app has one besides the log;\n                       " : ""
        let simulated = isSimulated ? "; the simulated ones have \"full\"" : ""
        return """
            Add notifiers:\(nobody) phones show a neutral text unless a push notifier's "content" is
                                    "author" or "full", and its provider reads what they show\(simulated)
            """
    }

    private static func nextSteps(_ files: InitFiles, _ app: String, isSimulated: Bool, start: String) -> String {
        var steps = [
            "Mint a key:    deskgate key mint --config \(ShellWord.quoted(files.configuration)) --app \(ShellWord.quoted(app)) --user USER"
        ]
        let desk: String
        if let secret = files.webhookSecret {
            desk = "Pyrus"
            steps.append(
                """
                Tell Pyrus:    the authorization URL is https://YOUR-HOST/pyrus/authorize,
                                    the one for new comments https://YOUR-HOST/pyrus/webhook/SECRET,
                                    where SECRET is in \(secret)
                """)
        } else {
            desk = "Sendbird"
            steps.append(
                """
                Tell Sendbird: the URL for webhooks of Chat is https://YOUR-HOST/sendbird/chat-webhook/\(app),
                                    the one for those of Desk https://YOUR-HOST/sendbird/desk-webhook/\(app)
                """)
            if !isSimulated {
                let tokens = InitSendbird.tokens.map { "Write the API token of \($0.api) into \(files.secret($0.file))." }
                steps = tokens + steps
            }
        }
        steps.append(notifying(hasOnlyLog: files.webhookSecret != nil && !isSimulated, isSimulated: isSimulated))
        if app == placeholder, !isSimulated {
            steps.append("Replace \(placeholder) in the configuration by the app_id that \(desk) shows you.")
        }
        let numbered = steps.enumerated().map { "  \($0 + 1). \($1)" }
        return """
            Made \(files.configuration), and fresh secrets in \(files.secrets) that only their owner may read.

            Next:
            \(numbered.joined(separator: "\n"))

            Then serve it:
              \(start)
            """
    }
}
