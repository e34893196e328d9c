internal import JSON

/// The notifiers of a configuration by name. Invalid notifiers are included, so that references to them are not reported as further
/// mistakes.
struct NamedNotifiers {
    /// The names in the order of the file.
    let names: [String]
    private let types: [String: NotifierType]
    /// Whether the names could be read. If the value is not an object, only this mistake is reported.
    let areKnown: Bool

    /// Reads names and types. Other readers report the mistakes in the notifiers.
    init(in root: ConfigurationObject) {
        let value = root.value("notifiers")
        guard case .object(let object)? = value else {
            areKnown = value == nil
            names = ["log"]
            types = areKnown ? ["log": .log] : [:]
            return
        }
        areKnown = true
        names = object.members.map(\.key)
        types = Dictionary(object.members.compactMap { member in Self.type(of: member.value).map { (member.key, $0) } }) { first, _ in first
        }
    }

    /// Whether a notifier has, or may have, this name.
    func contains(_ name: String) -> Bool {
        !areKnown || names.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    /// Returns the type of a notifier; nil when no notifier has this name, or its type is invalid.
    func type(of name: String) -> NotifierType? { types[name] }

    /// Returns the problem text for an unknown name.
    func unknownName(_ name: String) -> String {
        if let nearest = NearestWord.nearest(to: name, in: names) {
            return "no notifier has this name; did you mean \"\(printable(nearest))\"?"
        }
        return "no notifier has this name; known are: \(names.map { printable($0) }.joined(separator: ", "))"
    }

    static func type(of value: JSONValue) -> NotifierType? {
        guard case .object(let object) = value, case .string(let type)? = object["type"] else { return nil }
        return NotifierType(rawValue: type)
    }
}
