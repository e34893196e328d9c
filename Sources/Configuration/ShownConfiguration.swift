package import JSON

/// The configuration file in force as operators may see it: without secrets, and of addresses no more than scheme, host and port, because
/// paths, queries and user names hold secrets too.
package struct ShownConfiguration: Sendable {
    /// What stands in the place of what is not shown.
    package static let mask = "•••"

    /// The file's value.
    package let value: JSONValue
    /// The files that were read, the configuration itself first; names alone.
    package let files: [String]

    /// Of a configuration that was not read from a file.
    init() {
        (value, files) = ([:], [])
    }

    /// Masks a file's value.
    /// - Parameter inlineSecrets: the secrets that stand in the file itself, where those are allowed.
    init(_ value: JSONValue, files: [String], inlineSecrets: Set<String>) {
        self.value = Self.masked(value, inlineSecrets)
        self.files = files
    }

    private static func masked(_ value: JSONValue, _ secrets: Set<String>) -> JSONValue {
        switch value {
        case .object(let object): .object(JSONObject(object.members.map { ($0.key, masked($0.value, secrets)) }))
        case .array(let elements): .array(elements.map { masked($0, secrets) })
        case .string(let text): .string(masked(text, secrets))
        default: value
        }
    }

    private static func masked(_ text: String, _ secrets: Set<String>) -> String {
        if secrets.contains(text) || SecretRules.looksLikeSecret(text) { return mask }
        return origin(of: text) ?? text
    }

    /// Scheme, host and port of an address, with the mask in place of all else; nil for what is no address.
    private static func origin(of text: String) -> String? {
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].last == UInt8(ascii: ":"), parts[1].isEmpty else { return nil }
        let authority = parts[2].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let host = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last ?? []
        let isWhole = host.count == parts[2].count && (parts.count == 3 || parts[3].isEmpty)
        let address = String(decoding: parts[0], as: UTF8.self) + "//" + String(decoding: host, as: UTF8.self)
        return isWhole ? text : "\(address)/\(mask)"
    }
}
