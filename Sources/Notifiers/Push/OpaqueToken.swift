/// Tokens of providers that say nothing of their form (FCM, RuStore, HMS).
enum OpaqueToken {
    /// The longest that is taken, in bytes; real ones have about 170. It leaves the message its room.
    static let longest = 1024

    /// Whether it may be one: visible ASCII characters that JSON does not escape.
    static func isValid(_ token: String) -> Bool {
        (1...longest).contains(token.utf8.count)
            && token.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}
