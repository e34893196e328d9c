internal import CCurl
internal import Glibc

/// libcurl's multi handle: the transfers of a client and their connections.
///
/// Only the client's thread may use it, except for `wake`. It is freed by `free`, not on release: its connections must end with the client.
// Unchecked: curl_multi_wakeup(3) may be called from any thread, and `Inbox` ensures that nobody calls it once the handle is freed.
@safe
final class MultiHandle: @unchecked Sendable {
    private let raw: UnsafeMutableRawPointer

    init(_ settings: ClientSettings) {
        guard let raw = unsafe curl_multi_init() else { fatalError("out of memory while making a client") }
        unsafe self.raw = raw
        set(CURLMOPT_MAX_HOST_CONNECTIONS, settings.connectionsPerHost)
        set(CURLMOPT_MAX_TOTAL_CONNECTIONS, settings.connectionLimit)
        set(CURLMOPT_MAXCONNECTS, settings.connectionLimit)
        set(CURLMOPT_PIPELINING, settings.httpVersion == .http2 ? Int(CURLPIPE_MULTIPLEX) : Int(CURLPIPE_NOTHING))
    }

    private func set(_ option: CURLMoption, _ value: Int) {
        let result = unsafe shim_curl_multi_setopt_long(raw, option, value)
        precondition(result == CURLM_OK, "libcurl knows every option that is set here")
    }

    /// Ends the current wait or the next one. Callable from any thread.
    func wake() {
        unsafe curl_multi_wakeup(raw)
    }

    /// Waits until a transfer can continue, `wake` is called, or the timeout.
    func wait(timeoutMilliseconds: Int32) {
        unsafe curl_multi_poll(raw, nil, 0, timeoutMilliseconds, nil)
    }

    /// Advances all transfers without waiting; calls the callbacks below.
    func perform() {
        var running: Int32 = 0
        unsafe curl_multi_perform(raw, &running)
    }

    func add(_ easy: EasyHandle) {
        let result = unsafe curl_multi_add_handle(raw, easy.raw)
        precondition(result == CURLM_OK, "a handle is added once")
    }

    /// Removes a transfer, finished or not; closes the connection of an unfinished one.
    func remove(_ easy: EasyHandle) {
        unsafe curl_multi_remove_handle(raw, easy.raw)
    }

    /// The next finished transfer, with its result.
    func nextFinished() -> (handle: EasyHandle.ID, result: CURLcode)? {
        var result = CURLE_OK
        guard let easy = unsafe shim_curl_multi_info_read(raw, &result) else { return nil }
        return (unsafe EasyHandle.ID(raw: easy), result)
    }

    /// Closes all connections. No other method may be called afterwards.
    func free() {
        unsafe curl_multi_cleanup(raw)
    }
}

// The functions that libcurl calls, on the client's thread, inside the functions of `MultiHandle`. Each recovers the Swift object, converts
// the arguments, and delegates. Returning a count other than the given one ends the transfer (CURLOPT_WRITEFUNCTION(3)).

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

/// The sockets of one client's connections, which libcurl opens and closes through this object.
///
/// Only the client's thread may use it. libcurl keeps a pointer to it, so it must outlive the multi handle.
final class OpenSockets {
    private var descriptors: Set<Int32> = []
    // The sockets that have carried a response.
    private var proven: Set<Int32> = []
    private var isClosed = false

    /// Refuses further sockets; libcurl reports the host as unreachable then.
    func openNoMore() {
        isClosed = true
    }

    /// Opens a socket with SOCK_CLOEXEC, which libcurl does not set, so that child processes do not inherit it.
    /// - Returns: its descriptor; negative when there is none.
    func open(family: Int32, type: Int32, protocol: Int32) -> Int32 {
        guard !isClosed else { return -1 }
        let descriptor = socket(family, type | Int32(SOCK_CLOEXEC.rawValue), `protocol`)
        if descriptor >= 0 { descriptors.insert(descriptor) }
        return descriptor
    }

    /// Closes a socket that was opened here.
    /// - Returns: 0 on success.
    func close(_ descriptor: Int32) -> Int32 {
        descriptors.remove(descriptor)
        proven.remove(descriptor)
        return Glibc.close(descriptor)
    }

    /// A response, and with it the peer's stream limit, has arrived on this socket. A socket that has been closed meanwhile is ignored,
    /// because its number may have been reused.
    func prove(_ descriptor: Int32) {
        if descriptors.contains(descriptor) { proven.insert(descriptor) }
    }

    /// Has the kernel combine what `body` writes to proven sockets, and send it afterwards in as few packets as possible (tcp(7),
    /// TCP_CORK).
    ///
    /// libcurl writes each frame of HTTP/2 separately, and sending a packet costs more than encrypting its content. New connections are
    /// excluded: if the end of their handshake were held back, it would reach the server together with more requests than the server may
    /// accept.
    func gathering(_ body: () -> Void) {
        setCork(1)
        body()
        setCork(0)
    }

    private func setCork(_ value: Int32) {
        var value = value
        for descriptor in proven {
            // Fails for a socket that is not TCP or is broken, which can be ignored here.
            unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}

/// libcurl's global state.
enum CurlLibrary {
    /// Initialises the library, once per process and before the first client's thread (curl_global_init(3)).
    static let prepared: Void = {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { fatalError("libcurl cannot be prepared") }
    }()
}
