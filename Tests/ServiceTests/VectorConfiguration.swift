import Configuration
import JSON
import Service
import TestSupport

@testable import AdminAPI
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus

/// A configuration with the vectors' apps, and their secrets in files.
struct VectorConfiguration {
    private let root: JSONValue
    private let secrets: [(file: String, text: String)]

    /// Uses the apps and the policy of a vectors file.
    init(_ vectorFile: VectorFile) {
        var secrets: [(file: String, text: String)] = []
        let apps = vectorFile.apps.map { app -> JSONValue in
            let keys = app.keys.map { key -> JSONValue in
                let file = "secret-\(secrets.count)"
                secrets.append((file, key.secret))
                return ["id": .integer(Int64(key.id)), "secret": ["file": .string(file)]]
            }
            return ["app_id": .string(app.id), "keys": .array(keys)]
        }
        self.secrets = secrets
        root = [
            "listen": ["port": 0], "admin": ["port": 0], "store": ["type": "memory"], "apps": .array(apps), "allow_insecure_secrets": true,
            "security_keys": [
                "clock_skew_seconds": .integer(Int64(vectorFile.clockSkewSeconds)),
                "longest_life_seconds": .integer(Int64(vectorFile.maximumLifetimeSeconds)),
            ],
        ]
    }

    /// Writes the files into a new directory, reads them like the service, and removes them.
    func read() throws -> Configuration {
        let directory = try TemporaryDirectory()
        try directory.write("deskgate.json", root.serialized())
        for secret in secrets { try directory.write(secret.file, secret.text) }
        return try Configuration(contentsOf: directory.path("deskgate.json"))
    }
}
