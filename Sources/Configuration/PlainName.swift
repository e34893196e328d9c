/// The names that operators give to notifiers and to the holders of admin tokens. The log and metrics show them unchanged.
package enum PlainName {
    /// The description of valid names in messages.
    package static let expectation = "a name of 1 to 64 letters, digits, \"-\", \"_\" or \".\""
    private static let longest = 64

    package static func accepts(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy(isPart)
    }

    /// Converts a text to a valid name: replaces each other byte with `_`, and shortens the result.
    package static func resembling(_ text: String) -> String {
        let bytes = text.utf8.prefix(longest).map { isPart($0) ? $0 : UInt8(ascii: "_") }
        return bytes.isEmpty ? "_" : String(decoding: bytes, as: UTF8.self)
    }

    private static func isPart(_ byte: UInt8) -> Bool { SecretRules.isUnreserved(byte) && byte != UInt8(ascii: "~") }
}
