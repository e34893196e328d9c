internal import HTTPClient

/// A request to the admin listener.
package struct AdminRequest: Sendable {
    let method: ClientMethod
    /// Path and query.
    let target: String
    let body: [UInt8]

    /// - Parameter path: of plain characters.
    init(_ method: ClientMethod, _ path: String, query: [(name: String, text: String)] = [], body: [UInt8] = []) {
        self.method = method
        let parts = query.map { "\($0.name)=\(Self.escaped($0.text))" }
        target = path + (parts.isEmpty ? "" : "?\(parts.joined(separator: "&"))")
        self.body = body
    }

    /// Escapes all bytes but the unreserved ones (RFC 3986 section 2.3).
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
