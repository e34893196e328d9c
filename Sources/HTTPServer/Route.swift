internal import Bytes

/// What answers a request: it must use up its `Responder`, and the `Answered` it returns proves that.
package typealias Handler = @Sendable (borrowing Request, consuming Responder) -> Answered

/// What judges a request by its head, before its body is received: the answer with which it is refused, nil to receive the body.
///
/// The request that it gets has no body. Of a refused request's body nothing is kept.
package typealias Admission = @Sendable (borrowing Request) -> Response?

/// One path with its methods' handlers.
package struct Route: Sendable {
    /// The path, compared byte by byte with the request's as it was sent; percent escapes are not decoded.
    ///
    /// One segment that starts with `:` is a parameter: it stands for any segment that is not empty, and the handler is lent what was
    /// sent. Nothing else of a path varies.
    package let path: StaticString
    /// The largest body in bytes; over it the request is answered 413.
    package let bodyLimit: Int
    /// The methods with their handlers. GET answers HEAD as well.
    package let handlers: [(method: Method, handler: Handler)]
    /// Judges requests before their bodies are received; nil to take all.
    let admission: Admission?
    /// How many bytes of the path stand before its parameter; nil when it has none.
    let prefixCount: Int?
    /// How many bytes of the path stand behind its parameter.
    let suffixCount: Int

    /// Makes a route.
    package init(
        _ path: StaticString, bodyLimit: Int = 0, admission: Admission? = nil, _ handlers: [(method: Method, handler: Handler)]
    ) {
        self.path = path
        self.admission = admission
        self.bodyLimit = bodyLimit
        self.handlers = handlers
        prefixCount = Self.prefixCount(of: path)
        suffixCount = Self.suffixCount(of: path, prefixCount)
    }

    /// Whether the path has a parameter.
    var hasParameter: Bool { prefixCount != nil }

    /// Whether a request for this path is this route's.
    func matches(_ requested: Span<UInt8>) -> Bool {
        prefixCount == nil ? requested.equals(path) : fillsParameter(requested)
    }

    /// Whether a path differs from this route's in nothing but the parameter's segment.
    private func fillsParameter(_ requested: Span<UInt8>) -> Bool {
        guard let prefixCount, requested.count > prefixCount + suffixCount else { return false }
        let end = requested.count - suffixCount
        guard requested.extracting(..<prefixCount).equals(prefixOf: path), hasSuffix(requested.extracting(end...)) else { return false }
        for index in prefixCount..<end where requested[index] == UInt8(ascii: "/") {
            return false
        }
        return true
    }

    private func hasSuffix(_ bytes: Span<UInt8>) -> Bool {
        let start = path.utf8CodeUnitCount - suffixCount
        for index in bytes.indices {
            guard unsafe bytes[index] == path.utf8Start[start + index] else { return false }
        }
        return true
    }

    private static func prefixCount(of path: StaticString) -> Int? {
        path.withUTF8Buffer { bytes in
            bytes.indices.dropFirst().first { unsafe bytes[$0] == UInt8(ascii: ":") && bytes[$0 - 1] == UInt8(ascii: "/") }
        }
    }

    private static func suffixCount(of path: StaticString, _ prefixCount: Int?) -> Int {
        guard let prefixCount else { return 0 }
        return path.withUTF8Buffer { bytes in
            let end = unsafe bytes.extracting(prefixCount...).firstIndex(of: UInt8(ascii: "/")).map { prefixCount + $0 } ?? bytes.count
            return bytes.count - end
        }
    }

    func handler(for method: Method) -> Handler? {
        let wanted: Method = method == .head ? .get : method
        for entry in handlers where entry.method == wanted {
            return entry.handler
        }
        return nil
    }

    var allowed: [Method] {
        handlers.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
    }
}
