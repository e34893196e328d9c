import JSON

@testable import Configuration

/// A row of a table of docs/CONFIGURATION.md whose first column is `key`.
struct DocumentedKey {
    let key, type: String
    /// The types of notifiers that have the key; one empty text for the other keys.
    let types: [String]
    /// The default: its value, `required`, `none` or `built in`.
    let standard: String
    /// The action that a change needs: `live`, `restart` or `live once set`.
    let change: String

    /// The bounds in the type's cell, such as `0 to 10`.
    var range: ClosedRange<Int>? {
        guard let found = type.firstMatch(of: /([0-9]+) to ([0-9]+)/), let low = Int(found.1), let high = Int(found.2) else { return nil }
        return low...high
    }

    /// Whether a value is of the type; null means no value.
    func takes(_ value: JSONValue) -> Bool {
        let word = type.prefix { $0 != "," }
        return switch value {
        case .string: ["text", "path", "address", "text or secret"].contains(word)
        case .integer: word == "integer" || word == "number"
        case .number: word == "number"
        case .bool: word == "boolean"
        case .null: word == "text"
        case .object: ConfigurationPlace.isSecret(value) ? ["secret", "secrets", "text or secret"].contains(word) : word == "object"
        case .array(let elements):
            elements.allSatisfy(ConfigurationPlace.isSecret)
                ? word == "secrets"
                : word == (elements.contains { if case .object = $0 { true } else { false } } ? "list of objects" : "list of text")
        }
    }

    /// The rows of all tables that have the columns `key`, `type` and `default`.
    static func all(in page: String) -> [DocumentedKey] {
        var (rows, columns) = ([DocumentedKey](), [String]())
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("| ") else {
                columns = []
                continue
            }
            let cells = line.dropFirst(2).dropLast(2).split(separator: " | ", omittingEmptySubsequences: false).map(String.init)
            if columns.isEmpty {
                columns = cells
            } else if columns.contains("key"), columns.contains("default"), cells.count == columns.count, cells[0].hasPrefix("`") {
                let cell = Dictionary(uniqueKeysWithValues: zip(columns, cells))
                rows.append(
                    DocumentedKey(
                        key: code(cells[0])[0], type: cell["type"] ?? "", types: types(cell["of types"]),
                        standard: standard(cell["default"] ?? ""), change: cell["change"] ?? "live"))
            }
        }
        return rows
    }

    private static func standard(_ cell: String) -> String {
        if cell.hasPrefix("`") { return code(cell)[0] }
        return ["required", "none", "built in"].first { cell.hasPrefix($0) } ?? cell
    }

    private static func types(_ cell: String?) -> [String] {
        guard let cell else { return [""] }
        guard cell.hasPrefix("all") else { return code(cell) }
        let others = code(cell)
        return NotifierType.allCases.map(\.rawValue).filter { !others.contains($0) }
    }

    /// The texts between backticks.
    private static func code(_ cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
