internal import JSON
internal import POSIX
package import Time

/// `Tests/Vectors/security-key.json`: requests with their expected responses, and the apps in them.
package struct VectorFile: Sendable {
    /// The file lacks this member, or it has another type.
    package struct Missing: Error {
        let what: String
    }

    /// An app whose keys are in the requests.
    package struct App: Sendable {
        package let id: String
        package let keys: [(id: UInt32, secret: String)]

        init(_ value: JSONValue) throws {
            id = try value.text("app_id")
            keys = try value.elements("keys").map { (UInt32(try $0.number("id")), try $0.text("secret_base64url")) }
        }
    }

    package let vectors: [Vector]
    /// The apps; two of them share a secret intentionally.
    package let apps: [App]
    package let clockSkewSeconds: UInt64
    package let maximumLifetimeSeconds: UInt64

    package init() throws {
        let bytes = try File.read("\(packageRoot)/Tests/Vectors/security-key.json", limit: 1 << 20).bytes
        let root = try JSONDocument(parsing: bytes.span).value()
        vectors = try root.elements("vectors").map { try Vector($0) }
        apps = try root.elements("apps").map { try App($0) }
        clockSkewSeconds = UInt64(try root.number("clock_skew_seconds"))
        maximumLifetimeSeconds = UInt64(try root.number("longest_life_seconds"))
    }
}

extension JSONValue {
    func text(_ key: String) throws -> String {
        guard case .string(let text) = try member(key) else { throw VectorFile.Missing(what: key) }
        return text
    }

    func number(_ key: String) throws -> Int64 {
        guard case .integer(let number) = try member(key) else { throw VectorFile.Missing(what: key) }
        return number
    }

    func elements(_ key: String) throws -> [JSONValue] {
        guard case .array(let elements) = try member(key) else { throw VectorFile.Missing(what: key) }
        return elements
    }

    private func member(_ key: String) throws -> JSONValue {
        guard case .object(let object) = self, let value = object[key] else { throw VectorFile.Missing(what: key) }
        return value
    }
}

/// A request with the expected response, from `Tests/Vectors/security-key.json`.
package struct Vector: Sendable {
    package let name: String
    package let appID: String
    package let userID: String
    package let securityKey: String
    package let now: UnixSeconds
    /// The expected HTTP status.
    package let status: Int
    /// The expected reason.
    package let reason: String

    init(_ value: JSONValue) throws {
        name = try value.text("name")
        (appID, userID, securityKey) = (try value.text("app_id"), try value.text("user_id"), try value.text("security_key"))
        now = UnixSeconds(rawValue: UInt64(try value.number("now")))
        status = Int(try value.number("expect"))
        reason = try value.text("reason")
    }
}

// Test reports print arguments and their parts, but must print only the name of a vector.
extension Vector: CustomStringConvertible, CustomReflectable {
    package var description: String { name }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
