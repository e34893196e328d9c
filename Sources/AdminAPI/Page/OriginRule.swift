internal import Bytes
internal import HTTPServer

/// Checks that a change from a browser comes from the page of this listener.
///
/// Browsers do not send the cookie with requests from other sites. However, a site does not include the port, so a page of another program
/// on this machine belongs to the same site. A browser sends the origin of each change, and pages cannot forge it.
enum OriginRule {
    /// Whether the request's Origin matches its Host, and no other header contradicts this.
    /// - Parameter isSecure: whether the listener has TLS. If not, a proxy in front of it may have TLS.
    static func isOwn(_ request: borrowing Request, isSecure: Bool) -> Bool {
        var (origin, host, site): ([UInt8]?, [UInt8]?, [UInt8]?) = (nil, nil, nil)
        request.withHeader("Origin") { origin = bytes($0) }
        request.withHeader("Host") { host = bytes($0) }
        request.withHeader("Sec-Fetch-Site") { site = bytes($0) }
        guard let origin, let host, !host.isEmpty else { return false }
        let schemes = isSecure ? ["https://"] : ["http://", "https://"]
        let isSameSite = site.map { $0.elementsEqual("same-origin".utf8) } ?? true
        return isSameSite && schemes.contains { origin.elementsEqual(Array($0.utf8) + host) }
    }

    private static func bytes(_ span: Span<UInt8>?) -> [UInt8]? {
        guard let span else { return nil }
        return Array(copying: span)
    }
}
