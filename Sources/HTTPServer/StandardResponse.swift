/// The responses that the server sends without a handler.
package enum StandardResponse {
    /// 404 for a path that no route has.
    package static let notFound = Response.error(404, code: "not_found", message: "No such path.")
    /// 413 for a body over the route's limit.
    package static let bodyTooLarge = Response.error(413, code: "body_too_large", message: "The request body is over this path's limit.")
    /// 415 for a body that is compressed or otherwise encoded (RFC 9110 section 8.4).
    package static let encodedBody = Response.error(
        415, code: "encoded_body", message: "Send the body without Content-Encoding.", headers: [("Accept-Encoding", "identity")])
    /// 400 for a request line or a header that others might parse differently (RFC 9112 sections 3 and 5).
    package static let malformedRequest = Response.error(
        400, code: "malformed_request", message: "Send the request line and each header as one line that ends in CR LF.")
    /// 400 for a request whose body has no unambiguous end (RFC 9112 section 6.3).
    package static let ambiguousLength = Response.error(
        400, code: "ambiguous_length", message: "Send one Content-Length, or Transfer-Encoding: chunked, and not both.")
    /// 500 for a handler that dropped its request.
    package static let internalError = Response.error(500, code: "internal_error", message: "The request could not be answered.")
    /// 503 for a connection over the limit.
    package static let tooManyConnections = Response.error(
        503, code: "too_many_connections", message: "Too many connections; try again shortly.", headers: [("Retry-After", "1")])
    /// 503 for a large body when many others are in progress.
    package static let tooManyBodies = Response.error(
        503, code: "too_many_bodies", message: "Too many large requests at once; try again shortly.", headers: [("Retry-After", "1")])
    /// 503 for a suspended request whose deadline has passed.
    package static let deadlineExceeded = Response.error(
        503, code: "deadline_exceeded", message: "The request could not be answered in time; try again.", headers: [("Retry-After", "1")])
    /// 503 for a suspended request that a shutdown ends.
    package static let shuttingDown = Response.error(
        503, code: "shutting_down", message: "The service is stopping; try again.", headers: [("Retry-After", "1")])

    /// 405 with the methods that the path has (RFC 9110 section 15.5.6).
    package static func methodNotAllowed(_ allowed: [Method]) -> Response {
        let methods = allowed.map(\.token).joined(separator: ", ")
        return .error(405, code: "method_not_allowed", message: "This path answers \(methods).", headers: [("Allow", methods)])
    }
}
