package import JSON

/// A key of the active configuration with its value.
package struct ConfigurationSetting: Sendable, Equatable {
    package enum Origin: String, Sendable, CaseIterable {
        case file
        /// The file does not have the key.
        case standard = "default"
    }

    /// A JSON path such as `$.listen.port`.
    package let path: String
    /// The value in the form of `ShownConfiguration`; for a secret, only its source.
    package let value: JSONValue
    package let origin: Origin
    /// Distinguishes different values within the process, even if they are displayed alike.
    let fingerprint: Int

    /// The JSON form in the admin API and in `deskgate config show`.
    package var json: JSONValue {
        ["path": .string(path), "value": value, "from": .string(origin.rawValue)]
    }
}

/// Collects the keys while a configuration is read, in the order of reading.
struct ConfigurationSettings {
    private var all: [(path: String, value: JSONValue, origin: ConfigurationSetting.Origin)] = []
    private var paths: Set<String> = []

    /// Records a value. Only the first value of a path is kept, because an object may be read twice.
    mutating func note(_ path: String, value: JSONValue, origin: ConfigurationSetting.Origin) {
        if paths.insert(path).inserted { all.append((path, value, origin)) }
    }

    /// Returns the keys without secrets. Omits objects and lists whose own keys are recorded.
    func shown(_ hidden: HiddenTexts) -> [ConfigurationSetting] {
        let containers = Set(paths.flatMap(Self.containers))
        return all.filter { !containers.contains($0.path) }.map { path, value, origin in
            ConfigurationSetting(
                path: path, value: ShownConfiguration(value, at: path, files: [], hidden: hidden).value, origin: origin,
                fingerprint: ConfigurationSources.digest(value.serialized()))
        }
    }

    /// Returns the paths of the objects and lists that contain a path.
    static func containers(of path: String) -> [String] {
        path.indices.filter { path[$0] == "." || path[$0] == "[" }.map { String(path[..<$0]) }
    }
}
