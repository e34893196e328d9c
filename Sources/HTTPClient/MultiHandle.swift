internal import CCurl

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
