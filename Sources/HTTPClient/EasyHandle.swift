internal import CCurl
internal import Crypto
internal import Glibc

/// libcurl's handle of one transfer at a time, reused for consecutive transfers.
@safe
final class EasyHandle {
    struct ID: Hashable {
        private let address: Int

        init(raw: UnsafeMutableRawPointer) {
            address = Int(bitPattern: raw)
        }
    }

    enum Outcome {
        case success
        case failure(ClientError)
    }

    let raw: UnsafeMutableRawPointer
    private let errorText: UnsafeMutableBufferPointer<CChar>
    private var headers: TextList?
    private var destination: TextList?

    init() {
        guard let raw = unsafe curl_easy_init() else { fatalError("out of memory while making a request") }
        unsafe self.raw = raw
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    }

    deinit {
        unsafe curl_easy_cleanup(raw)
        unsafe errorText.deallocate()
    }

    var id: ID {
        unsafe ID(raw: raw)
    }

    /// Prepares a transfer. `transfer` must live until the handle is removed from its multi handle, and `sockets` until that is freed.
    func prepare(_ transfer: Transfer, settings: ClientSettings, sockets: OpenSockets, timeoutMilliseconds: Int) {
        unsafe errorText.initialize(repeating: 0)
        unsafe setPointer(CURLOPT_ERRORBUFFER, unsafe UnsafeRawPointer(errorText.baseAddress))
        setSettings(settings)
        setCallbacks(transfer)
        setSockets(sockets)
        let keepsConnection = settings.keepsConnections && transfer.request.address == nil
        setRequest(transfer.request, keepsConnection: keepsConnection)
        setDestination(transfer.request)
        if !keepsConnection {
            set(CURLOPT_FRESH_CONNECT, 1)
            set(CURLOPT_FORBID_REUSE, 1)
        }
        set(CURLOPT_TIMEOUT_MS, timeoutMilliseconds)
        set(CURLOPT_CONNECTTIMEOUT_MS, transfer.request.connectTimeoutMilliseconds)
    }

    /// Removes all state of the transfer, so that none of it affects the next one.
    func reset() {
        unsafe curl_easy_reset(raw)
        headers = nil
        destination = nil
    }

    private func setCallbacks(_ transfer: Transfer) {
        let context = unsafe UnsafeRawPointer(Unmanaged.passUnretained(transfer).toOpaque())
        unsafe shim_curl_easy_setopt_receiver(raw, CURLOPT_HEADERFUNCTION, receiveHeaderLine)
        unsafe shim_curl_easy_setopt_receiver(raw, CURLOPT_WRITEFUNCTION, receiveBodyPart)
        unsafe setPointer(CURLOPT_HEADERDATA, unsafe context)
        unsafe setPointer(CURLOPT_WRITEDATA, unsafe context)
        unsafe shim_curl_easy_setopt_observer(raw, CURLOPT_PREREQFUNCTION, beginRequest)
        unsafe setPointer(CURLOPT_PREREQDATA, unsafe context)
    }

    private func setSockets(_ sockets: OpenSockets) {
        let context = unsafe UnsafeRawPointer(Unmanaged.passUnretained(sockets).toOpaque())
        unsafe shim_curl_easy_setopt_opener(raw, CURLOPT_OPENSOCKETFUNCTION, openSocket)
        unsafe shim_curl_easy_setopt_closer(raw, CURLOPT_CLOSESOCKETFUNCTION, closeSocket)
        unsafe setPointer(CURLOPT_OPENSOCKETDATA, unsafe context)
        unsafe setPointer(CURLOPT_CLOSESOCKETDATA, unsafe context)
    }

