internal import CMicrohttpd

/// What one connection answers with: the library's copy of a response, with the header that names the request.
///
/// libmicrohttpd shares one copy of a response between requests, headers included, so a header that differs needs a copy a request: some
/// ten allocations. A connection mostly gives the same answer again and again, so it keeps the last small one, and only the name in it is
/// written anew. No other thread uses that copy, so queueing it takes no lock that others wait for.
@safe
struct Reply: ~Copyable {
    // A larger body is not kept between requests.
    private static let keptBody = 1024

    private var raw: OpaquePointer?
    // Where the library keeps the value of the header, and its length. It copies both into the head of the reply on this thread, before
    // the handler of another request runs on it.
    private var name: UnsafeMutablePointer<UInt8>?
    private var nameCount = 0
    private var source: Response?
    // Compared instead of `source`, whose references all threads would count at once.
    private var sourceIdentity: ObjectIdentifier?

    init() {}

    deinit {
        if let raw = unsafe raw { unsafe MHD_destroy_response(raw) }
    }

    /// Hands a response to libmicrohttpd, inside an access handler of `connection`.
    /// - Parameter id: names the request.
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

    /// Lets go of what is too large to be kept; the answer has been sent.
    mutating func endRequest() {
        if let source, source.body.count > Self.keptBody { discard() }
    }

    /// Writes the request's name over the one before; false if there is none of that length.
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
        // The library's own memory, which only its interface calls constant.
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
