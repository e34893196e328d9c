/// A key that an object of the configuration may have.
///
/// The lists beside this file are the only description of the configuration: the readers take ranges and defaults from them, and both the
/// JSON Schema and the tables of docs/CONFIGURATION.md are made of them.
struct ConfigurationKey: Sendable {
    /// Whether a reload takes over a change of a key.
    enum Change: String, Sendable {
        /// It does, or the keys of the object below say so.
        case live
        case restart
        /// It does, but only a restart sets the key for the first time, or removes it.
        case onceSet = "live once set"
    }

    /// The name in the file; a name in capitals is a placeholder for any name.
    let name: String
    /// The values that it may have, with the default.
    let value: ConfigurationValue
    /// Whether a reload takes over a change, or only a restart.
    let change: Change
    /// Whether it must be there wherever its object is.
    let isRequired: Bool
    /// The effect of leaving it out, in Markdown, unless the default says it all.
    let absence: String?
    /// The purpose in Markdown; empty for an object that only its own keys explain.
    let meaning: String

    var isPlaceholder: Bool { name.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } }

    /// A key that a reload takes over.
    static func live(_ name: String, _ value: ConfigurationValue, without absence: String? = nil, meaning: String = "") -> Self {
        Self(name: name, value: value, change: .live, isRequired: false, absence: absence, meaning: meaning)
    }

    /// A key that only a restart takes over.
    static func restart(_ name: String, _ value: ConfigurationValue, without absence: String? = nil, meaning: String = "") -> Self {
        Self(name: name, value: value, change: .restart, isRequired: false, absence: absence, meaning: meaning)
    }

    /// A key that a reload takes over while it stays in the configuration.
    static func onceSet(_ name: String, _ value: ConfigurationValue, meaning: String = "") -> Self {
        Self(name: name, value: value, change: .onceSet, isRequired: false, absence: nil, meaning: meaning)
    }

    /// A key that must be there, and that a reload takes over.
    static func required(_ name: String, _ value: ConfigurationValue, meaning: String = "") -> Self {
        Self(name: name, value: value, change: .live, isRequired: true, absence: nil, meaning: meaning)
    }
}

/// The keys that an object of the configuration may have.
struct ConfigurationKeys: Sendable, ExpressibleByArrayLiteral {
    /// In the order of the documentation.
    let all: [ConfigurationKey]

    init(arrayLiteral keys: ConfigurationKey...) { all = keys }

    /// The keys of several objects; the first of a name counts.
    init(_ keys: [ConfigurationKey]) { all = keys }

    /// The names; some twice where lists are joined.
    var names: [String] { all.map(\.name) }

    /// The names of the keys that only a restart changes, or sets and removes.
    var fixed: Set<String> { Set(all.filter { $0.change != .live }.map(\.name)) }

    /// The values of a key that the list must have.
    func value(of name: String) -> ConfigurationValue {
        guard let key = all.first(where: { $0.name == name }) else { preconditionFailure("no key \(name)") }
        return key.value
    }

    static func + (left: Self, right: Self) -> Self { Self(left.all + right.all) }
}
