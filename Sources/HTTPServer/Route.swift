internal import Bytes

/// Handles a request: it must consume its `Responder`; the returned `Answered` proves that.
package typealias Handler = @Sendable (borrowing Request, consuming Responder) -> Answered

/// Decides on a request by its head, before its body is received. Returns the answer that refuses it, or nil to receive the body.
///
/// The request that it gets has no body. The body of a refused request is discarded.
package typealias Admission = @Sendable (borrowing Request) -> Response?

/// One path with the handlers of its methods.
package struct Route: Sendable {
    /// The path, compared byte by byte with the request's path as sent; percent escapes are not decoded.
    ///
    /// One segment may be a parameter, written `:name`: it matches any segment that is not empty, and the handler can read the matched
    /// bytes. The rest of the path is fixed.
    package let path: StaticString
    /// The largest body in bytes; a larger one is answered 413.
    package let bodyLimit: Int
    /// The methods with their handlers. HEAD is answered by the handler of GET.
    package let handlers: [(method: Method, handler: Handler)]
    /// What each method takes and answers.
    package let descriptions: [Method: RouteDescription]
    /// Checks requests before their bodies are received; nil to accept all.
    let admission: Admission?
    /// How many bytes of the path come before its parameter; nil when it has none.
    let prefixCount: Int?
    /// How many bytes of the path follow its parameter.
    let suffixCount: Int

    /// Makes a route.
    package init(
        _ path: StaticString, bodyLimit: Int = 0, admission: Admission? = nil, described descriptions: [Method: RouteDescription] = [:],
        _ handlers: [(method: Method, handler: Handler)]
    ) {
        self.path = path
        self.descriptions = descriptions
        self.admission = admission
        self.bodyLimit = bodyLimit
        self.handlers = handlers
        prefixCount = Self.prefixCount(of: path)
        suffixCount = Self.suffixCount(of: path, prefixCount)
    }

    /// The same route, whose requests must pass another check before its own one and before their bodies are received.
    package func screened(by check: @escaping Admission) -> Route {
        Route(
            path, bodyLimit: bodyLimit,
            admission: { [admission] request in
                if let refusal = check(request) { return refusal }
                return admission?(request)
            }, described: descriptions, handlers)
    }

    /// Whether the path has a parameter.
    var hasParameter: Bool { prefixCount != nil }

    /// Whether this route has the requested path.
    func matches(_ requested: Span<UInt8>) -> Bool {
        prefixCount == nil ? requested.equals(path) : fillsParameter(requested)
    }

    /// Whether a path equals this route's except for the parameter's segment.
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
