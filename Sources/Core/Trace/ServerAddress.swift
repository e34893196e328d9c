/// The server of a URL, for spans: without path and query, which may be confidential.
package struct ServerAddress: Sendable, Equatable {
    /// An IPv6 address has no brackets.
    package let host: String
    /// The scheme's default if the URL has none.
    package let port: Int

    /// Parses an `http` or `https` URL; nil without a host or with an invalid port.
    package init?(url: String) {
        let isSecure = url.utf8.starts(with: "https://".utf8)
        guard isSecure || url.utf8.starts(with: "http://".utf8) else { return nil }
        let rest = url.utf8.dropFirst(isSecure ? 8 : 7)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let isBracketed = authority.first == UInt8(ascii: "[")
        let name = isBracketed ? authority.dropFirst().prefix { $0 != UInt8(ascii: "]") } : authority.prefix { $0 != UInt8(ascii: ":") }
        guard !name.isEmpty else { return nil }
        let tail = authority.dropFirst(name.count + (isBracketed ? 2 : 0))
        if tail.first == UInt8(ascii: ":") {
            guard let port = Int(String(decoding: tail.dropFirst(), as: UTF8.self)), (1...65_535).contains(port) else { return nil }
            self.port = port
        } else {
            port = isSecure ? 443 : 80
        }
        host = String(decoding: name, as: UTF8.self)
    }
}
