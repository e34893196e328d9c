internal import CCurl
internal import Glibc

/// libcurl's set of transfers with their connections.
///
/// Belongs to the client's thread, but for `wake`. Freed by `free`, not when it is let go: its connections must end with the client.
// Unchecked: curl_multi_wakeup(3) may be called from any thread, and `Inbox` sees to it that nobody does once the handle is freed.
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

    /// Ends the wait that is under way or the next one. From any thread.
    func wake() {
        unsafe curl_multi_wakeup(raw)
    }

    /// Waits until a transfer can go on, something has called `wake`, or the time is over.
    func wait(timeoutMilliseconds: Int32) {
        unsafe curl_multi_poll(raw, nil, 0, timeoutMilliseconds, nil)
    }

    /// Does what can be done without waiting; calls the receivers.
    func perform() {
        var running: Int32 = 0
        unsafe curl_multi_perform(raw, &running)
    }

    func add(_ easy: EasyHandle) {
        let result = unsafe curl_multi_add_handle(raw, easy.raw)
        precondition(result == CURLM_OK, "a handle is added once")
    }

    /// Takes a transfer out, finished or not; an unfinished one's connection is closed.
    func remove(_ easy: EasyHandle) {
        unsafe curl_multi_remove_handle(raw, easy.raw)
    }

    /// The next transfer that has finished, and how.
    func nextFinished() -> (handle: EasyHandle.ID, result: CURLcode)? {
        var result = CURLE_OK
        guard let easy = unsafe shim_curl_multi_info_read(raw, &result) else { return nil }
        return (unsafe EasyHandle.ID(raw: easy), result)
    }

    /// Closes all connections. Nothing else may be called afterwards.
    func free() {
        unsafe curl_multi_cleanup(raw)
    }
}

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

/// The sockets of one client's connections, which libcurl opens and closes through here.
///
/// Belongs to the client's thread. libcurl keeps a pointer to it, so it must outlive the multi handle.
final class OpenSockets {
    private var descriptors: Set<Int32> = []
    // Those of them that have carried a response.
    private var proven: Set<Int32> = []
    private var isClosed = false

    /// Refuses further sockets, which libcurl takes for a host that cannot be reached.
    func openNoMore() {
        isClosed = true
    }

    /// Opens a socket that programs started by this process do not inherit, which libcurl leaves out.
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

    /// A response has come over it, and with it how many streams the other side takes. One that has been closed since is left alone, because
    /// its number may be another's.
    func prove(_ descriptor: Int32) {
        if descriptors.contains(descriptor) { proven.insert(descriptor) }
    }

    /// Has the system gather what `body` writes to sockets that are proven, and send it afterwards in as few packets as it fits into
    /// (tcp(7), TCP_CORK).
    ///
    /// libcurl writes each frame of HTTP/2 by itself, and sending a packet costs more than the encryption of what is in it. A new connection
    /// is left alone: held back, the end of its handshake would reach the other side together with more requests than that may take.
    func gathering(_ body: () -> Void) {
        setCork(1)
        body()
        setCork(0)
    }

    private func setCork(_ value: Int32) {
        var value = value
        for descriptor in proven {
            // Fails with a socket that is not TCP or is broken, which is not news for here.
            unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}

/// libcurl as a whole.
enum CurlLibrary {
    /// Prepares the library, once in a process and before the first client's thread (curl_global_init(3)).
    static let prepared: Void = {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { fatalError("libcurl cannot be prepared") }
    }()
}
