internal import Bytes
internal import CMicrohttpd

/// A header's value without surrounding spaces and tabs, which are not part of it (RFC 9110 section 5.5). libmicrohttpd keeps trailing
/// ones.
func withoutBlanks(_ value: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    var value = unsafe value[...]
    while let first = unsafe value.first, isBlank(first) { unsafe value = value.dropFirst() }
    while let last = unsafe value.last, isBlank(last) { unsafe value = value.dropLast() }
    return unsafe UnsafeBufferPointer(rebasing: value)
}

/// Copies the values of all headers with a name, in order. Only for the thread that serves the connection.
/// - Parameter name: in lower case.
func headerValues(_ name: StaticString, of connection: OpaquePointer) -> [[UInt8]] {
    unsafe WantedHeaders(name, of: connection).values.map { unsafe Array($0) }
}

/// Calls a closure with the value of the only header with a name; nil when there is none or more than one. Only for the thread that serves
/// the connection.
func withOnlyHeader(_ name: StaticString, of connection: OpaquePointer, _ body: (Span<UInt8>?) -> Void) {
    let wanted = unsafe WantedHeaders(name, of: connection)
    unsafe body(wanted.values.count == 1 ? wanted.values[0].span : nil)
}

/// The values of all headers with a name, in libmicrohttpd's buffer until the request has been answered.
@safe
private struct WantedHeaders {
    let name: StaticString
    var values = unsafe [UnsafeBufferPointer<UInt8>]()

    init(_ name: StaticString, of connection: OpaquePointer) {
        self.name = name
        unsafe withUnsafeMutablePointer(to: &self) { wanted in
            _ = unsafe MHD_get_connection_values_n(connection, .HEADER_KIND, takeWantedHeader, wanted)
        }
    }
}

private func takeWantedHeader(
    context: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?, nameSize: Int,
    value: UnsafePointer<CChar>?, valueSize: Int
) -> MHD_Result {
    guard let wanted = unsafe context?.assumingMemoryBound(to: WantedHeaders.self) else { return .NO }
    let name = unsafe UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameSize).bindMemory(to: UInt8.self)
    guard unsafe name.span.equalsIgnoringCase(wanted.pointee.name) else { return .YES }
    let bytes = unsafe UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize).bindMemory(to: UInt8.self)
    unsafe wanted.pointee.values.append(withoutBlanks(bytes))
    return .YES
}
