/// Which kinds of device somebody is for.
package enum DeviceTypes: Sendable, Equatable {
    /// All.
    case all
    /// These.
    case only([String])
    /// All but these.
    case except([String])

    /// Whether a kind is among them; nil is a kind that nobody has named.
    package func contains(_ type: String?) -> Bool {
        switch self {
        case .all: true
        case .only(let types): Self.names(types, type)
        case .except(let types): !Self.names(types, type)
        }
    }

    private static func names(_ types: [String], _ type: String?) -> Bool {
        guard let type else { return false }
        return types.contains { $0.utf8.elementsEqual(type.utf8) }
    }
}
