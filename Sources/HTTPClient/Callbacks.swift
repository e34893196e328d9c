internal import CCurl
internal import Glibc

// The functions that libcurl calls, on the client's thread, inside `MultiHandle.perform`. Each recovers the Swift object, converts, and
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

/// Opens a socket that programs started by this process do not inherit, which libcurl leaves out.
func openSocket(
    context: UnsafeMutableRawPointer?, purpose: curlsocktype, address: UnsafeMutablePointer<curl_sockaddr>
) -> curl_socket_t {
    let type = unsafe address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return unsafe socket(address.pointee.family, type, address.pointee.`protocol`)
}
