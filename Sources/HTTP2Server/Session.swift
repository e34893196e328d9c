internal import CNghttp2

/// nghttp2's side of one connection: turns bytes into calls of `SessionCallbacks.swift` and answers into bytes.
@safe
final class Session {
    private let raw: OpaquePointer

    /// Makes it and has it say how many streams may be open.
    /// - Parameter connection: what the callbacks are made on; it must outlive the session.
    init(_ connection: Connection, streamLimit: Int) {
        var callbacks = unsafe shim_ServerCallbacks(
            begin_headers: headersBegan, header: headerReceived, data_chunk: dataReceived, frame_received: frameReceived,
            stream_closed: streamClosed)
        let context = unsafe Unmanaged.passUnretained(connection).toOpaque()
        guard let raw = unsafe shim_nghttp2_session_server_new(&callbacks, context) else {
            fatalError("out of memory while making an HTTP/2 session")
        }
        unsafe self.raw = raw
        limitStreams(streamLimit)
    }

    deinit {
        unsafe nghttp2_session_del(raw)
    }

    /// Takes bytes that have arrived; false when they are not HTTP/2.
    func receive(_ bytes: Span<UInt8>) -> Bool {
        unsafe bytes.withUnsafeBufferPointer { unsafe nghttp2_session_mem_recv(raw, $0.baseAddress, $0.count) >= 0 }
    }

    /// Appends what is ready to be sent, until there is nothing more or `output` holds `limit` bytes.
    func send(into output: inout [UInt8], limit: Int) {
        while output.count < limit {
            var start: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(raw, &start)
            guard count > 0 else { return }
            unsafe output.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
        }
    }

    /// Whether nothing will be read or written any more.
    var isOver: Bool {
        unsafe nghttp2_session_want_read(raw) == 0 && nghttp2_session_want_write(raw) == 0
    }

    /// Answers a stream; its body is then asked for by `answerWanted`.
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

    /// The last stream that the client opened; 0 when it has opened none.
    var lastStream: Int32 {
        unsafe nghttp2_session_get_last_proc_stream_id(raw)
    }
}
