internal import Core
internal import Crypto
internal import JSON
internal import POSIX

/// The files that `init` makes.
struct InitFiles {
    /// Why they could not be made.
    struct Failure: Error {
        let message: String
    }

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

    /// Everything that must not exist yet.
    var all: [String] { [configuration, adminToken, appSecret, webhookSecret] }

    /// What was made, for machines.
    var json: JSONValue {
        [
            "configuration": .string(configuration), "admin_token": .string(adminToken), "app_secret": .string(appSecret),
            "webhook_secret": .string(webhookSecret),
        ]
    }

    /// Makes the files; the configuration last, so that there is none without its secrets.
    func write(app: String, ports: Ports, simulator: InitSimulator?) throws(Failure) {
        try attempt(directory) { () throws(SystemError) in try File.createDirectory(directory, mode: 0o700) }
        try attempt(secrets) { () throws(SystemError) in try File.createDirectory(secrets, mode: 0o700) }
        for path in [adminToken, appSecret, webhookSecret] {
            let secret = try newSecret()
            try attempt(path) { () throws(SystemError) in try File.create(path, mode: 0o600, "\(secret)\n".utf8) }
        }
        let text = Self.configurationJSON(app: app, ports, simulator).serialized(pretty: true) + [UInt8(ascii: "\n")]
        try attempt(configuration) { () throws(SystemError) in try File.create(configuration, mode: 0o640, text) }
    }

    private func newSecret() throws(Failure) -> String {
        do throws(CryptoError) {
            return try SecretNewCommand.newSecret()
        } catch {
            throw Failure(message: error.description)
        }
    }

    private func attempt(_ path: String, _ make: () throws(SystemError) -> Void) throws(Failure) {
        do throws(SystemError) {
            try make()
        } catch {
            throw Failure(message: "cannot make \(path): \(error)")
        }
    }

    private static func configurationJSON(app: String, _ ports: Ports, _ simulator: InitSimulator?) -> JSONValue {
        var application: JSONObject = [
            "app_id": .string(app), "keys": [["id": 1, "secret": ["file": "secrets/app-1.key"]]],
            "webhook": ["secret": ["file": "secrets/webhook-1.key"]],
        ]
        var configuration: JSONObject = [
            "listen": ["host": "127.0.0.1", "port": .integer(Int64(ports.public))],
            "admin": ["host": "127.0.0.1", "port": .integer(Int64(ports.admin)), "token": ["file": "secrets/admin-token"]],
        ]
        if let simulator { application.append(.object(simulator.routes), forKey: "routes") }
        configuration.append([.object(application)], forKey: "apps")
        if let simulator { configuration.append(.object(simulator.notifiers), forKey: "notifiers") }
        configuration.append(["level": "info", "format": "text"], forKey: "log")
        return .object(configuration)
    }
}

extension InitCommand {
    /// What is wrong with an app id for the configuration.
    static func appProblem(_ app: String) -> String? {
        let bytes = Array(app.utf8)
        return FieldGrammar.problem(ofAppID: bytes.span).map { Malformation(.appID, $0).description }
    }
}
