extension JSONElement {
    /// Removes white space between the tokens of a JSON text. Strings and numbers are unchanged.
    /// - Parameter maximumValues: the maximum number of values and keys.
    /// - Throws: when it is not JSON by the rules of `init(parsing:)`.
    package static func compacted(_ text: [UInt8], maximumValues: Int) throws(JSONError) -> [UInt8] {
        _ = try JSONTape.parsed(text.span, maximumDepth: JSONDocument.defaultDepth, maximumValues: maximumValues)
        var compact: [UInt8] = []
        compact.reserveCapacity(text.count)
        var (isInString, isEscaped) = (false, false)
        for byte in text {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else {
                    isInString = byte != UInt8(ascii: "\"")
                }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte <= UInt8(ascii: " ") {
                // Outside of strings, only white space has bytes up to a space.
                continue
            }
            compact.append(byte)
        }
        return compact
    }
}
