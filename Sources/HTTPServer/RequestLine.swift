internal import Bytes
internal import CMicrohttpd
internal import Glibc

/// The first line of a request in libmicrohttpd's receive buffer. The library puts a NUL after each part and reports no lengths, so a NUL
/// from the client would cut a part short here, but not for a proxy in front.
@safe
struct RequestLine {
    /// The length of "HTTP/1.1", which the library has checked.
    private static let versionSize = 8

    let method: UnsafeBufferPointer<UInt8>
    /// The target without its query.
    let path: UnsafeBufferPointer<UInt8>
    private let version: UnsafePointer<CChar>

    /// Takes the pointers that libmicrohttpd passes to the access handler.
    init(method: UnsafePointer<CChar>, path: UnsafePointer<CChar>, version: UnsafePointer<CChar>) {
        unsafe self.method = bytes(of: method)
        unsafe self.path = bytes(of: path)
        unsafe self.version = version
    }

    /// The path that is compared with the routes. If the target is in absolute form, which every server must accept, this is only its path
    /// (RFC 9112 section 3.2.2).
    var routedPath: UnsafeBufferPointer<UInt8> {
        guard let first = unsafe path.first, first != UInt8(ascii: "/") else { return unsafe path }
        for scheme: StaticString in ["http://", "https://"] {
            let count = scheme.utf8CodeUnitCount
            guard unsafe path.count > count, unsafe path.extracting(..<count).span.equalsIgnoringCase(scheme) else { continue }
            let rest = unsafe path.extracting(count...)
            guard let slash = unsafe rest.firstIndex(of: UInt8(ascii: "/")) else { break }
            return rest.extracting(slash...)
        }
        return unsafe path
    }

    /// Whether exactly one space separates the parts (RFC 9112 section 3).
    /// - Parameter targetEnd: the end of the target, query included.
    func isWellFormed(targetEnd: UnsafePointer<CChar>?) -> Bool {
        guard let methodStart = unsafe method.baseAddress, let pathStart = unsafe path.baseAddress else { return false }
        return unsafe methodStart + method.count + 1 == pathStart && targetEnd.map { unsafe $0 + 1 } == version
    }

    /// Whether the version is HTTP/1.0, which has no transfer encodings.
    var isHTTP10: Bool {
        unsafe version[Self.versionSize - 1] == CChar(bitPattern: UInt8(ascii: "0"))
    }

    /// The start of the first header, if the line ends in CR LF.
    var end: UnsafeRawPointer {
        unsafe UnsafeRawPointer(version + Self.versionSize + 2)
    }
}

private func bytes(of text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeRawBufferPointer(start: text, count: strlen(text)).bindMemory(to: UInt8.self)
}
