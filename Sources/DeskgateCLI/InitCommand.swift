internal import Configuration
internal import Core
internal import Crypto
internal import Demo
internal import JSON
internal import POSIX

/// `deskgate init`
enum InitCommand {
    static let command = Command(
        "init", "Makes a working configuration with fresh secrets; never overwrites anything.",
        operand: Operand(.directory, required: false, default: "the current directory", "where"),
        options: [
            Option("app", value: .text("ID"), default: "\(placeholder), to be replaced", "the app_id that the help desk shows"),
            Option(
                "help-desk", value: .choice(HelpDeskKind.allCases.map(\.rawValue), "NAME"), default: HelpDeskKind.default.rawValue,
                "the help desk that the app belongs to: pyrus or sendbird"),
            Option(
                "port", value: .number(1...65534),
                default:
                    "\(DemoPorts.usual.listen), and \(DemoPorts.usual.admin) for the admin listener, or others when one of them is taken",
                "the port of the public listener; the admin listener gets the next one"),
            Option(
                "store", value: .file,
                default: "deskgate.db beside the configuration, and in \(InitPlace.packaged.state) for \(InitPlace.packaged.configuration)",
                "the SQLite database, relative to DIR; elsewhere when the service may not write to DIR"),
            Option(
                "simulator", value: .directory,
                "where deskgate simulate runs: its notifiers go into the configuration, for ios, android, huawei, rustore; and its Sendbird, for an app of that"
            ),
            Option("bot-demo", "add a bot with four functions, and the files of a sample shop that it calls; see deskgate bots demo"),
            .json,
        ],
        examples: [
            Example("deskgate init /etc/deskgate --app my-app", "Makes a configuration and its secrets for the service of the package."),
            Example("deskgate init data --simulator data/simulator", "Makes one whose pushes go to deskgate simulate."),
            Example("deskgate init data --help-desk sendbird --app THE-APPLICATION-ID", "Makes one for an app of Sendbird Desk."),
            Example("deskgate init --bot-demo shop", "Makes one with a bot that deskgate bots demo shows at work."),
        ], run: run)

    private static let placeholder = "my-app"

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let hasBot = arguments.has("bot-demo")
        let app = arguments["app"] ?? (hasBot ? BotDemoFiles.app : placeholder)
        try Arguments.refuseKey(app, as: "--app")
        if let problem = FieldGrammar.problem(ofAppID: Array(app.utf8).span) {
            throw .option("app", Malformation(.appID, problem).description)
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
        if let existing = files.all.first(where: File.exists) {
            throw .negative("exists", "\(existing) exists already; nothing was changed")
        }
        try Process.asOwner(of: files.configuration) {
            .failed("cannot make \(files.configuration) with the rights of the path's owner: \($0)")
        } _: { () throws(CommandError) in
            try files.write(app: app, ports: ports, store: arguments["store"] ?? place.store, simulator: simulator)
        }
        let start = place.start(files.configuration)
        // Ports that were asked for are taken as they are.
        let others = port == nil && ports != .usual ? "The usual ports are taken, so it has \(ports.listen) and \(ports.admin).\n" : ""
        let next =
            hasBot
            ? BotDemoGuide(files, app, port: ports.listen).text : nextSteps(files, app, isSimulated: simulator != nil, start: start)
        Console.answer(arguments, files.json(ports, start: start), others + next)
        return .done
    }

