internal import Core
internal import Crypto
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
                "port", value: .number(1...65534), default: "\(usualPorts.public), and \(usualPorts.admin)",
                "the port of the public listener; the admin listener gets the next one"),
            Option(
                "store", value: .file, default: "deskgate.db beside the configuration",
                "the SQLite database, relative to DIR; elsewhere when the service may not write to DIR"),
            Option(
                "simulator", value: .directory,
                "where deskgate simulate runs: its notifiers go into the configuration, for ios, android, huawei, rustore"),
            .json,
        ],
        examples: [
            Example("deskgate init /etc/deskgate --app my-app", "Makes a configuration and its secrets under /etc/deskgate."),
            Example("deskgate init data --simulator data/simulator", "Makes one whose pushes go to deskgate simulate."),
        ], run: run)

    private static let placeholder = "my-app"
    private static let usualPorts: InitFiles.Ports = (8080, 9090)

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let app = arguments["app"] ?? placeholder
        try Arguments.refuseKey(app, as: "--app")
        if let problem = FieldGrammar.problem(ofAppID: Array(app.utf8).span) {
            throw .option("app", Malformation(.appID, problem).description)
        }
        if arguments.operand?.isEmpty == true { throw .usage("DIR is empty") }
        let simulator = try arguments["simulator"].map { directory throws(CommandError) in try InitSimulator(directory: directory) }
        let port: UInt16? = arguments.number("port")
        let files = InitFiles(directory: arguments.operand ?? ".")
        if let existing = files.all.first(where: File.exists) {
            throw .negative("exists", "\(existing) exists already; nothing was changed")
        }
        try files.write(app: app, ports: port.map { ($0, $0 + 1) } ?? usualPorts, store: arguments["store"], simulator: simulator)
        Console.answer(arguments, files.json, nextSteps(files, app))
        return .done
    }

    private static func nextSteps(_ files: InitFiles, _ app: String) -> String {
        let replace = app == placeholder ? "\n  4. Replace \(placeholder) in the configuration by the app_id that Pyrus shows you." : ""
        return """
            Made \(files.configuration), and fresh secrets in \(files.secrets) that only you may read.

            Next:
              1. Serve:         deskgate serve --config \(files.configuration)
              2. Mint a key:    deskgate key mint --config \(files.configuration) --app \(app) --user USER
              3. Tell Pyrus:    the authorization URL is https://YOUR-HOST/pyrus/authorize,
                                the one for new comments https://YOUR-HOST/pyrus/webhook/SECRET,
                                where SECRET stands in \(files.webhookSecret)\(replace)
            """
    }
}

/// The files that `init` creates.
struct InitFiles {
    /// The ports of both listeners.
    typealias Ports = (public: UInt16, admin: UInt16)

    let directory: String
    let configuration: String
    let secrets: String
    private let adminToken: String
    private let appSecret: String
    let webhookSecret: String

    init(directory: String) {
        self.directory = directory
        configuration = Path.resolve("config.json", in: directory)
        secrets = Path.resolve("secrets", in: directory)
        adminToken = Path.resolve("admin-token", in: secrets)
        appSecret = Path.resolve("app-1.key", in: secrets)
        webhookSecret = Path.resolve("webhook-1.key", in: secrets)
    }

    /// The files that must not exist yet.
    var all: [String] { [configuration, adminToken, appSecret, webhookSecret] }

    /// The JSON of `--json`: what was created.
    var json: JSONValue {
        [
            "configuration": .string(configuration), "admin_token": .string(adminToken), "app_secret": .string(appSecret),
            "webhook_secret": .string(webhookSecret),
        ]
    }

    /// Creates the files, the configuration last, so that it never exists without its secrets.
    func write(app: String, ports: Ports, store: String?, simulator: InitSimulator?) throws(CommandError) {
        try make(directory) { () throws(SystemError) in try File.createDirectory(directory, mode: 0o700) }
        try make(secrets) { () throws(SystemError) in try File.createDirectory(secrets, mode: 0o700) }
        for path in [adminToken, appSecret, webhookSecret] {
            let secret = try SecretCommand.newSecret()
            try make(path) { () throws(SystemError) in try File.create(path, mode: 0o600, "\(secret)\n".utf8) }
        }
        let text = Self.configurationJSON(app: app, ports, store, simulator).serialized(pretty: true) + [UInt8(ascii: "\n")]
        try make(configuration) { () throws(SystemError) in try File.create(configuration, mode: 0o640, text) }
    }

    private func make(_ path: String, _ work: () throws(SystemError) -> Void) throws(CommandError) {
        try explaining(work) { .failed("cannot make \(path): \($0)") }
    }

    private static func configurationJSON(app: String, _ ports: Ports, _ store: String?, _ simulator: InitSimulator?) -> JSONValue {
        var application: JSONObject = [
            "app_id": .string(app), "keys": [["id": 1, "secret": ["file": "secrets/app-1.key"]]],
            "webhook": ["secret": ["file": "secrets/webhook-1.key"]],
        ]
        var configuration: JSONObject = [
            "listen": ["host": "127.0.0.1", "port": .integer(Int64(ports.public))],
            "admin": ["host": "127.0.0.1", "port": .integer(Int64(ports.admin)), "token": ["file": "secrets/admin-token"]],
        ]
        if let simulator { application.append(.object(simulator.routes), forKey: "routes") }
        if let store { configuration.append(["type": "sqlite", "path": .string(store)], forKey: "store") }
        configuration.append([.object(application)], forKey: "apps")
        if let simulator { configuration.append(.object(simulator.notifiers), forKey: "notifiers") }
        configuration.append(["level": "info", "format": "text"], forKey: "log")
        return .object(configuration)
    }
}

/// The notifiers of running simulators and their device types, as `init` writes them into a configuration.
struct InitSimulator {
    /// The content of the configuration's `notifiers`.
    let notifiers: JSONObject
    /// The content of an app's `routes`.
    let routes: JSONObject

    private static let sizeLimit = 1 << 20
    /// The simulated notifiers, each with the device type that the READMEs of apps use.
    private static let types = [("apns", "ios"), ("fcm", "android"), ("hms", "huawei"), ("rustore", "rustore")]

    /// Reads the files that `simulate` has written to a directory.
    init(directory: String) throws(CommandError) {
        let path = Path.resolve("notifiers.json", in: directory)
        let remedy = "start this first and leave it running: deskgate simulate --directory \(directory)"
        let bytes = try explaining { () throws(SystemError) in
            try File.read(path, limit: Self.sizeLimit).bytes
        } as: {
            .option("simulator", "cannot read \(path): \($0); \(remedy)")
        }
        guard case .object(let simulated)? = (try? JSONDocument(parsing: bytes.span))?.value() else {
            throw .option("simulator", "\(path) is not what simulate writes; \(remedy)")
        }
        var notifiers: JSONObject = ["log": ["type": "log"]]
        var routes = JSONObject()
        for member in simulated.members { notifiers.append(member.value, forKey: member.key) }
        for (notifier, type) in Self.types where simulated[notifier] != nil { routes.append(.string(notifier), forKey: type) }
        self.notifiers = notifiers
        self.routes = routes
    }
}
