/// The fields of a log line, written in the order in which they are given.
///
/// Keys are the program's own words, none of them twice and none of `time`, `level`, `message`; a debug build traps on that.
package struct LogFields: ExpressibleByDictionaryLiteral, Sendable {
    private(set) var pairs: [(key: String, value: LogValue)]

    /// The fields of a literal such as `["app": .string(id), "count": .integer(2)]`.
    package init(dictionaryLiteral elements: (String, LogValue)...) {
        pairs = elements.map { (key: $0.0, value: $0.1) }
        assert(hasDistinctKeys, "log field key reserved or given twice")
    }

    /// Adds a field after those that are there.
    package mutating func append(_ key: String, _ value: LogValue) {
        pairs.append((key: key, value: value))
        assert(hasDistinctKeys, "log field key reserved or given twice")
    }

    /// Adds the fields of another line after those that are there.
    package mutating func append(_ fields: LogFields) {
        pairs += fields.pairs
        assert(hasDistinctKeys, "log field key reserved or given twice")
    }

    private var hasDistinctKeys: Bool {
        let keys = ["time", "level", "message"] + pairs.map(\.key)
        return Set(keys.map { Array($0.utf8) }).count == keys.count
    }
}
