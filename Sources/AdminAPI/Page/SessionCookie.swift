internal import Bytes
internal import HTTPServer

/// The cookie that carries a session's id (RFC 6265): no script reads it, and the browser sends it with requests of the same site alone.
///
/// Browsers keep cookies by host, whatever the port. So the cookie counts only beside the session's secret, and the port that the browser
/// asked is part of its name: two services behind tunnels on one machine do not sign each other out.
struct SessionCookie {
    /// The header in which the page sends the session's secret.
    static let secretHeader: StaticString = "Deskgate-Session-Secret"
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

    /// The session's secret of a request with each of its cookies of this name; empty when the request has no such cookie.
    ///
    /// Another port of the host can set cookies of this name. With a longer path, browsers send them before the session's own (RFC 6265
    /// section 5.4).
    func credentials(of request: borrowing Request) throws(SessionProblem) -> [SessionCredential] {
        let name = Array(name(request).utf8)
        var ids: [String] = []
        request.withHeader("Cookie") { value in
            if let value { ids = Self.values(of: name, in: value) }
        }
        if ids.isEmpty { return [] }
        var secret: String?
        request.withHeader(Self.secretHeader) { value in
            if let value { secret = String(repairing: value) }
        }
        guard let secret else { throw .secretMissing }
        return ids.map { SessionCredential(id: $0, secret: secret) }
    }

    private func name(_ request: borrowing Request) -> String {
        var port = ""
        request.withHeader("Host") { value in
            if let value { port = HostRule.port(of: value) }
        }
        return port.isEmpty ? prefix : "\(prefix)_\(port)"
    }

    /// The values of the cookies of a name in a Cookie header, in order.
    private static func values(of name: [UInt8], in header: Span<UInt8>) -> [String] {
        var values: [String] = []
        let bytes = Array(copying: header)
        for part in bytes.split(separator: UInt8(ascii: ";")) {
            let cookie = part.drop { $0 == UInt8(ascii: " ") }
            guard let equals = cookie.firstIndex(of: UInt8(ascii: "=")), cookie[..<equals].elementsEqual(name) else { continue }
            let value = cookie[cookie.index(after: equals)...]
            values.append(String(repairing: value.span))
        }
        return values
    }
}
