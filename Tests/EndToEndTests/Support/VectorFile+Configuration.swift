import JSON
import TestSupport

extension VectorFile {
    /// A configuration with the apps of the file and their secrets.
    var configuration: JSONObject {
        [
            "allow_insecure_secrets": true,
            "security_keys": [
                "clock_skew_seconds": .integer(Int64(clockSkewSeconds)), "longest_life_seconds": .integer(Int64(maximumLifetimeSeconds)),
            ],
            "apps": .array(apps.map { ["app_id": .string($0.id), "keys": .array($0.keys.map(Self.configured))] }),
        ]
    }

    private static func configured(_ key: (id: UInt32, secret: String)) -> JSONValue {
        ["id": .integer(Int64(key.id)), "secret": .string(key.secret)]
    }
}

extension Vector {
    /// Whether it contains a NUL, at which command-line arguments end.
    var cannotBeArguments: Bool { "\(appID)\(userID)".utf8.contains(0) || securityKey.utf8.contains(0) }
}
