internal import Bytes

/// An HTTP request method that a route may handle (RFC 9110 section 9); `other` is any other method.
package enum Method: Int, Sendable {
    case get
    case head
    case post
    case put
    case patch
    case delete
    case other

    /// Reads a method's token, which is case-sensitive (RFC 9110 section 9.1).
    init(token: Span<UInt8>) {
        self =
            if token.equals("GET") {
                .get
            } else if token.equals("POST") {
                .post
            } else if token.equals("HEAD") {
                .head
            } else if token.equals("PUT") {
                .put
            } else if token.equals("PATCH") {
                .patch
            } else if token.equals("DELETE") {
                .delete
            } else {
                .other
            }
    }

    /// The token in an Allow header.
    package var token: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .other: "OTHER"
        }
    }
}
