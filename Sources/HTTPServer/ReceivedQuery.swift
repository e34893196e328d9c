internal import CMicrohttpd

/// Copies the query of the request that a connection has received. Only for the thread that serves it.
func queryItems(of connection: OpaquePointer) -> [QueryItem] {
    var items: [QueryItem] = []
    unsafe withUnsafeMutablePointer(to: &items) { items in
        _ = unsafe MHD_get_connection_values_n(connection, .GET_ARGUMENT_KIND, takeQueryItem, items)
    }
    return items
}

private func takeQueryItem(
    context: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?, nameSize: Int,
    value: UnsafePointer<CChar>?, valueSize: Int
) -> MHD_Result {
    guard let items = unsafe context?.assumingMemoryBound(to: [QueryItem].self) else { return .NO }
    let name = unsafe Array(UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameSize))
    let value = unsafe Array(UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize))
    unsafe items.pointee.append(QueryItem(name: name, value: value))
    return .YES
}
