internal import Core
internal import Postgres

// PostgreSQL cannot store U+0000 in text, but names from outside may contain it. U+0000 is stored as U+0001 U+0001, and U+0001 as U+0001
// U+0002. This encoding is reversible and keeps the order of the bytes.

extension Parameter {
    /// A `text` parameter that may contain U+0000.
    static func stored(_ text: String?) -> Parameter { .text(text.map { escaped($0) }) }

    /// A `text[]` parameter whose elements may contain U+0000.
    static func storedArray(_ texts: [String?]) -> Parameter { .textArray(texts.map { $0.map { escaped($0) } }) }

    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 2 }) else { return text }
        return String(decoding: text.utf8.flatMap { $0 < 2 ? [1, $0 + 1] : [$0] }, as: UTF8.self)
    }
}

extension Row {
    /// Reads text that was written by `Parameter.stored`.
    func stored(_ column: Int) throws(PostgresError) -> String {
        let text = try string(column)
        guard text.utf8.contains(1) else { return text }
        var (bytes, isEscaped) = ([UInt8](), false)
        for byte in text.utf8 {
            if !isEscaped, byte == 1 {
                isEscaped = true
            } else {
                bytes.append(isEscaped ? byte - 1 : byte)
                isEscaped = false
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads text that was written by `Parameter.stored`; nil for NULL.
    func optionalStored(_ column: Int) throws(PostgresError) -> String? { isNull(column) ? nil : try stored(column) }

    func uuidv7(_ column: Int) throws(PostgresError) -> UUIDv7 {
        let bytes = try uuid(column)
        guard let id = UUIDv7(bytes: bytes.span) else { throw mismatch(column, "is not a UUID of version 7") }
        return id
    }
}
