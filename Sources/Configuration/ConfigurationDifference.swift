package import JSON

/// A key whose value differs between two configurations.
package struct ConfigurationDifference: Sendable, Equatable {
    /// The step that applies the changed value.
    package enum Effect: String, Sendable, CaseIterable {
        case reload, restart
    }

    /// A JSON path such as `$.listen.port`.
    package let path: String
    /// The active value in the form of `ShownConfiguration`; nil when the key has no active value, for example because its object is
    /// missing.
    package let inForce: JSONValue?
    /// The new value. For a secret, or an address with a path, it may look the same as the active value.
    package let next: JSONValue?
    /// The step that applies the new value.
    package let takesEffect: Effect
    /// Whether the key refers to the same file, but the contents of the file have changed.
    package let isContentOfFile: Bool

    package var json: JSONValue {
        [
            "path": .string(path), "in_force": inForce ?? .null, "file": next ?? .null,
            "takes_effect": .string(takesEffect.rawValue), "content": .bool(isContentOfFile),
        ]
    }
}

extension Configuration {
    /// Returns the changes that another configuration would make, in the order of its keys. Keys that it lacks come last.
    package func differences(to next: Configuration) -> [ConfigurationDifference] {
        let before = Dictionary(settings.map { ($0.path, $0) }) { first, _ in first }
        let after = Set(next.settings.map(\.path))
        let contents = sources.keysOfChangedFiles(in: next.sources)
        let fixed = Set(Set(self.fixed).symmetricDifference(next.fixed).map(\.path))
        func difference(_ path: String, former: JSONValue?, value: JSONValue?) -> ConfigurationDifference {
            ConfigurationDifference(
                path: path, inForce: former, next: value,
                takesEffect: ([path] + ConfigurationSettings.containers(of: path)).contains { fixed.contains($0) } ? .restart : .reload,
                isContentOfFile: contents.contains(path))
        }
        let given = next.settings.filter { contents.contains($0.path) || before[$0.path]?.fingerprint != $0.fingerprint }
        return given.map { difference($0.path, former: before[$0.path]?.value, value: $0.value) }
            + settings.filter { !after.contains($0.path) }.map { difference($0.path, former: $0.value, value: nil) }
    }
}
