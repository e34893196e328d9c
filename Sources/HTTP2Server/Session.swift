internal import CNghttp2

/// The nghttp2 session of one connection: converts received bytes into calls of the callbacks below, and answers into bytes.
@safe
final class Session {
    private let raw: OpaquePointer

    /// Creates the session, and announces the maximum number of concurrent streams.
    /// - Parameter connection: receives the callbacks; it must outlive the session.
    init(_ connection: Connection, streamLimit: Int) {
        var callbacks = unsafe shim_ServerCallbacks(
            begin_headers: headersBegan, header: headerReceived, data_chunk: dataReceived, frame_received: frameReceived,
            stream_closed: streamClosed)
        let context = unsafe Unmanaged.passUnretained(connection).toOpaque()
        guard let raw = unsafe shim_nghttp2_session_server_new(&callbacks, context) else {
            fatalError("out of memory while creating an HTTP/2 session")
        }
        unsafe self.raw = raw
        limitStreams(streamLimit)
    }

    deinit {
        unsafe nghttp2_session_del(raw)
    }

    /// Processes received bytes. Returns false when they are not valid HTTP/2.
    func receive(_ bytes: Span<UInt8>) -> Bool {
        unsafe bytes.withUnsafeBufferPointer { unsafe nghttp2_session_mem_recv(raw, $0.baseAddress, $0.count) >= 0 }
    }

    /// Appends pending output until none is left or `output` has `limit` bytes.
    func send(into output: inout [UInt8], limit: Int) {
        while output.count < limit {
            var start: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(raw, &start)
            guard count > 0 else { return }
            unsafe output.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
        }
    }

    /// Whether the session neither expects nor has further data.
    var isOver: Bool {
        unsafe nghttp2_session_want_read(raw) == 0 && nghttp2_session_want_write(raw) == 0
    }

    /// Answers a stream; nghttp2 then reads the body through `answerWanted`.
    func respond(_ stream: Int32, _ response: HTTP2Response) {
        var bytes = response.headerBytes
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            guard var next = buffer.baseAddress else { return }
            let lines = unsafe response.headerCounts.map { counts in
                let line = unsafe nghttp2_nv(
                    name: next, value: next + counts.name, namelen: counts.name, valuelen: counts.value,
                    flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
                unsafe next += counts.name + counts.value
                return unsafe line
            }
            _ = unsafe shim_nghttp2_submit_response(raw, stream, lines, lines.count, response.body.isEmpty ? nil : answerWanted)
        }
    }

    func reset(_ stream: Int32, errorCode: UInt32) {
        unsafe nghttp2_submit_rst_stream(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, errorCode)
    }

    func goAway(lastStream: Int32, errorCode: UInt32, text: String) {
        let text = Array(text.utf8)
        unsafe nghttp2_submit_goaway(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), lastStream, errorCode, text, text.count)
    }

    func limitStreams(_ limit: Int) {
        unsafe shim_nghttp2_submit_stream_limit(raw, UInt32(clamping: limit))
    }

    /// The last stream that the client has opened; 0 when it has opened none.
    var lastStream: Int32 {
        unsafe nghttp2_session_get_last_proc_stream_id(raw)
    }
}

// The callbacks of nghttp2 run on the loop's thread, inside `Session.receive` and `Session.send`. Each callback gets the connection from
// the context, converts the arguments, and calls the connection. 0 means success; `shim_NGHTTP2_STREAM_FAILURE` resets the stream.

func headersBegan(session: OpaquePointer, frame: UnsafePointer<nghttp2_frame>, context: UnsafeMutableRawPointer?) -> Int32 {
    guard unsafe frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) else { return 0 }
    return unsafe withConnection(context) { connection in
        unsafe connection.beginStream(frame.pointee.hd.stream_id)
        return 0
    }
}

func headerReceived(
    session: OpaquePointer, frame: UnsafePointer<nghttp2_frame>, name: UnsafePointer<UInt8>, nameCount: Int,
    value: UnsafePointer<UInt8>, valueCount: Int, flags: UInt8, context: UnsafeMutableRawPointer?
) -> Int32 {
    let name = unsafe String(decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self)
    let value = unsafe String(decoding: UnsafeBufferPointer(start: value, count: valueCount), as: UTF8.self)
    return unsafe withConnection(context) { connection in
        unsafe connection.receiveHeader(name, value, stream: frame.pointee.hd.stream_id) ? 0 : shim_NGHTTP2_STREAM_FAILURE
    }
}

func dataReceived(
    session: OpaquePointer, flags: UInt8, stream: Int32, data: UnsafePointer<UInt8>, count: Int, context: UnsafeMutableRawPointer?
) -> Int32 {
    let part = unsafe UnsafeBufferPointer(start: data, count: count)
    return unsafe withConnection(context) { connection in
        unsafe connection.receiveBody(part.span, stream: stream)
        return 0
    }
}

func frameReceived(session: OpaquePointer, frame: UnsafePointer<nghttp2_frame>, context: UnsafeMutableRawPointer?) -> Int32 {
    let type = unsafe UInt32(frame.pointee.hd.type)
    let isWhole = unsafe UInt32(frame.pointee.hd.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
    guard isWhole, type == NGHTTP2_HEADERS.rawValue || type == NGHTTP2_DATA.rawValue else { return 0 }
    return unsafe withConnection(context) { connection in
        unsafe connection.finishRequest(frame.pointee.hd.stream_id)
        return 0
    }
}

func streamClosed(session: OpaquePointer, stream: Int32, errorCode: UInt32, context: UnsafeMutableRawPointer?) -> Int32 {
    unsafe withConnection(context) { connection in
        connection.endStream(stream, errorCode: errorCode)
        return 0
    }
}

/// Passes the next part of a response's body to nghttp2 (nghttp2_data_source_read_callback).
func answerWanted(
    session: OpaquePointer?, stream: Int32, buffer: UnsafeMutablePointer<UInt8>?, capacity: Int,
    flags: UnsafeMutablePointer<UInt32>?, source: UnsafeMutablePointer<nghttp2_data_source>?, context: UnsafeMutableRawPointer?
) -> Int {
    unsafe withConnection(context) { connection in
        let part = connection.takeAnswer(stream, limit: capacity)
        unsafe part.bytes.withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress { unsafe buffer?.update(from: start, count: bytes.count) }
        }
        if part.isLast { unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return part.bytes.count
    }
}

private func withConnection<Result>(_ context: UnsafeMutableRawPointer?, _ body: (Connection) -> Result) -> Result {
    guard let context = unsafe context else { preconditionFailure("a session must have a connection") }
    return unsafe Unmanaged<Connection>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
}

/// One stream with its request and answer. Only the thread of the connection's loop may use it.
final class OpenStream {
    /// The maximum number of header bytes that are kept.
    static let headerLimit = 64 * 1024

    var method = ""
    var path = ""
    var authority = ""
    var headers: [(name: String, value: String)] = []
    var headerBytes = 0
    var body: [UInt8] = []
    var isTruncated = false
    var isComplete = false
    /// Whether an answer was passed to nghttp2.
    var isAnswered = false
    /// The body of the response.
    var answer: [UInt8] = []
    var sent = 0

    /// Adds one header. Returns false when the headers have too many bytes.
    func receive(name: String, value: String) -> Bool {
        headerBytes += name.utf8.count + value.utf8.count + 32
        guard headerBytes <= Self.headerLimit else { return false }
        switch name {
        case ":method": method = value
        case ":path": path = value
        case ":authority": authority = value
        case let name where name.utf8.first == UInt8(ascii: ":"): break
        default: headers.append((name, value))
        }
        return true
    }
}
