internal import Bytes
internal import CMicrohttpd

/// The headers that delimit a body or identify a request, read in one pass over all headers.
///
/// libmicrohttpd leaves the headers in its receive buffer and splits them with C's string functions: a value ends at a NUL, and a folded
/// line becomes part of the name. A proxy in front may read such headers differently, so each header must begin exactly where the one
/// before it ends.
@safe
struct RequestHeaders {
    /// The Content-Length; nil when there is none.
    private(set) var contentLength: UInt64?
    private(set) var isChunked = false
    /// Whether the client waits for 100 Continue before it sends the body.
    private(set) var expectsContinue = false
    /// Whether the body is compressed or otherwise encoded.
    private(set) var isEncoded = false
    /// Whether the end of the body is ambiguous, which allows request smuggling past a proxy (RFC 9112 section 6.3).
    private(set) var isAmbiguous = false
    /// Whether a header is not one line of a name, a colon and a value, ended by CR LF (RFC 9112 section 5).
    private(set) var isMalformed = false
    /// The caller's `X-Request-Id` without surrounding white space; empty if there is none.
    private(set) var requestID = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// The caller's `traceparent` without surrounding white space; empty if there is none, or more than one.
    private(set) var traceparent = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    private var hasTraceparent = false
    // The required start of the next header.
    private var next: UnsafeRawPointer

    /// Reads the headers of the request that `connection` has received.
    /// - Parameter line: the request's first line.
    init(of connection: OpaquePointer, after line: RequestLine) {
        unsafe next = line.end
        unsafe withUnsafeMutablePointer(to: &self) { headers in
            _ = unsafe MHD_get_connection_values_n(connection, .HEADER_KIND, takeHeader, headers)
        }
        let end = unsafe line.method.baseAddress.map { unsafe UnsafeRawPointer($0) + shim_MHD_get_request_header_size(connection) }
        isMalformed = unsafe isMalformed || end != next + 2
        isAmbiguous = isAmbiguous || isChunked && line.isHTTP10
    }

    /// Whether the request line or a header contains a CR that does not end a line. Only valid for a well-formed request.
    ///
    /// The library has overwritten the CRs that end lines with NULs.
    func holdsCarriageReturn(behind line: RequestLine) -> Bool {
        guard let start = unsafe line.method.baseAddress else { return false }
        return unsafe memchr(start, Int32(UInt8(ascii: "\r")), next - UnsafeRawPointer(start)) != nil
    }

    @inline(__always)
    fileprivate mutating func take(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard let nameStart = name.baseAddress, let valueStart = value.baseAddress else { return isMalformed = true }
        isMalformed = unsafe isMalformed || nameStart != next || isBlank(name.first) || isBlank(name.last)
        unsafe next = valueStart + value.count + 2
        let bytes = unsafe value.bindMemory(to: UInt8.self)
        switch unsafe take(name: name.bindMemory(to: UInt8.self).span, raw: bytes.span) {
        case .requestID: if unsafe requestID.isEmpty { unsafe requestID = withoutBlanks(bytes) }
        case .traceparent:
            unsafe traceparent = hasTraceparent ? UnsafeBufferPointer(start: nil, count: 0) : withoutBlanks(bytes)
            hasTraceparent = true
        case .contentEncoding:
            let value = unsafe withoutBlanks(bytes)
            isEncoded = unsafe isEncoded || !value.isEmpty && !value.span.equalsIgnoringCase("identity")
        case .expect: expectsContinue = unsafe withoutBlanks(bytes).span.equalsIgnoringCase("100-continue")
        case nil: break
        }
    }

    /// The headers whose values are trimmed.
    private enum Trimmed {
        case requestID, traceparent, contentEncoding, expect
    }

    /// - Parameter raw: the value with surrounding white space. libmicrohttpd delimits the body by that value, so it must not be
    ///   interpreted differently here.
    /// - Returns: which of the trimmed headers this is; nil for any other.
    @inline(__always)
    private mutating func take(name: Span<UInt8>, raw: Span<UInt8>) -> Trimmed? {
        if name.equalsIgnoringCase("content-length") {
            // libmicrohttpd has already rejected a value that is not a number.
            isAmbiguous = isAmbiguous || contentLength != nil || isChunked
            contentLength = raw.decimal
        } else if name.equalsIgnoringCase("transfer-encoding") {
            isAmbiguous = isAmbiguous || contentLength != nil || isChunked || !raw.equalsIgnoringCase("chunked")
            isChunked = true
        } else if name.equalsIgnoringCase("content-encoding") {
            return .contentEncoding
        } else if name.equalsIgnoringCase("expect") {
            return .expect
        } else if name.equalsIgnoringCase("x-request-id") {
            return .requestID
        } else if name.equalsIgnoringCase("traceparent") {
            return .traceparent
        }
        return nil
    }
}

private func takeHeader(
    context: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?, nameSize: Int,
    value: UnsafePointer<CChar>?, valueSize: Int
) -> MHD_Result {
    guard let headers = unsafe context?.assumingMemoryBound(to: RequestHeaders.self) else { return .NO }
    unsafe headers.pointee.take(
        name: UnsafeRawBufferPointer(start: name, count: nameSize), value: UnsafeRawBufferPointer(start: value, count: valueSize))
    return .YES
}

/// Whether a byte at the start or end of a header's name is missing or white space.
func isBlank(_ byte: UInt8?) -> Bool {
    byte == nil || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

extension Span<UInt8> {
    /// The bytes as a decimal number; nil for anything else and for more than 64 bits.
    var decimal: UInt64? {
        var result: UInt64 = 0
        for index in indices {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self[index]) else { return nil }
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(self[index] - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            result = sum
        }
        return isEmpty ? nil : result
    }
}
