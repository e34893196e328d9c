internal import Bytes
internal import HTTPServer

/// The cookie that carries a session's id (RFC 6265): no script reads it, and the browser sends it with requests of the same site alone.
struct SessionCookie {
    private static let attributes = "; Path=/; HttpOnly; SameSite=Strict"

    /// With TLS the prefix has browsers refuse the cookie from any other host or without TLS (RFC 6265bis section 4.1.3).
    private let name: String
    private let attributes: String

    /// The cookie of a listener.
    /// - Parameter isSecure: whether the listener has TLS.
    init(isSecure: Bool) {
        name = isSecure ? "__Host-deskgate_session" : "deskgate_session"
        attributes = Self.attributes + (isSecure ? "; Secure" : "")
    }

    /// The header that sets it. It lasts until the browser is closed; the service ends it earlier.
    func setting(_ id: String) -> (name: String, value: String) { ("Set-Cookie", "\(name)=\(id)\(attributes)") }

    /// The header that deletes it.
    var deleting: (name: String, value: String) { ("Set-Cookie", "\(name)=\(attributes); Max-Age=0") }

    /// The session's id in a request; nil when the request has none.
    func id(of request: borrowing Request) -> [UInt8]? {
        var id: [UInt8]?
        request.withHeader("Cookie") { value in
            if let value { id = Self.value(of: Array(name.utf8), in: value) }
        }
        return id
    }

    /// The value of the first cookie of a name in a Cookie header.
    static func value(of name: [UInt8], in header: Span<UInt8>) -> [UInt8]? {
        let bytes = header.indices.map { header[$0] }
        for part in bytes.split(separator: UInt8(ascii: ";")) {
            let cookie = part.drop { $0 == UInt8(ascii: " ") }
            guard let equals = cookie.firstIndex(of: UInt8(ascii: "=")), cookie[..<equals].elementsEqual(name) else { continue }
            return Array(cookie[cookie.index(after: equals)...])
        }
        return nil
    }
}
