internal import Bytes

// Names of hosts, mailboxes and resources.
extension TextFormat {
    /// Labels of 1 to 63 letters, digits and inner hyphens, together at most 253 (RFC 1123 section 2.1). The contents of Punycode labels
    /// are not checked.
    static func isHostname(_ text: ArraySlice<UInt8>) -> Bool {
        guard (1...253).contains(text.count) else { return false }
        return text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// RFC 5321 section 4.1.2: a local part of words or in quotes, and a host's name or an address in brackets.
    static func isMailbox(_ text: ArraySlice<UInt8>) -> Bool {
        guard let at = text.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let (local, domain) = (text[..<at], text[(at + 1)...])
        guard (1...64).contains(local.count) else { return false }
        let isQuoted = local.count >= 2 && local.first == UInt8(ascii: "\"") && local.last == UInt8(ascii: "\"")
        return (isQuoted ? isQuotedContent(local.dropFirst().dropLast()) : isDotted(local)) && isMailDomain(domain)
    }

    /// RFC 3986 section 3, and the absolute form with a fragment.
    static func isURI(_ text: ArraySlice<UInt8>) -> Bool {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), isScheme(text[..<colon]) else { return false }
        var rest = text[(colon + 1)...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            guard isPart(rest[(hash + 1)...], allowing: "/?:@") else { return false }
            rest = rest[..<hash]
        }
        if let question = rest.firstIndex(of: UInt8(ascii: "?")) {
            guard isPart(rest[(question + 1)...], allowing: "/?:@") else { return false }
            rest = rest[..<question]
        }
        guard rest.starts(with: "//".utf8) else { return isPart(rest, allowing: "/:@") }
        let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
        return isAuthority(authority) && isPart(rest[authority.endIndex...], allowing: "/:@")
    }

    private static func isDotted(_ local: ArraySlice<UInt8>) -> Bool {
        local.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty && word.allSatisfy { isAlphanumeric($0) || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
        }
    }

    private static func isQuotedContent(_ text: ArraySlice<UInt8>) -> Bool {
        var isEscaped = false
        for byte in text {
            guard (0x20..<0x7F).contains(byte) else { return false }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return false
            }
        }
        return !isEscaped
    }

    private static func isMailDomain(_ domain: ArraySlice<UInt8>) -> Bool {
        guard domain.first == UInt8(ascii: "["), domain.last == UInt8(ascii: "]") else { return isHostname(domain) }
        let literal = String(decoding: domain.dropFirst().dropLast(), as: UTF8.self)
        let prefix = "IPv6:"
        return literal.hasPrefix(prefix) ? ipv6.accepts(String(literal.dropFirst(prefix.count))) : ipv4.accepts(literal)
    }

    private static func isScheme(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, isAlphanumeric(first), !isDigit(first) else { return false }
        return text.allSatisfy { isAlphanumeric($0) || "+-.".utf8.contains($0) }
    }

    private static func isAuthority(_ text: ArraySlice<UInt8>) -> Bool {
        var host = text
        if let at = text.lastIndex(of: UInt8(ascii: "@")) {
            guard isPart(text[..<at], allowing: ":") else { return false }
            host = text[(at + 1)...]
        }
        if host.first == UInt8(ascii: "[") {
            guard let bracket = host.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = String(decoding: host[(host.startIndex + 1)..<bracket], as: UTF8.self)
            return ipv6.accepts(address) && isPort(host[(bracket + 1)...])
        }
        let name = host.prefix { $0 != UInt8(ascii: ":") }
        return isPart(name, allowing: "") && isPort(host[name.endIndex...])
    }

    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        text.isEmpty || text.first == UInt8(ascii: ":") && text.dropFirst().allSatisfy(isDigit)
    }

    /// Unreserved characters, sub-delimiters, percent-encoded bytes, and a few others.
    private static func isPart(_ text: ArraySlice<UInt8>, allowing others: String) -> Bool {
        let text = text.span
        var index = 0
        while index < text.count {
            let byte = text[index]
            if PercentEncoding.byte(at: index, in: text) != nil {
                index += 3
            } else if isAlphanumeric(byte) || "-._~!$&'()*+,;=".utf8.contains(byte) || others.utf8.contains(byte) {
                index += 1
            } else {
                return false
            }
        }
        return true
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
