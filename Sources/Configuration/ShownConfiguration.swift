package import JSON

/// The active configuration file in the form for operators, without secrets. Addresses show only scheme, host and port, because paths,
/// queries and user names may contain secrets. Headers show only their names.
package struct ShownConfiguration: Sendable {
    /// The replacement of hidden values.
    package static let mask = "•••"

    package let value: JSONValue
    /// The names of the files that were read, the configuration file first. Their contents are not included.
    package let files: [String]

    /// Creates the value for a configuration that was not read from a file.
    init() {
        (value, files) = ([:], [])
    }

    /// Masks the secrets in a value of a file.
    /// - Parameter path: the JSON path of the value.
    init(_ value: JSONValue, at path: String = "$", files: [String], hidden: HiddenTexts) {
        self.value = Self.masked(value, path: path, hidden: hidden)
        self.files = files
    }

    private static func masked(_ value: JSONValue, path: String, hidden: HiddenTexts) -> JSONValue {
        switch value {
        case .object(let object):
            .object(JSONObject(object.members.map { ($0.key, masked($0.value, path: "\(path).\(printable($0.key))", hidden: hidden)) }))
        case .array(let elements): .array(elements.enumerated().map { masked($0.element, path: "\(path)[\($0.offset)]", hidden: hidden) })
        case .string(let text):
            .string(hidden.contains(text, at: path) ? mask : origin(of: text) ?? (SecretRules.mayHoldSecret(text) ? mask : text))
        default: value
        }
    }

    /// Returns the scheme, host and port of an address, with the mask in place of the rest; nil for any other text.
    private static func origin(of text: String) -> String? {
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].last == UInt8(ascii: ":"), parts[1].isEmpty else { return nil }
        // The text may be a password that contains a slash.
        if parts.count == 4, parts[3].contains(UInt8(ascii: "@")) { return nil }
        let authority = parts[2].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let host = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last ?? []
        let isWhole = host.count == parts[2].count && (parts.count == 3 || parts[3].isEmpty)
        let address = String(decoding: parts[0], as: UTF8.self) + "//" + String(decoding: host, as: UTF8.self)
        return isWhole ? text : "\(address)/\(mask)"
    }
}

/// The texts of a configuration that are not shown.
struct HiddenTexts {
    /// Secrets in the configuration file itself, if `allow_insecure_secrets` permits them.
    var inlineSecrets: Set<String> = []
    /// The paths of texts that may be secrets, but need not be: the values of headers.
    var paths: Set<String> = []

    func contains(_ text: String, at path: String) -> Bool {
        inlineSecrets.contains(text) || paths.contains(path) || SecretRules.looksLikeSecret(text)
    }
}
