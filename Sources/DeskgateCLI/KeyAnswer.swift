internal import AdminAPI
internal import Core
internal import JSON
internal import Time

/// The answer of `key verify` and `key inspect`: one JSON object for machines, whose members are the lines for people.
struct KeyAnswer {
    /// The answer of `--json`.
    private(set) var json = JSONObject()

    mutating func append(_ value: JSONValue, forKey name: String) { json.append(value, forKey: name) }

    /// Adds the reason why the key or another option is invalid.
    mutating func append(_ error: ValidationError, of command: Command) {
        append(.string(error.problem.rawValue), forKey: "reason")
        append(.string(error.field.name), forKey: Self.field)
        append(.string("\(command.word(for: error.field.name)) \(error.complaint)"), forKey: "message")
    }

    /// Adds the public fields of a security key.
    mutating func append(_ key: SecurityKey) {
        append(1, forKey: "version")
        append(.integer(Int64(key.keyID)), forKey: "key_id")
        append(.integer(Int64(key.issuedAt.rawValue)), forKey: "issued_at")
        append(.integer(Int64(key.expiresAt.rawValue)), forKey: "expires_at")
    }

    /// Adds the configured state of the key that signed a security key; null when the app has no key with that id.
    mutating func append(_ secret: Application.Key?) {
        append(secret.map { .string($0.state.rawValue) } ?? .null, forKey: "key_state")
        append(secret?.notAfter.map { .integer(Int64($0.rawValue)) } ?? .null, forKey: "key_not_after")
    }

    /// The members as lines, each after its name.
    var text: String {
        let lines = json.members.compactMap { member in
            Self.text(member.value, of: member.key).map { (name: member.key.replacing("_", with: " "), text: $0) }
        }
        let width = lines.map(\.name.count).max() ?? 0
        return lines.map { $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.text }.joined(separator: "\n")
    }

    /// The name of the invalid parameter; in text output the message contains the option.
    private static let field = "field"

    private static func text(_ value: JSONValue, of name: String) -> String? {
        switch (name, value) {
        case (field, _), ("key_not_after", .null): nil
        case ("status", .null): "unknown"
        case ("key_state", .null): "unknown: the app has no key of this id, or not any more"
        case ("shadowed", _): "yes"
        case ("expires_at", .integer(0)): "never"
        case ("issued_at", .integer(let moment)), ("expires_at", .integer(let moment)), ("key_not_after", .integer(let moment)):
            time(UnixSeconds(rawValue: UInt64(clamping: moment)))
        default: AdminText.text(value)
        }
    }

    private static func time(_ moment: UnixSeconds) -> String {
        // RFC 3339 has no date after 9999-12-31T23:59:59Z.
        let date = moment.rawValue > RFC3339.latest ? "after the year 9999" : RFC3339.text(moment.milliseconds)
        return "\(moment)  \(date)"
    }
}
