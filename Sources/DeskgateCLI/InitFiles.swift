internal import Configuration
internal import Core
internal import Demo
internal import JSON
internal import POSIX

/// The files that `init` creates.
struct InitFiles {
    let directory: String
    let configuration: String
    let secrets: String
    private let adminToken: String
    private let appSecret: String
    /// Nil when the help desk signs its webhooks with its own secrets.
    let webhookSecret: String?
    /// The files of a demonstration of bots; nil without one.
    let bot: BotDemoFiles?
    private let remedy: (String, SystemError) -> String

    /// - Parameter remedy: the end of the error when a path cannot be created.
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

    func secret(_ name: String) -> String { Path.resolve(name, in: secrets) }

    var all: [String] { [configuration] + freshSecrets + (bot?.all ?? []) }

    /// Rejects a directory with one of the files, and suggests the next step.
    /// - Parameter start: returns the command that starts the service of a configuration.
    func refuseExisting(start: (String) -> String) throws(CommandError) {
        let existing = all.filter(File.exists)
        guard let first = existing.first else { return }
        let remedy =
            first == configuration
            ? "start its service: \(start(configuration))"
            : "if \(configuration) is lost, put it back: \(Configuration.costOfNewOne); otherwise move away "
                + existing.joined(separator: ", ")
        throw .negative("exists", "\(first) exists already; nothing was changed; name another directory, or \(remedy)")
    }

    /// The warning beside a database of another configuration, as a line; empty without one.
    func warning(beside store: String) -> String {
        let database = Path.resolve(store, in: directory)
        guard File.exists(database) else { return "" }
        return "\(database) exists already: if its configuration is lost, put it back: \(Configuration.costOfNewOne).\n\n"
    }

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
        let text =
            configurationJSON(app: app, ports, store: store, simulator: simulator, bots: bots).serialized(pretty: true) + [
                UInt8(ascii: "\n")
            ]
        try make(configuration) { () throws(SystemError) in try File.create(configuration, mode: 0o640, text) }
    }

    private func make(_ path: String, _ work: () throws(SystemError) -> Void) throws(CommandError) {
        try explaining(work) { .failed("cannot make \(path): \($0)\(remedy(path, $0))") }
    }

    private func configurationJSON(
        app: String, _ ports: DemoPorts, store: String?, simulator: InitSimulator?, bots: JSONValue?
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
        // A leaked key is valid for at most a week, for any lifetime requested by a backend that mints itself.
        configuration.append(["longest_life_seconds": .integer(Int64(KeyLifetime.standardSeconds))], forKey: "security_keys")
        if let notifiers { configuration.append(.object(notifiers), forKey: "notifiers") }
        if let bots { configuration.append(bots, forKey: "bots") }
        configuration.append(["level": "info", "format": "text"], forKey: "log")
        return .object(configuration)
    }
}
