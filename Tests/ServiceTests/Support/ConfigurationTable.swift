import JSON

@testable import Configuration

/// The tables of docs/CONFIGURATION.md, generated from the lists of keys that the parser uses.
enum ConfigurationTable {
    private struct Row: Hashable {
        let key, type, standard, change, meaning: String
    }

    /// The page with each of its tables regenerated, with the same keys of the root in the same order.
    static func renewed(_ page: String) -> String {
        var (lines, table) = ([String](), [String]())
        // An empty line after the last one ends the last table.
        for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("| ") {
                table.append(line)
            } else {
                lines += renewed(table)
                lines.append(line)
                table = []
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func renewed(_ table: [String]) -> [String] {
        guard table.count > 2, table[0].hasPrefix("| key | "), table[0].contains("| default |") else { return table }
        var roots: [String] = []
        for row in table.dropFirst(2) {
            let root = String(row.dropFirst(3).prefix { !".[`".contains($0) })
            if !roots.contains(root) { roots.append(root) }
        }
        let keys = ConfigurationReader.rootKeys.all
        let made = roots.flatMap { root in
            root == "notifiers" ? ofNotifiers() : keys.filter { $0.name == root }.flatMap { rows($0, in: "", .live) }.map(text)
        }
        return table.prefix(2) + made
    }

    /// The row of a key, if it is documented, and those of the keys below it.
    /// - Parameter around: the action that a change of the enclosing object needs.
    private static func rows(_ key: ConfigurationKey, in place: String, _ around: ConfigurationKey.Change) -> [Row] {
        let path = place + key.name
        let change = key.change == .live ? around : key.change
        let standard = key.absence ?? (key.isRequired ? "required" : key.value.standard.map { "`\(code($0))`" } ?? "none")
        let row = Row(key: path, type: key.value.type, standard: standard, change: change.rawValue, meaning: key.meaning)
        let isList = if case .objects = key.value { true } else { false }
        let below = key.value.keys.all.flatMap { rows($0, in: "\(path)\(isList ? "[]" : "").", change) }
        return (key.meaning.isEmpty ? [] : [row]) + below
    }

    private static func text(_ row: Row) -> String {
        "| `\(row.key)` | \(row.type) | \(row.standard) | \(row.change) | \(row.meaning) |"
    }

    /// The rows of the keys of notifiers: those of all types, then those of one, then those of several.
    private static func ofNotifiers() -> [String] {
        let all = NotifierType.allCases.map(\.rawValue)
        var (order, types) = ([Row](), [Row: [String]]())
        for type in NotifierType.allCases {
            for row in type.keys.all.flatMap({ rows($0, in: "notifiers.NAME.", .live) }) {
                if types[row] == nil { order.append(row) }
                types[row, default: []].append(type.rawValue)
            }
        }
        let groups = [
            order.filter { types[$0] == all }, order.filter { types[$0]?.count == 1 },
            order.filter { types[$0] != all && types[$0]?.count != 1 },
        ]
        return groups.flatMap(\.self).map { row in
            let some = types[row] ?? []
            let others = all.filter { !some.contains($0) }
            let list =
                others.isEmpty ? "all" : others.count == 1 ? "all but `\(others[0])`" : some.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(row.key)` | \(list) | \(row.type) | \(row.standard) | \(row.meaning) |"
        }
    }

    /// A text unchanged, other values as JSON.
    private static func code(_ value: JSONValue) -> String {
        if case .string(let text) = value { text } else { String(decoding: value.serialized(), as: UTF8.self) }
    }
}
