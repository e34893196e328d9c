internal import JSON

/// A request with the answer that it must get, as `Tests/Vectors/security-key.json` has it.
package struct Vector: Sendable {
    /// Its name, which is no other's.
    package let name: String
    /// The app of the request.
    package let appID: String
    /// The user of the request.
    package let userID: String
    /// The security key of the request.
    package let securityKey: String
    /// The time of the request in Unix seconds.
    package let now: UInt64
    /// The HTTP status that it must get.
    package let status: Int
    /// The reason that belongs to the status.
    package let reason: String

    init(_ value: JSONValue) throws {
        name = try value.text("name")
        (appID, userID, securityKey) = (try value.text("app_id"), try value.text("user_id"), try value.text("security_key"))
        now = UInt64(try value.number("now"))
        status = Int(try value.number("expect"))
        reason = try value.text("reason")
    }
}

// Test reports show arguments and their parts: of a vector they must show its name alone.
extension Vector: CustomStringConvertible, CustomReflectable {
    /// The name.
    package var description: String { name }
    /// Nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
