internal import CMicrohttpd

/// One HTTP response: status, headers and body. It is immutable and can be sent for any number of requests on any thread.
///
/// Constant responses are made at the start and shared. A connection that sends the same one repeatedly copies nothing.
package final class Response: Sendable {
    /// The status code, 200 to 599.
    package let status: Int
    /// The headers, except `X-Request-Id` and those that the library adds (Date, Content-Length, Connection).
    package let headers: [(name: String, value: String)]
    /// The body as sent; may be empty.
    package let body: [UInt8]

    /// Makes a response.
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

    /// Makes the library's copy; the caller destroys it.
    /// - Parameter name: the value of `X-Request-Id`.
    func makeRaw(named name: String, closingConnection: Bool) -> OpaquePointer {
        let made = unsafe body.withUnsafeBytes { bytes in
            // The library only reads and copies; its parameter is not const for historical reasons.
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
        // Swift would copy a text that is passed directly into an array.
        let added = unsafe header.withCString { header in unsafe value.withCString { unsafe MHD_add_response_header(raw, header, $0) } }
        precondition(added == .YES, "a header's name and value follow RFC 9110 section 5")
    }
}
