internal import CMicrohttpd

/// One HTTP response: status, headers and body. It is immutable and can be sent for any number of requests on any thread.
///
/// Constant responses are created at startup and shared. A connection that repeatedly sends the same one copies nothing.
package final class Response: Sendable {
    /// The status code, 200 to 599.
    package let status: Int
    /// The headers, except `X-Request-Id` and those that the library adds (Date, Content-Length, Connection).
    package let headers: [(name: String, value: String)]
    /// The body as sent; may be empty.
    package let body: [UInt8]

    /// - Parameters:
    ///   - status: 200 to 599.
    ///     - headers: names and values that RFC 9110 allows; traps on any other.
    ///   - body: copied into the library.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        precondition((200...599).contains(status), "a response's status is 200 to 599")
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Makes libmicrohttpd's copy of the response; the caller destroys it.
    /// - Parameter name: the value of `X-Request-Id`.
    func makeRaw(named name: String, closingConnection: Bool) -> OpaquePointer {
        let made = unsafe body.withUnsafeBytes { bytes in
            // libmicrohttpd only reads and copies it; the parameter is not const for historical reasons.
            let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            return unsafe MHD_create_response_from_buffer(bytes.count, start, .RESPMEM_MUST_COPY)
        }
        guard let raw = unsafe made else { fatalError("out of memory while making a response") }
        for (header, value) in headers { unsafe Self.add(header, value, to: raw) }
        unsafe Self.add("X-Request-Id", name, to: raw)
        if closingConnection { unsafe Self.add("Connection", "close", to: raw) }
        return unsafe raw
    }

    private static func add(_ header: String, _ value: String, to raw: OpaquePointer) {
        // Swift would copy a string that is passed directly into an array.
        let added = unsafe header.withCString { header in unsafe value.withCString { unsafe MHD_add_response_header(raw, header, $0) } }
        precondition(added == .YES, "a header's name and value follow RFC 9110 section 5")
    }
}
