internal import CMicrohttpd
internal import Glibc

// The functions that libmicrohttpd calls, on its own threads. Each recovers the Swift object, converts the arguments, and delegates. None
// is a closure, because a closure could be isolated to an actor and would trap on these threads.

func answerToConnection(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>, upload: UnsafePointer<CChar>?, uploadSize: UnsafeMutablePointer<Int>,
    request: UnsafeMutablePointer<UnsafeMutableRawPointer?>
) -> MHD_Result {
    guard let pointer = unsafe request.pointee else { return .NO }
    let connection = unsafe Unmanaged<Connection>.fromOpaque(pointer)
    return unsafe connection._withUnsafeGuaranteedRef { connection in
        if connection.takesHeaders() {
            return unsafe connection.receiveHeaders(RequestLine(method: method, path: url, version: version))
        }
        guard let upload = unsafe upload, unsafe uploadSize.pointee > 0 else { return connection.finishRequest() }
        let part = unsafe UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee).bindMemory(to: UInt8.self)
        unsafe uploadSize.pointee = 0
        return unsafe connection.receive(part)
    }
}

/// Called when the request line has arrived. The library passes the returned pointer as `request` to the other callbacks of this request.
func requestLineReceived(
    context: UnsafeMutableRawPointer?, uri: UnsafePointer<CChar>, connection: OpaquePointer
) -> UnsafeMutableRawPointer? {
    guard let pointer = unsafe shim_MHD_get_socket_context(connection) else { return nil }
    unsafe Unmanaged<Connection>.fromOpaque(pointer)._withUnsafeGuaranteedRef { unsafe $0.beginRequest(targetEnd: uri + strlen(uri)) }
    return unsafe pointer
}

func requestCompleted(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer, request: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
    code: MHD_RequestTerminationCode
) {
    guard let pointer = unsafe request.pointee else { return }
    unsafe Unmanaged<Connection>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.endRequest() }
    unsafe request.pointee = nil
}

func connectionChanged(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer, socketContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
    code: MHD_ConnectionNotificationCode
) {
    guard let context = unsafe context else { return }
    let server = unsafe Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue()
    switch code {
    case .CONNECTION_NOTIFY_STARTED:
        let started = unsafe Connection(connection, context: server)
        server.take(started)
        // Released in NOTIFY_CLOSED, which follows each NOTIFY_STARTED.
        unsafe socketContext.pointee = Unmanaged.passRetained(started).toOpaque()
    case .CONNECTION_NOTIFY_CLOSED:
        guard let pointer = unsafe socketContext.pointee else { return }
        server.connections.remove(unsafe Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue())
        unsafe socketContext.pointee = nil
    @unknown default: break
    }
}

/// Gives a TLS handshake the server's certificate and key, and asks for the client's certificate if the server wants it. Certificate and
/// key stay the server's (gnutls_certificate_set_retrieve_function2(3)).
/// - Returns: 0, or -1 to end the handshake.
func presentIdentity(
    session: UnsafeMutableRawPointer, authorities: UnsafeRawPointer?, authorityCount: Int32, algorithms: UnsafeRawPointer?,
    algorithmCount: Int32, chain: UnsafeMutablePointer<UnsafeMutableRawPointer?>, chainCount: UnsafeMutablePointer<UInt32>,
    key: UnsafeMutablePointer<UnsafeMutableRawPointer?>
) -> Int32 {
    guard let connection = unsafe shim_MHD_connection_of_session(session),
        let pointer = unsafe shim_MHD_get_socket_context(connection)
    else { return -1 }
    return unsafe Unmanaged<Connection>.fromOpaque(pointer)._withUnsafeGuaranteedRef { connection in
        guard let identity = unsafe connection.identity else { return -1 }
        unsafe chain.pointee = unsafe shim_identity_chain(identity)
        unsafe chainCount.pointee = unsafe identity.pointee.count
        unsafe key.pointee = unsafe shim_identity_key(identity)
        if connection.requestsCertificate { unsafe shim_request_certificate(session) }
        return 0
    }
}

/// Leaves percent escapes of the path undecoded, so that routing compares the bytes as sent.
func keepEscapes(context: UnsafeMutableRawPointer?, connection: OpaquePointer?, text: UnsafeMutablePointer<CChar>) -> Int {
    unsafe strlen(text)
}

/// Receives the library's log messages. Only the one that a connection could not be accepted is used.
func libraryComplained(context: UnsafeMutableRawPointer?, format: UnsafePointer<CChar>?, arguments: CVaListPointer?) {
    let reason = errno
    guard let context = unsafe context, let format = unsafe format, unsafe strncmp(format, "Error accepting", 15) == 0 else { return }
    guard ListenSocket.isShortage(reason) else { return }
    unsafe Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue().reject()
}
