internal import CMicrohttpd

/// One HTTP response: status, headers and body, made once and given to any number of requests on any thread.
///
/// A response that never changes is made at start and shared, so that answering with it copies and allocates nothing of ours.
@safe
package final class Response: Sendable {
    /// The status code, 200 to 599.
    package let status: Int
    /// The headers beside those that the library adds (Date, Content-Length, Connection).
    package let headers: [(name: String, value: String)]
    /// The body as it is sent; empty for none.
    package let body: [UInt8]

    // libmicrohttpd counts references to a response under its own lock and never changes it once it is made, so both may be queued
    // from any thread (microhttpd.h, MHD_queue_response).
    nonisolated(unsafe) private let keepAlive: OpaquePointer
    nonisolated(unsafe) private let closing: OpaquePointer

    /// Makes a response.
    /// - Parameters:
    ///   - status: 200 to 599.
    ///   - headers: names and values that RFC 9110 allows; anything else is a programmer's mistake and traps.
    ///   - body: copied into the library.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        precondition((200...599).contains(status), "a response's status is 200 to 599")
        self.status = status
        self.headers = headers
        self.body = body
        unsafe keepAlive = Self.makeRaw(headers: headers, body: body)
        unsafe closing = Self.makeRaw(headers: headers + [("Connection", "close")], body: body)
    }

    deinit {
        unsafe MHD_destroy_response(keepAlive)
        unsafe MHD_destroy_response(closing)
    }

    /// Hands the response to libmicrohttpd, inside an access handler of `connection`.
    /// - Returns: what the access handler must return.
    func queue(on connection: OpaquePointer, closingConnection: Bool) -> MHD_Result {
        unsafe MHD_queue_response(connection, UInt32(status), closingConnection ? closing : keepAlive)
    }

    private static func makeRaw(headers: [(name: String, value: String)], body: [UInt8]) -> OpaquePointer {
        let made = unsafe body.withUnsafeBytes { bytes in
            // The library reads and copies; its parameter is not const for history's sake only.
            let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            return unsafe MHD_create_response_from_buffer(bytes.count, start, .RESPMEM_MUST_COPY)
        }
        guard let raw = unsafe made else { fatalError("out of memory while making a response") }
        for header in headers {
            precondition(
                unsafe MHD_add_response_header(raw, header.name, header.value) == .YES,
                "a header's name and value follow RFC 9110 section 5")
        }
        return unsafe raw
    }
}
