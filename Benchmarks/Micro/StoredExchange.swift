import HTTPServer

/// An exchange without a connection that stores its response, so that only the handler's own cost is measured.
// Sendable, because only the benchmark's thread uses it.
final class StoredExchange: Exchange, @unchecked Sendable {
    private static let requestID = Array("b3f2c1d0-0000-4000-8000-000000000001".utf8)

    private let contentType: [UInt8]
    private(set) var response: Response?

    /// - Parameter contentType: its only header.
    init(contentType: String) {
        self.contentType = Array(contentType.utf8)
    }

    func respond(_ response: Response) {
        self.response = response
    }

    func suspend(timeoutMilliseconds: UInt64) {
        preconditionFailure("authorizing never waits")
    }

    var isSuspended: Bool { false }

    func resume(with response: Response) -> Bool {
        preconditionFailure("authorizing never waits")
    }

    func withRequestID(_ body: (Span<UInt8>) -> Void) {
        let id = Self.requestID
        body(id.span)
    }

    func queryItems() -> [QueryItem] { [] }

    /// Passes the content type, the only header that authorization reads.
    func withHeader(_ name: StaticString, _ body: (Span<UInt8>?) -> Void) {
        let contentType = contentType
        body(contentType.span)
    }

    func headerValues(_ name: StaticString) -> [[UInt8]] { [] }

    func withHeader(named name: [UInt8], _ body: (Span<UInt8>?) -> Void) {
        preconditionFailure("authorizing asks for no header by such a name")
    }
}
