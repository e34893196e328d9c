internal import CMicrohttpd

/// The library's copy of a response that one connection sends, with the request's id in a header.
///
/// libmicrohttpd shares a response, headers included, between requests. A header that differs would need a copy for each request: about ten
/// allocations. A connection mostly sends the same answer repeatedly, so it keeps the last small copy and only overwrites the id. No other
/// thread uses that copy, so queueing it takes no contended lock.
@safe
struct Reply: ~Copyable {
    // A larger body is not kept between requests.
    private static let keptBody = 1024

    private var raw: OpaquePointer?
    // The library's copy of the header's value, and its length. The library copies both into the reply's head on this thread, before it
    // runs the handler of another request there.
    private var name: UnsafeMutablePointer<UInt8>?
    private var nameCount = 0
    private var source: Response?
    // Compared instead of `source`, whose reference count is contended.
    private var sourceIdentity: ObjectIdentifier?

    init() {}

    deinit {
        if let raw = unsafe raw { unsafe MHD_destroy_response(raw) }
    }

    /// Passes a response to libmicrohttpd, inside an access handler of `connection`.
    /// - Parameter id: the request's id.
    /// - Returns: what the access handler must return.
    mutating func queue(
        _ response: Response, id: RequestID, on connection: OpaquePointer, closingConnection: Bool
    ) -> MHD_Result {
        if closingConnection {
            let last = unsafe response.makeRaw(named: id.text, closingConnection: true)
            defer { unsafe MHD_destroy_response(last) }
            return unsafe MHD_queue_response(connection, UInt32(response.status), last)
        }
        if sourceIdentity != ObjectIdentifier(response) || !rename(id) { keep(response, id) }
        return unsafe MHD_queue_response(connection, UInt32(response.status), raw)
    }

    /// Called when the answer was sent; releases a response that is too large to keep.
    mutating func endRequest() {
        if let source, source.body.count > Self.keptBody { discard() }
    }

    /// Overwrites the id in the header; false if the length differs.
    private mutating func rename(_ id: RequestID) -> Bool {
        guard let start = unsafe name else { return false }
        var fits = false
        id.withBytes { bytes in
            fits = bytes.count == nameCount
            guard fits else { return }
            for index in bytes.indices { unsafe start[index] = bytes[index] }
        }
        return fits
    }

    private mutating func keep(_ response: Response, _ id: RequestID) {
        discard()
        let text = id.text
        let made = unsafe response.makeRaw(named: text, closingConnection: false)
        unsafe raw = made
        // The library's own writable memory; only its interface declares it const.
        unsafe name = MHD_get_response_header(made, "X-Request-Id").map {
            unsafe UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: UInt8.self)
        }
        (nameCount, source, sourceIdentity) = (text.utf8.count, response, ObjectIdentifier(response))
    }

    private mutating func discard() {
        if let raw = unsafe raw { unsafe MHD_destroy_response(raw) }
        unsafe (raw, name) = (nil, nil)
        (source, sourceIdentity) = (nil, nil)
    }
}
