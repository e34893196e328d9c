internal import CCurl
internal import Glibc

/// libcurl's multi handle: the transfers of a client and their connections.
///
/// Only the client's thread may use it, except for `wake`. It is freed by `free`, not on release: its connections must end with the client.
// Unchecked: curl_multi_wakeup(3) may be called from any thread, and `Inbox` ensures that it is not called after the handle is freed.
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

func beginRequest(
    context: UnsafeMutableRawPointer?, address: UnsafeMutablePointer<CChar>?, localAddress: UnsafeMutablePointer<CChar>?, port: Int32,
    localPort: Int32
) -> Int32 {
    guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
    return unsafe Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { transfer in
        transfer.begin(localPort: localPort) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
}

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

enum CurlLibrary {
    /// Initialises the library, once per process and before the first client's thread (curl_global_init(3)).
    static let prepared: Void = {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { fatalError("libcurl cannot be prepared") }
    }()
}
