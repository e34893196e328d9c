internal import CNghttp2

// The functions that nghttp2 calls, on the loop's thread, inside `Session.receive` and `Session.send`. Each recovers the connection,
// converts, and delegates. 0 goes on; `shim_NGHTTP2_STREAM_FAILURE` resets the stream.

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

/// Gives nghttp2 the next part of a response's body (nghttp2_data_source_read_callback).
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
    guard let context = unsafe context else { preconditionFailure("a session is made with its connection") }
    return unsafe Unmanaged<Connection>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
}
