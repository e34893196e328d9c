import HTTPServer
import JSON
import POSIX
import Simulators
import TestSupport
import Testing

/// Simulated push providers in this process, and a configuration that uses them.
final class PushSite: Sendable {
    /// A push token in a form that all providers accept.
    static let token = String(repeating: "5d3f0a97", count: 8)
    /// The notifiers of the simulators, with the types of their devices.
    static let routes: JSONObject = ["ios": "apns", "android": "fcm", "huawei": "hms", "rustore": "rustore"]

    /// Created once, because the key for FCM takes half a second. The credentials have no state of a simulator.
    private static let credentials = Result { try SimulatorCredentials() }
    /// Other credentials, which every simulator rejects.
    private static let otherCredentials = Result { try SimulatorCredentials() }

    let simulators: SimulatorSet
    let workspace: Workspace
    private let files: SimulatorFiles

    init() throws {
        var settings = SimulatorSettings()
        settings.credentials = try Self.credentials.get()
        simulators = try SimulatorSet(settings)
        workspace = try Workspace()
        files = try SimulatorFiles(directory: workspace.directory.path("sim"))
        try files.write(simulators)
        try workspace.write("path-secret", WebhookSite.pathSecret, mode: 0o600)
        try workspace.write("other-secret", "another-secret-than-the-provider-knows", mode: 0o600)
        try configure()
    }

    deinit { simulators.stop() }

    /// Writes the configuration.
    /// - Parameters:
    ///   - changes: by notifier, members that replace those of the simulators' files.
    ///   - adminPort: the operators' port, with which commands find a running service; 0 lets the system choose one.
    ///   - publicPort: the same for the other listener.
    ///   - app: replaces the app of Pyrus.
    ///   - others: notifiers in addition to the simulators'.
    ///   - database: replaces the SQLite file.
    func configure(
        _ changes: [String: JSONObject] = [:], adminPort: UInt16 = 0, publicPort: UInt16 = 0, app: JSONValue? = nil,
        others: JSONObject = [:], database: PostgresServer? = nil
    ) throws {
        if let database { try workspace.write("database-url", database.url(), mode: 0o600) }
        let pyrus: JSONValue = [
            "app_id": .string(Workspace.app), "keys": [["id": 1, "secret": ["file": "app-1.key"]]],
            "webhook": ["secret": ["file": "path-secret"]], "notifiers": ["log"], "routes": .object(Self.routes),
        ]
        try workspace.configure([
            "listen": Workspace.listener(port: publicPort), "admin": Workspace.admin(port: adminPort), "apps": [app ?? pyrus],
            "notifiers": .object(try notifiers(changes, others)),
            "push_tokens": ["limits": [["per": "user", "max": 1000, "window_seconds": 300]]],
            "store": database == nil
                ? ["type": "sqlite", "path": "deskgate.db", "minimum_free_megabytes": 0]
                : ["type": "postgres", "url": ["file": "database-url"]],
            "log": ["level": "info", "format": "json"],
        ])
    }

    /// Changes that make each provider reject the credential, by notifier.
    func badCredentials() throws -> [String: JSONObject] {
        var account = try jsonObject(workspace.read("sim/service-account.json"))
        account = account.replacing(["private_key": .string(try Self.otherCredentials.get().fcmKey)])
        let text = String(decoding: JSONValue.object(account).serialized(), as: UTF8.self)
        try workspace.write("other-account.json", text, mode: 0o600)
        return [
            "apns": ["key_id": "WRONGKEYID"], "fcm": ["service_account": ["file": "other-account.json"]],
            "hms": ["secret": ["file": "other-secret"]], "rustore": ["token": ["file": "other-secret"]],
        ]
    }

    /// Registers a device, and expects success.
    /// - Parameter key: the person's security key; nil mints one.
    func register(
        _ server: RunningServer, user: String = Markers.user, key: String? = nil, device: String = "device-1", type: String = "ios",
        token: String = token
    ) throws {
        let answer = try answer(to: token, server, user: user, key: key, device: device, type: type)
        #expect(answer.text == #"{"status":"registered"}"#)
    }

    func answer(
        to token: String, _ server: RunningServer, user: String = Markers.user, key: String? = nil, device: String = "device-1",
        type: String = "ios"
    ) throws -> ReceivedResponse {
        let body: JSONValue = [
            "app_id": .string(Workspace.app), "user_id": .string(user), "security_key": .string(try key ?? workspace.key(user: user)),
            "instance_id": .string(device), "type": .string(type), "token": .string(token),
        ]
        let client = try SocketClient(server.publicAddress)
        let bytes = body.serialized()
        try client.send("POST /pyrus/push-token HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bytes.count)\r\n\r\n")
        try client.send(bytes)
        return try client.readResponse()
    }

    /// The service's response to a GET: the status and the body.
    static func get(_ address: ListenAddress, _ path: String) throws -> String {
        let client = try SocketClient(address)
        try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(Markers.adminToken)\r\n\r\n")
        let response = try client.readResponse()
        return "\(response.status) \(response.text)"
    }

    /// The number of a series in the metrics; nil when there is none.
    /// - Parameter series: the metric's name with its labels.
    static func value(of series: String, _ server: RunningServer) throws -> Int? {
        try get(server.adminAddress, "/metrics").split(separator: "\n").first { $0.hasPrefix("\(series) ") }
            .flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
    }

    private func notifiers(_ changes: [String: JSONObject], _ others: JSONObject) throws -> JSONObject {
        var notifiers = others
        notifiers.append(["type": "log"], forKey: "log")
        for member in try jsonObject(workspace.read("sim/notifiers.json")).members {
            guard case .object(let settings) = member.value else { continue }
            notifiers.append(.object(settings.replacing(changes[member.key] ?? [:])), forKey: member.key)
        }
        return notifiers
    }
}

extension JSONObject {
    /// The same with other values for some members; missing ones are appended.
    func replacing(_ changes: JSONObject) -> JSONObject {
        var object = JSONObject()
        for member in members { object.append(changes[member.key] ?? member.value, forKey: member.key) }
        for member in changes.members where self[member.key] == nil { object.append(member.value, forKey: member.key) }
        return object
    }
}
