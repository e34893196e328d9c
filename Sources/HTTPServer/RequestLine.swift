internal import Bytes
internal import Glibc

/// The first line of a request where libmicrohttpd has received it: it puts a NUL behind each part and tells no lengths, so a NUL that
/// the client has sent would cut a part short for us alone, and not for a proxy before us.
@safe
struct RequestLine {
    /// "HTTP/1.1", which the library has checked.
    private static let versionSize = 8

    /// The method's token.
    let method: UnsafeBufferPointer<UInt8>
    /// The target without its query.
    let path: UnsafeBufferPointer<UInt8>
    private let version: UnsafePointer<CChar>

    /// Takes the parts as the access handler gets them.
    init(method: UnsafePointer<CChar>, path: UnsafePointer<CChar>, version: UnsafePointer<CChar>) {
        unsafe self.method = bytes(of: method)
        unsafe self.path = bytes(of: path)
        unsafe self.version = version
    }

    /// What routes are compared with: the path alone, also where the target is a whole address, which every server must take
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

    /// Whether one space stands between the parts, and nothing else (RFC 9112 section 3).
    /// - Parameter targetEnd: where the target ends, query and all.
    func isWellFormed(targetEnd: UnsafePointer<CChar>?) -> Bool {
        guard let methodStart = unsafe method.baseAddress, let pathStart = unsafe path.baseAddress else { return false }
        return unsafe methodStart + method.count + 1 == pathStart && targetEnd.map { unsafe $0 + 1 } == version
    }

    /// Whether it is HTTP/1.0, which has no transfer codings.
    var isHTTP10: Bool {
        unsafe version[Self.versionSize - 1] == CChar(bitPattern: UInt8(ascii: "0"))
    }

    /// Where the first header stands, the line having ended in CR LF.
    var end: UnsafeRawPointer {
        unsafe UnsafeRawPointer(version + Self.versionSize + 2)
    }
}

private func bytes(of text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeRawBufferPointer(start: text, count: strlen(text)).bindMemory(to: UInt8.self)
}
