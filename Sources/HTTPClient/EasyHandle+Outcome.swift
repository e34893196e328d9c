internal import CCurl
internal import Glibc

extension EasyHandle {
    /// The final response's status.
    var status: Int {
        unsafe shim_curl_easy_getinfo_long(raw, CURLINFO_RESPONSE_CODE)
    }

    /// Which version of HTTP was spoken.
    var httpVersion: ClientResponse.HTTPVersion {
        unsafe shim_curl_easy_getinfo_long(raw, CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0 ? .http2 : .http1
    }

    /// When the connection stood.
    var connectMicroseconds: Int {
        unsafe shim_curl_easy_getinfo_size(raw, CURLINFO_CONNECT_TIME_T)
    }

    /// How long the transfer took.
    var totalMicroseconds: Int {
        unsafe shim_curl_easy_getinfo_size(raw, CURLINFO_TOTAL_TIME_T)
    }

    /// The connection that carried it, while libcurl keeps that; nil otherwise. The number is another's once it is closed.
    var connection: Int32? {
        let socket = unsafe shim_curl_easy_getinfo_active_socket(raw)
        return socket >= 0 ? socket : nil
    }

    /// Ends a connection that libcurl keeps but that carries nothing any more: every transfer on it learns that, and none begins there.
    static func disconnect(_ connection: Int32) {
        shutdown(connection, Int32(SHUT_RDWR))
    }

    /// What libcurl's result means (libcurl-errors(3)).
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
        // The first is what remains of "HTTP/0.9 is not allowed", since requests have no other protocol than HTTP.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_BAD_CONTENT_ENCODING: .malformedResponse
        // Not the system's memory, which does not run out this way: one header line beyond libcurl's own bound.
        case CURLE_OUT_OF_MEMORY: .headersTooLarge
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            .tls(failureText)
        default: .other(code: Int(result.rawValue))
        }
    }

    // A proxy that refuses a tunnel looks like a receiving error.
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
