internal import Bytes
internal import HTTPServer

/// The cookie that carries a session's id (RFC 6265): no script reads it, and the browser sends it with requests of the same site alone.
///
/// Browsers keep cookies by host, whatever the port. So the port that the browser asked is part of the name: two services behind tunnels
/// on one machine do not sign each other out.
struct SessionCookie {
    private static let attributes = "; Path=/; HttpOnly; SameSite=Strict"

    /// With TLS the prefix has browsers refuse the cookie from any other host or without TLS (RFC 6265bis section 4.1.3).
    private let prefix: String
    private let attributes: String

    /// The cookie of a listener.
    /// - Parameter isSecure: whether the listener has TLS.
    init(isSecure: Bool) {
        prefix = isSecure ? "__Host-deskgate_session" : "deskgate_session"
        attributes = Self.attributes + (isSecure ? "; Secure" : "")
    }

    /// The header that sets it in the answer to a request. It lasts until the browser is closed; the service ends it earlier.
    func setting(_ id: String, for request: borrowing Request) -> (name: String, value: String) {
        ("Set-Cookie", "\(name(request))=\(id)\(attributes)")
    }

    /// The header that deletes it in the answer to a request.
    func deleting(for request: borrowing Request) -> (name: String, value: String) {
        ("Set-Cookie", "\(name(request))=\(attributes); Max-Age=0")
    }

    /// The session's id in a request; nil when the request has none.
    func id(of request: borrowing Request) -> [UInt8]? {
        let name = Array(name(request).utf8)
        var id: [UInt8]?
        request.withHeader("Cookie") { value in
            if let value { id = Self.value(of: name, in: value) }
        }
        return id
    }

    private func name(_ request: borrowing Request) -> String {
        var port = ""
        request.withHeader("Host") { value in
            if let value { port = HostRule.port(of: value) }
        }
        return port.isEmpty ? prefix : "\(prefix)_\(port)"
    }

    /// The value of the first cookie of a name in a Cookie header.
    static func value(of name: [UInt8], in header: Span<UInt8>) -> [UInt8]? {
        let bytes = Array(copying: header)
        for part in bytes.split(separator: UInt8(ascii: ";")) {
            let cookie = part.drop { $0 == UInt8(ascii: " ") }
            guard let equals = cookie.firstIndex(of: UInt8(ascii: "=")), cookie[..<equals].elementsEqual(name) else { continue }
            return Array(cookie[cookie.index(after: equals)...])
        }
        return nil
    }
}