    private func setRequest(_ request: ClientRequest, keepsConnection: Bool) {
        set(CURLOPT_URL, request.url)
        let headers = TextList(headersOf: request, keepsConnection: keepsConnection)
        self.headers = headers
        unsafe setPointer(CURLOPT_HTTPHEADER, unsafe UnsafeRawPointer(headers.first))
        if request.method == .post || !request.body.isEmpty {
            unsafe shim_curl_easy_setopt_size(raw, CURLOPT_POSTFIELDSIZE_LARGE, request.body.count)
            unsafe request.body.withUnsafeBytes {
                unsafe setPointer(CURLOPT_COPYPOSTFIELDS, unsafe $0.baseAddress ?? UnsafeRawPointer(raw))
            }
        } else if request.method == .put || request.method == .patch {
            // Without a body there would be no Content-Length, which RFC 9110 section 8.6 recommends for them.
            unsafe shim_curl_easy_setopt_size(raw, CURLOPT_POSTFIELDSIZE_LARGE, 0)
            unsafe setPointer(CURLOPT_COPYPOSTFIELDS, unsafe UnsafeRawPointer(raw))
        }
        if [.put, .patch, .delete].contains(request.method) { set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
    }

    private func setDestination(_ request: ClientRequest) {
        if request.acceptsCompression { set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate") }
        if let address = request.address {
            let destination = TextList(connectingTo: address)
            self.destination = destination
            unsafe setPointer(CURLOPT_CONNECT_TO, unsafe UnsafeRawPointer(destination.first))
        }
    }

    func set(_ option: CURLoption, _ value: Int) {
        let result = unsafe shim_curl_easy_setopt_long(raw, option, value)
        precondition(result == CURLE_OK, "libcurl knows every option that is set here")
    }

    func set(_ option: CURLoption, _ value: String?) {
        let result = unsafe Self.withOptionalCString(value) { unsafe shim_curl_easy_setopt_text(raw, option, $0) }
        precondition(result == CURLE_OK, "libcurl knows every option that is set here")
    }

    func set(_ option: CURLoption, bytes: [UInt8]) {
        let result = unsafe bytes.withUnsafeBytes { unsafe shim_curl_easy_setopt_blob(raw, option, $0.baseAddress, $0.count) }
        precondition(result == CURLE_OK, "libcurl knows every option that is set here")
    }

    private func setPointer(_ option: CURLoption, _ value: UnsafeRawPointer?) {
        let result = unsafe shim_curl_easy_setopt_pointer(raw, option, value)
        precondition(result == CURLE_OK, "libcurl knows every option that is set here")
    }

    private static func withOptionalCString(_ text: String?, _ body: (UnsafePointer<CChar>?) -> CURLcode) -> CURLcode {
        guard let text else { return body(nil) }
        return unsafe text.withCString { unsafe body($0) }
    }

    /// libcurl's error text, reduced to printable ASCII, because parts of it may come from the server.
    var failureText: String {
        let bytes = unsafe errorText.prefix { $0 != 0 }.map { 0x20...0x7E ~= $0 ? UInt8($0) : UInt8(ascii: "?") }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension EasyHandle {
    var status: Int {
        unsafe shim_curl_easy_getinfo_long(raw, CURLINFO_RESPONSE_CODE)
    }

    var httpVersion: ClientResponse.HTTPVersion {
        unsafe shim_curl_easy_getinfo_long(raw, CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0 ? .http2 : .http1
    }

    /// The time from the transfer's start until the connection was established, in microseconds.
    var connectMicroseconds: Int {
        unsafe shim_curl_easy_getinfo_size(raw, CURLINFO_CONNECT_TIME_T)
    }

    /// The duration of the transfer in microseconds.
    var totalMicroseconds: Int {
        unsafe shim_curl_easy_getinfo_size(raw, CURLINFO_TOTAL_TIME_T)
    }

    /// The descriptor of its connection, while libcurl keeps that; nil otherwise. After the connection is closed the number may be reused.
    var connection: Int32? {
        let socket = unsafe shim_curl_easy_getinfo_active_socket(raw)
        return socket >= 0 ? socket : nil
    }

    /// Whether TLS has read bytes of its connection that libcurl has not consumed yet; only during a transfer.
    var hasDecryptedInput: Bool {
        guard let session = unsafe shim_curl_easy_getinfo_tls_session(raw) else { return false }
        return unsafe TLSInput.isPending(in: session)
    }

    /// Shuts down a dead connection that libcurl keeps: every transfer on it fails, and no new one begins there.
    static func disconnect(_ connection: Int32) {
        shutdown(connection, Int32(SHUT_RDWR))
    }

    /// Translates libcurl's result code (libcurl-errors(3)).
    func outcome(_ result: CURLcode, of request: ClientRequest, hasProxy: Bool) -> Outcome {
        switch result {
        case CURLE_OK: .success
        case CURLE_OPERATION_TIMEDOUT: .failure(.timeout(phase(of: request)))
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2_STREAM: .failure(isRefusedByProxy ? .proxy : .reset)
        case CURLE_COULDNT_CONNECT: .failure(hasProxy ? .proxy : .connect)
        default: .failure(failure(result))
        }
    }

    private func failure(_ result: CURLcode) -> ClientError {
        switch result {
        case CURLE_URL_MALFORMAT: .invalidURL
        case CURLE_COULDNT_RESOLVE_HOST: .resolve
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxy
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: .closedEarly
        // The first code means that HTTP/0.9 is not allowed; requests never use a protocol other than HTTP.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_BAD_CONTENT_ENCODING: .malformedResponse
        // Here this code means a header line beyond libcurl's own limit, not a lack of memory.
        case CURLE_OUT_OF_MEMORY: .headersTooLarge
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            .tls(failureText, isUntrusted: true)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT:
            .tls(failureText, isUntrusted: false)
        default: .other(code: Int(result.rawValue))
        }
    }

    // libcurl reports a proxy that refuses a tunnel as a receive error.
    private var isRefusedByProxy: Bool {
        let status = unsafe shim_curl_easy_getinfo_long(raw, CURLINFO_HTTP_CONNECTCODE)
        return status != 0 && !(200...299 ~= status)
    }

    private func phase(of request: ClientRequest) -> ClientError.Phase {
        if unsafe shim_curl_easy_getinfo_size(raw, CURLINFO_PRETRANSFER_TIME_T) == 0 { return .connecting }
        if unsafe shim_curl_easy_getinfo_size(raw, CURLINFO_SIZE_UPLOAD_T) < request.body.count { return .sending }
        return status == 0 ? .waiting : .receiving
    }
}
