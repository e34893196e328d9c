internal import Bytes
internal import HTTPServer

/// Checks that a change which a browser sends comes from the page of this very listener.
///
/// The cookie is not sent from other sites. But a site is a host whatever the port, so a page of another program on this machine counts as
/// the same site. A browser states the origin of each change, and no page can forge it.
enum OriginRule {
    /// Whether the request's Origin is its own Host, and the browser says nothing else.
    /// - Parameter isSecure: whether the listener has TLS. Without, a proxy before it may have.
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
