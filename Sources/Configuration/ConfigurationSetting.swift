package import JSON

/// A key of the configuration that is in force.
package struct ConfigurationSetting: Sendable, Equatable {
    /// Where a value comes from.
    package enum Origin: String, Sendable {
        /// The configuration file.
        case file
        /// The file does not have the key.
        case standard = "default"
    }

    /// Its JSON path, such as `$.listen.port`.
    package let path: String
    /// Its value, as `ShownConfiguration` shows it: of a secret only where it comes from.
    package let value: JSONValue
    /// Where the value comes from.
    package let origin: Origin
}

/// Gathers the keys that are in force while a configuration is read, in the order of reading.
struct ConfigurationSettings {
    private var all: [ConfigurationSetting] = []
    private var paths: Set<String> = []

    /// Notes a value. What is noted of a path first counts, as an object may be read twice.
    mutating func note(_ path: String, _ value: JSONValue, _ origin: ConfigurationSetting.Origin) {
        if paths.insert(path).inserted { all.append(ConfigurationSetting(path: path, value: value, origin: origin)) }
    }

    /// The keys without the objects and lists whose own keys are noted, and without secrets.
    func shown(inlineSecrets: Set<String>) -> [ConfigurationSetting] {
        let containers = Set(paths.flatMap(Self.containers))
        return all.filter { !containers.contains($0.path) }.map { setting in
            let value = ShownConfiguration(setting.value, files: [], inlineSecrets: inlineSecrets).value
            return ConfigurationSetting(path: setting.path, value: value, origin: setting.origin)
        }
    }

    /// The paths of the objects and lists that a path leads through.
    private static func containers(of path: String) -> [String] {
        path.indices.filter { path[$0] == "." || path[$0] == "[" }.map { String(path[..<$0]) }
    }
}
