internal import JSON

/// The notifiers of a configuration by name, including invalid ones, so that a mistake is reported once.
struct NamedNotifiers {
    /// In the order of the file.
    let names: [String]
    private let types: [String: NotifierType]
    /// Whether the names are known. If the whole is no object, only that is reported.
    let areKnown: Bool

    /// Reads the names and types; mistakes are reported by the readers of the notifiers.
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

    /// Whether there is, or may be, one of this name.
    func contains(_ name: String) -> Bool {
        !areKnown || names.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    /// nil when no notifier has this name, or its type is wrong.
    func type(of name: String) -> NotifierType? { types[name] }

    /// The problem of an unknown name.
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
