internal import Bytes
internal import HTTPServer

/// The cookie that contains a session's id (RFC 6265). Scripts cannot read it, and browsers send it only with requests from the same site.
///
/// Browsers store cookies by host, without the port. The cookie is therefore valid only together with the session's secret, and its name
/// contains the port of the request, so that two services behind tunnels on one machine do not sign each other out.
struct SessionCookie {
    /// The header in which the page sends the session's secret.
    static let secretHeader: StaticString = "Deskgate-Session-Secret"
    private static let attributes = "; Path=/; HttpOnly; SameSite=Strict"

    /// With TLS, the prefix makes browsers reject the cookie from any other host or without TLS (RFC 6265bis section 4.1.3).
    private let prefix: String
    private let attributes: String

    /// Creates the cookie settings of a listener.
    /// - Parameter isSecure: whether the listener has TLS.
    init(isSecure: Bool) {
        prefix = isSecure ? "__Host-deskgate_session" : "deskgate_session"
        attributes = Self.attributes + (isSecure ? "; Secure" : "")
    }

    /// Returns the header that sets the cookie in the answer to a request. The cookie lasts until the browser is closed; the service may
    /// end the session earlier.
    func setting(_ id: String, for request: borrowing Request) -> (name: String, value: String) {
        ("Set-Cookie", "\(name(request))=\(id)\(attributes)")
    }

    /// Returns the header that deletes the cookie in the answer to a request.
    func deleting(for request: borrowing Request) -> (name: String, value: String) {
        ("Set-Cookie", "\(name(request))=\(attributes); Max-Age=0")
    }

    /// Returns the session secret of a request combined with each of its cookies of this name; empty when the request has no such cookie.
    ///
    /// Another port of the host can set cookies with this name. If these have a longer path, browsers send them before the session's own
    /// cookie (RFC 6265 section 5.4).
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

    /// Returns the values of the cookies with a name in a Cookie header, in order.
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
