internal import CCurl

// The functions that libcurl calls, on the client's thread, inside the functions of `MultiHandle`. Each recovers the Swift object, converts, and
// delegates. Returning another count than was given ends the transfer (CURLOPT_WRITEFUNCTION(3)).

private let refused = Int.max

func receiveHeaderLine(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return refused }
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count).bindMemory(to: UInt8.self)
    return unsafe Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { transfer in
        unsafe transfer.receiveHeaderLine(line.span) ? line.count : refused
    }
}

func receiveBodyPart(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return refused }
    let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count).bindMemory(to: UInt8.self)
    return unsafe Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { transfer in
        unsafe transfer.receiveBody(part.span) ? part.count : refused
    }
}

func openSocket(
    context: UnsafeMutableRawPointer?, purpose: curlsocktype, address: UnsafeMutablePointer<curl_sockaddr>
) -> curl_socket_t {
    guard let context = unsafe context else { return -1 }
    let address = unsafe address.pointee
    return unsafe Unmanaged<OpenSockets>.fromOpaque(context)._withUnsafeGuaranteedRef { sockets in
        sockets.open(family: address.family, type: address.socktype, protocol: address.`protocol`)
    }
}

func closeSocket(context: UnsafeMutableRawPointer?, socket: curl_socket_t) -> Int32 {
    guard let context = unsafe context else { return -1 }
    return unsafe Unmanaged<OpenSockets>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.close(socket) }
}