    private static func nextSteps(_ files: InitFiles, _ app: String, isSimulated: Bool, start: String) -> String {
        var steps = ["Mint a key:    deskgate key mint --config \(files.configuration) --app \(app) --user USER"]
        let desk: String
        if let secret = files.webhookSecret {
            desk = "Pyrus"
            steps.append(
                """
                Tell Pyrus:    the authorization URL is https://YOUR-HOST/pyrus/authorize,
                                    the one for new comments https://YOUR-HOST/pyrus/webhook/SECRET,
                                    where SECRET stands in \(secret)
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

/// The files that `init` creates.
struct InitFiles {
    let directory: String
    let configuration: String
    let secrets: String
    private let adminToken: String
    private let appSecret: String
    /// Nil where the help desk signs its webhooks with secrets of its own.
    let webhookSecret: String?
    /// The files of a demonstration of bots; nil without one.
    let bot: BotDemoFiles?
    private let remedy: (String, SystemError) -> String

    /// - Parameter remedy: the end of the sentence that says why a path cannot be made.
    init(
        directory: String, helpDesk: HelpDeskKind, hasBot: Bool, remedy: @escaping (String, SystemError) -> String = { _, _ in "" }
    ) {
        self.remedy = remedy
        self.directory = directory
        configuration = Path.resolve("config.json", in: directory)
        secrets = Path.resolve("secrets", in: directory)
        adminToken = Path.resolve("admin-token", in: secrets)
        appSecret = Path.resolve("app-1.key", in: secrets)
        webhookSecret = helpDesk == .pyrus ? Path.resolve("webhook-1.key", in: secrets) : nil
        bot = hasBot ? BotDemoFiles(directory: directory) : nil
    }

    /// The path of a secret.
    func secret(_ name: String) -> String { Path.resolve(name, in: secrets) }

    /// The files that must not exist yet.
    var all: [String] { [configuration] + freshSecrets + (bot?.all ?? []) }

    private var freshSecrets: [String] { [adminToken, appSecret] + (webhookSecret.map { [$0] } ?? []) }

    /// The JSON of `--json`: what was created, and the command that starts the service.
    func json(_ ports: DemoPorts, start: String) -> JSONValue {
        var files: JSONObject = [
            "configuration": .string(configuration), "admin_token": .string(adminToken), "app_secret": .string(appSecret),
            "port": .integer(Int64(ports.listen)), "admin_port": .integer(Int64(ports.admin)), "start": .string(start),
        ]
        if let webhookSecret { files.append(.string(webhookSecret), forKey: "webhook_secret") }
        if let bot {
            files.append(.string(bot.signingSecret), forKey: "bot_secret")
            files.append(.string(bot.shopToken), forKey: "shop_token")
            files.append(.string(bot.shop), forKey: "shop")
        }
        return .object(files)
    }

    /// Creates the files, the configuration last, so that it never exists without its secrets.
    func write(app: String, ports: DemoPorts, store: String?, simulator: InitSimulator?) throws(CommandError) {
        try make(directory) { () throws(SystemError) in try File.createDirectory(directory, mode: 0o700) }
        try make(secrets) { () throws(SystemError) in try File.createDirectory(secrets, mode: 0o700) }
        for path in freshSecrets {
            let secret = try SecretCommand.newSecret()
            try make(path) { () throws(SystemError) in try File.create(path, mode: 0o600, "\(secret)\n".utf8) }
        }
        if let bot { try explaining { () throws(DemoFailure) in try bot.write(shopPort: ports.shop) } }
        let bots = bot.map { _ in BotDemoFiles.bots(app: app, port: ports.listen, shopPort: ports.shop) }
        let text = configurationJSON(app: app, ports, store, simulator, bots).serialized(pretty: true) + [UInt8(ascii: "\n")]
        try make(configuration) { () throws(SystemError) in try File.create(configuration, mode: 0o640, text) }
    }

    private func make(_ path: String, _ work: () throws(SystemError) -> Void) throws(CommandError) {
        try explaining(work) { .failed("cannot make \(path): \($0)\(remedy(path, $0))") }
    }

    private func configurationJSON(
        app: String, _ ports: DemoPorts, _ store: String?, _ simulator: InitSimulator?, _ bots: JSONValue?
    ) -> JSONValue {
        var application: JSONObject = ["app_id": .string(app), "keys": [["id": 1, "secret": ["file": "secrets/app-1.key"]]]]
        var notifiers = simulator?.notifiers
        if webhookSecret != nil {
            application.append(["secret": ["file": "secrets/webhook-1.key"]], forKey: "webhook")
        } else {
            for member in InitSendbird.members(simulator?.sendbird).members { application.append(member.value, forKey: member.key) }
            notifiers = InitSendbird.notifiers(notifiers)
        }
        var configuration: JSONObject = [
            "listen": ["host": "127.0.0.1", "port": .integer(Int64(ports.listen))],
            "admin": ["host": "127.0.0.1", "port": .integer(Int64(ports.admin)), "token": ["file": "secrets/admin-token"]],
        ]
        if let simulator { application.append(.object(simulator.routes), forKey: "routes") }
        if let store { configuration.append(["type": "sqlite", "path": .string(store)], forKey: "store") }
        configuration.append([.object(application)], forKey: "apps")
        if let notifiers { configuration.append(.object(notifiers), forKey: "notifiers") }
        if let bots { configuration.append(bots, forKey: "bots") }
        configuration.append(["level": "info", "format": "text"], forKey: "log")
        return .object(configuration)
    }
}
