/// A key that an object of the configuration may have.
///
/// The lists in this directory are the only definition of the configuration's keys: the readers take ranges and defaults from them, and the
/// JSON Schema and the tables of docs/CONFIGURATION.md are generated from them.
struct ConfigurationKey: Sendable {
    /// Whether a reload applies a change of the key.
    enum Change: String, Sendable {
        /// A reload applies the change. For an object, its own keys determine this.
        case live
        case restart
        /// A reload applies a change, but only a restart sets the key for the first time or removes it.
        case onceSet = "live once set"
    }

    /// The name in the file. An upper-case name is a placeholder for any name.
    let name: String
    /// The allowed values, and the default.
    let value: ConfigurationValue
    /// Whether a change requires a reload or a restart.
    let change: Change
    /// Whether the key is required in its object.
    let isRequired: Bool
    /// The effect of omitting the key, in Markdown; nil if the default describes it.
    let absence: String?
    /// The purpose in Markdown; empty for an object that its own keys explain.
    let meaning: String

    var isPlaceholder: Bool { name.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } }

    /// A key whose changes a reload applies.
    static func live(_ name: String, _ value: ConfigurationValue, without absence: String? = nil, meaning: String = "") -> Self {
        Self(name: name, value: value, change: .live, isRequired: false, absence: absence, meaning: meaning)
    }

    /// A key whose changes only a restart applies.
    static func restart(_ name: String, _ value: ConfigurationValue, without absence: String? = nil, meaning: String = "") -> Self {
        Self(name: name, value: value, change: .restart, isRequired: false, absence: absence, meaning: meaning)
    }

    /// A key whose changes a reload applies while the key stays in the configuration.
    static func onceSet(_ name: String, _ value: ConfigurationValue, meaning: String = "") -> Self {
        Self(name: name, value: value, change: .onceSet, isRequired: false, absence: nil, meaning: meaning)
    }

    /// A required key whose changes a reload applies.
    static func required(_ name: String, _ value: ConfigurationValue, meaning: String = "") -> Self {
        Self(name: name, value: value, change: .live, isRequired: true, absence: nil, meaning: meaning)
    }
}

/// The keys that an object of the configuration may have.
struct ConfigurationKeys: Sendable, ExpressibleByArrayLiteral {
    /// The keys in the order of the documentation.
    let all: [ConfigurationKey]

    init(arrayLiteral keys: ConfigurationKey...) { all = keys }

    /// Joins the keys of several objects. If a name occurs twice, the first key is used.
    init(_ keys: [ConfigurationKey]) { all = keys }

    /// The names of the keys. A name may occur twice if lists were joined.
    var names: [String] { all.map(\.name) }

    /// The names of the keys that only a restart can change, or set and remove.
    var fixed: Set<String> { Set(all.filter { $0.change != .live }.map(\.name)) }

    /// Returns the values of a key, which the list must contain.
    func value(of name: String) -> ConfigurationValue {
        guard let key = all.first(where: { $0.name == name }) else { preconditionFailure("no key \(name)") }
        return key.value
    }

    static func + (left: Self, right: Self) -> Self { Self(left.all + right.all) }
}
