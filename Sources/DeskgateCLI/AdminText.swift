internal import JSON

/// Values of answers as people read them.
enum AdminText {
    /// A value without quotes; characters that would move the cursor or hide others are replaced.
    static func text(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text): visible(text)
        case .integer(let number): "\(number)"
        default: ""
        }
    }

    /// The text of a member, or of a member's member, such as `target.device_id`.
    static func text(of path: String, in object: JSONObject) -> String {
        let names = path.split(separator: ".", maxSplits: 1).map(String.init)
        guard names.count == 2 else { return text(object[path]) }
        guard case .object(let inner) = object[names[0]] else { return "" }
        return text(inner[names[1]])
    }

    /// A number of things: `1 try`, `2 tries`.
    static func count(_ value: JSONValue?, _ one: String, _ many: String) -> String {
        value == .integer(1) ? "1 \(one)" : "\(text(value)) \(many)"
    }

    /// Objects as a table with a heading.
    /// - Parameter columns: the heading and the member of each, as `text(of:in:)` takes it.
    static func table(_ objects: [JSONValue], _ columns: [(heading: String, key: String)]) -> String {
        let rows = objects.map { value in
            guard case .object(let object) = value else { return columns.map { _ in "" } }
            return columns.map { text(of: $0.key, in: object) }
        }
        return table([columns.map(\.heading)] + rows)
    }

    /// Rows in columns as wide as their widest text.
    private static func table(_ rows: [[String]]) -> String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].unicodeScalars.count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { column in
                column == row.count - 1
                    ? row[column] : row[column] + String(repeating: " ", count: widths[column] - row[column].unicodeScalars.count)
            }
            return cells.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    private static func visible(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(isInvisible(scalar) ? "?" : scalar) }
        return String(scalars)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
