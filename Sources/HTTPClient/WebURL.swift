internal import CCurl
internal import Glibc

/// An absolute http or https URL without credentials and fragment, parsed by libcurl: the URL that is checked here is the one that libcurl
/// connects to.
///
/// Hosts are in lower case; numbers that inet_aton(3) treats as IPv4 addresses are dotted decimals, internationalised names are in
/// Punycode, and bytes beyond ASCII are percent-encoded. So two URLs with the same text are equal.
package struct WebURL: Sendable, Hashable {
    /// The reason why a text is no such URL. Contains no part of the text.
    package enum Problem: Error, Equatable, Sendable {
        /// It is longer than `longest`.
        case tooLong
        /// libcurl cannot read it, or its host is not a name or an address.
        case malformed
        /// The scheme is not http or https.
        case scheme
        /// It has a user name or a password.
        case credentials
    }

    /// The longest URL, in bytes of UTF-8.
    package static let longest = 4096

    /// The URL, in visible ASCII.
    package let text: String
    /// The host's name or address, an IPv6 address without brackets.
    package let host: String
    package let port: UInt16

    package init(_ text: String) throws(Problem) {
        try self.init(text, of: nil)
    }

    /// The target of a reference on this page (RFC 3986 section 5), such as the value of `Location`.
    package func resolving(_ reference: String) throws(Problem) -> WebURL {
        // libcurl treats a fragment alone as the name of another page.
        reference.utf8.first == UInt8(ascii: "#") ? self : try WebURL(reference, of: self)
    }

    private init(_ text: String, of base: WebURL?) throws(Problem) {
        guard text.utf8.count <= Self.longest else { throw .tooLong }
        // The C function would read a text up to its first NUL.
        guard !text.isEmpty, !text.utf8.contains(0) else { throw .malformed }
        let parts = URLParts()
        if let base { try parts.read(base.text) }
        try parts.read(text)
        guard ["http", "https"].contains(parts.text(CURLUPART_SCHEME)) else { throw .scheme }
        guard let (host, url) = parts.normalized(), let port = parts.text(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap(UInt16.init) else {
            throw .malformed
        }
        guard url.utf8.count <= Self.longest, url.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { throw .malformed }
        (self.text, self.host, self.port) = (url, host, port)
    }
}

/// A URL in libcurl's parser (libcurl-url(3)).
@safe
private final class URLParts {
    private let raw: OpaquePointer

    init() {
        _ = CurlLibrary.prepared
        guard let raw = unsafe curl_url() else { fatalError("out of memory while reading a URL") }
        unsafe self.raw = raw
    }

    deinit {
        unsafe curl_url_cleanup(raw)
    }

    /// Reads an absolute URL, or one that is relative to the previous one.
    func read(_ text: String) throws(WebURL.Problem) {
        let flags = UInt32(CURLU_URLENCODE | CURLU_DISALLOW_USER)
        switch unsafe curl_url_set(raw, CURLUPART_URL, text, flags) {
        case CURLUE_OK: break
        case CURLUE_USER_NOT_ALLOWED: throw .credentials
        case CURLUE_UNSUPPORTED_SCHEME: throw .scheme
        default: throw .malformed
        }
    }

    /// A part; nil when there is none.
    func text(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(raw, part, &text, UInt32(flags)) == CURLUE_OK, let found = unsafe text else { return nil }
        defer { unsafe curl_free(found) }
        return unsafe String(validatingCString: found)
    }

    /// The host and the URL in normal form; nil when the host is not a name or an address.
    func normalized() -> (host: String, url: String)? {
        // The names of interfaces have a meaning only on this machine (RFC 6874).
        guard text(CURLUPART_ZONEID) == nil, let host = Self.readingUTF8({ text(CURLUPART_HOST, CURLU_PUNYCODE) })?.lowercased() else {
            return nil
        }
        let isBracketed = host.hasPrefix("[")
        let isValid = isBracketed ? host.utf8.allSatisfy(Self.isAddressByte) : host.utf8.allSatisfy(Self.isNameByte)
        guard isValid, set(CURLUPART_HOST, host), set(CURLUPART_FRAGMENT, nil) else { return nil }
        guard let url = text(CURLUPART_URL, CURLU_NO_DEFAULT_PORT) else { return nil }
        return (isBracketed ? String(host.dropFirst().dropLast()) : host, url)
    }

    private func set(_ part: CURLUPart, _ text: String?) -> Bool {
        guard let text else { return unsafe curl_url_set(raw, part, nil, 0) == CURLUE_OK }
        return unsafe curl_url_set(raw, part, text, 0) == CURLUE_OK
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        "0123456789abcdef:.[]".utf8.contains(byte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    // libcurl assumes that an internationalised name is encoded in the thread's locale, which is ASCII by default.
    nonisolated(unsafe) private static let utf8 = unsafe newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)

    private static func readingUTF8<Result>(_ body: () -> Result) -> Result {
        guard let utf8 = unsafe utf8 else { return body() }
        let before = unsafe uselocale(utf8)
        defer { _ = unsafe uselocale(before) }
        return body()
    }
}
