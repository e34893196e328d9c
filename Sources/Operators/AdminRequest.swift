internal import Bytes
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
        var bytes: [UInt8] = []
        for byte in text.utf8 { bytes.append(percentEncoding: byte) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
