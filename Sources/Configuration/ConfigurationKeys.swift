/// The keys that an object of the configuration may have, and for each whether a reload takes over a change of it.
///
/// Each list stands beside its reader; a key is added as `live` or as `restart`.
struct ConfigurationKeys {
    /// The keys; some twice where lists are joined.
    let names: [String]
    /// The names of the keys that only a restart changes.
    let fixed: Set<String>

    /// Keys that a reload takes over, and those of objects whose own keys tell.
    static func live(_ names: String...) -> Self { Self(names: names, fixed: []) }

    /// Keys that only a restart takes over.
    static func restart(_ names: String...) -> Self { Self(names: names, fixed: Set(names)) }

    static func + (left: Self, right: Self) -> Self {
        Self(names: left.names + right.names, fixed: left.fixed.union(right.fixed))
    }
}
