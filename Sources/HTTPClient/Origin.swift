/// The origin of a URL: scheme, host and port as written, without userinfo, in lower case.
///
/// It only groups requests for the limit of connections. An origin written in two ways gets two groups; libcurl's own limit still holds.
struct Origin: Hashable, Sendable {
    // ASCII, so that comparing Strings by canonical equivalence is the same as comparing bytes.
    let text: String

    /// The group of all requests through a proxy without a tunnel, because libcurl counts their connections as the proxy's.
    static let proxy = Origin(text: "proxy")

    private init(text: String) {
        self.text = text
    }

    /// Parses a URL; nil unless it is `http://` or `https://` with a host, in visible ASCII.
    init?(_ url: String) {
        let bytes = url.utf8
        guard bytes.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
        guard let scheme = ["http://", "https://"].first(where: { Self.hasPrefix(bytes, $0) }) else { return nil }
        let rest = bytes.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { !Self.isDelimiter($0) }
        let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] } ?? authority
        guard let first = host.first, first != UInt8(ascii: ":") else { return nil }
        text = scheme + String(decoding: host.map(HeaderRules.lowercase), as: UTF8.self)
    }

    var isSecure: Bool {
        text.utf8.starts(with: "https:".utf8)
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"): true
        default: false
        }
    }

    private static func hasPrefix(_ bytes: String.UTF8View, _ prefix: String) -> Bool {
        HeaderRules.equalsIgnoringCase(bytes.prefix(prefix.utf8.count), prefix.utf8)
    }
}
