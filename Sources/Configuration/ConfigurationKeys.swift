/// The keys that an object of the configuration may have, and for each whether a reload takes over a change of it.
///
/// Each list stands beside its reader; a key is added as `live` or as `restart`.
struct ConfigurationKeys {
    /// The keys; some twice where lists are joined.
    let names: [String]
    /// For each key that cannot change while serving, the path by which a refused reload tells so.
    let fixed: [String: String]

    /// Keys that a reload takes over, and those of objects whose own keys tell.
    static func live(_ names: String...) -> Self { Self(names: names, fixed: [:]) }

    /// Keys that only a restart takes over.
    /// - Parameter part: the path by which a refused reload tells so.
    static func restart(_ part: String, _ names: String...) -> Self {
        Self(names: names, fixed: Dictionary(uniqueKeysWithValues: names.map { ($0, part) }))
    }

    static func + (left: Self, right: Self) -> Self {
        Self(names: left.names + right.names, fixed: left.fixed.merging(right.fixed) { first, _ in first })
    }
}
