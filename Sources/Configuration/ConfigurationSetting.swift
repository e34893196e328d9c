package import JSON

/// A key of the configuration that is in force.
package struct ConfigurationSetting: Sendable, Equatable {
    package enum Origin: String, Sendable, CaseIterable {
        case file
        /// The file does not have the key.
        case standard = "default"
    }

    /// A JSON path such as `$.listen.port`.
    package let path: String
    /// The value as `ShownConfiguration` shows it; for a secret only its source.
    package let value: JSONValue
    package let origin: Origin
    /// Tells another value from this one within the process, also where both are shown alike.
    let fingerprint: Int

    /// The form of the admin listener and `deskgate config show`.
    package var json: JSONValue {
        ["path": .string(path), "value": value, "from": .string(origin.rawValue)]
    }
}

/// Gathers the keys that are in force while a configuration is read, in the order of reading.
struct ConfigurationSettings {
    private var all: [(path: String, value: JSONValue, origin: ConfigurationSetting.Origin)] = []
    private var paths: Set<String> = []

    /// Notes a value. What is noted of a path first counts, as an object may be read twice.
    mutating func note(_ path: String, value: JSONValue, origin: ConfigurationSetting.Origin) {
        if paths.insert(path).inserted { all.append((path, value, origin)) }
    }

    /// The keys without the objects and lists whose own keys are noted, and without secrets.
    func shown(_ hidden: HiddenTexts) -> [ConfigurationSetting] {
        let containers = Set(paths.flatMap(Self.containers))
        return all.filter { !containers.contains($0.path) }.map { path, value, origin in
            ConfigurationSetting(
                path: path, value: ShownConfiguration(value, at: path, files: [], hidden: hidden).value, origin: origin,
                fingerprint: ConfigurationSources.digest(value.serialized()))
        }
    }

    /// The paths of the objects and lists that a path leads through.
    static func containers(of path: String) -> [String] {
        path.indices.filter { path[$0] == "." || path[$0] == "[" }.map { String(path[..<$0]) }
    }
}
