import JSON
import TestSupport

/// A directory with a configuration and its secrets, which are all markers.
final class Workspace: Sendable {
    static let app = "app-1"
    let directory: TemporaryDirectory

    var configuration: String { directory.path("config.json") }

    /// Creates the directory with a configuration of one app and `changes`: top-level members that are added or replaced.
    init(_ changes: JSONObject = [:]) throws {
        directory = try TemporaryDirectory()
        try write("app-1.key", Markers.appSecrets[0], mode: 0o600)
        try write("app-2.key", Markers.appSecrets[1], mode: 0o600)
        try write("admin-token", Markers.adminToken, mode: 0o600)
        try configure(changes)
    }

    func configure(_ changes: JSONObject = [:]) throws {
        var configuration = changes
        for member in Self.defaults.members where changes[member.key] == nil {
            configuration.append(member.value, forKey: member.key)
        }
        try write("config.json", String(decoding: JSONValue.object(configuration).serialized(pretty: true), as: UTF8.self))
    }

    /// Writes a line into a new file, or replaces the file.
    func write(_ name: String, _ text: String, mode: UInt32 = 0o640) throws {
        try directory.write(name, "\(text)\n", mode: mode)
    }

    func read(_ name: String) throws -> String {
        try directory.read(name)
    }

    func key(app: String = Workspace.app, user: String = Markers.user) throws -> String {
        let result = try Deskgate.run("key", "mint", "--config", configuration, "--app", app, "--user", user)
        return String(result.output.dropLast())
    }

    /// An app of the configuration, whose secret is in the file with its number.
    /// - Parameter members: additional members of its key.
    static func app(_ number: Int, keyID: Int64 = 1, _ members: JSONObject = [:]) -> JSONValue {
        var key: JSONObject = ["id": .integer(keyID), "secret": ["file": .string("app-\(number).key")]]
        for member in members.members { key.append(member.value, forKey: member.key) }
        return ["app_id": .string("app-\(number)"), "keys": [.object(key)]]
    }

    /// A listener on a port that the system chooses.
    static func listener(port: UInt16 = 0) -> JSONValue {
        ["host": "127.0.0.1", "port": .integer(Int64(port)), "max_connections": 100]
    }

    /// The operators' listener on a port that the system chooses.
    static func admin(port: UInt16 = 0) -> JSONValue {
        ["host": "127.0.0.1", "port": .integer(Int64(port)), "max_connections": 100, "token": ["file": "admin-token"]]
    }

    /// Both listeners on Unix sockets of the directory.
    static let unixListeners: JSONObject = [
        "listen": ["unix": "public.sock", "max_connections": 100], "admin": ["unix": "admin.sock", "max_connections": 100],
    ]

    private static let defaults: JSONObject = [
        "listen": listener(), "admin": admin(), "apps": [app(1)], "log": ["level": "debug", "format": "json"],
    ]
}

extension String {
    /// The text without the line and column of each mistake of a configuration.
    var withoutPlaces: String { replacing(/\.json:[0-9]+:[0-9]+:/, with: ".json:") }
}
