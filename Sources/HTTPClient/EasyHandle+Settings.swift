internal import CCurl

extension EasyHandle {
    /// Sets the options that all requests of a client share.
    func setSettings(_ settings: ClientSettings) {
        setSafety()
        setProxy(settings.proxy)
        setTLS(settings)
        setConnections(settings)
        set(CURLOPT_USERAGENT, settings.userAgent)
    }

    // libcurl's defaults already do the rest: no redirects, no cookies, no .netrc, no HTTP/0.9.
    private func setSafety() {
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        // Signals are blocked on the client's thread, so a broken connection raises no SIGPIPE either.
        set(CURLOPT_NOSIGNAL, 1)
        // A hanging name resolution is abandoned at its timeout, instead of delaying every other request.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    }

    // Empty strings, because libcurl would read the environment otherwise.
    private func setProxy(_ proxy: String?) {
        set(CURLOPT_PROXY, proxy ?? "")
        set(CURLOPT_NOPROXY, "")
    }

    private func setTLS(_ settings: ClientSettings) {
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        set(CURLOPT_SSL_VERIFYPEER, 1)
        if let certificate = settings.clientCertificate { set(CURLOPT_SSLCERT, certificate) }
        if let key = settings.clientKey { set(CURLOPT_SSLKEY, key) }
        // A pinned key is stronger than a name.
        set(CURLOPT_SSL_VERIFYHOST, settings.server == nil ? 2 : 0)
        setTrust(settings)
    }

    private func setTrust(_ settings: ClientSettings) {
        if let server = settings.server {
            set(CURLOPT_CAINFO_BLOB, bytes: Array(server.certificate.utf8))
            set(CURLOPT_PINNEDPUBLICKEY, "sha256//\(server.keyDigest)")
        } else if let certificateAuthorities = settings.certificateAuthorities {
            set(CURLOPT_CAINFO, certificateAuthorities)
        } else {
            return
        }
        // Debian's libcurl also reads the system's directory, so the configured authorities would only be added to the system's.
        set(CURLOPT_CAPATH, nil)
    }

    private func setConnections(_ settings: ClientSettings) {
        if let path = settings.unixSocket { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        set(CURLOPT_TCP_NODELAY, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_TCP_KEEPIDLE, 30)
        set(CURLOPT_TCP_KEEPINTVL, 10)
        set(CURLOPT_MAXAGE_CONN, settings.idleConnectionSeconds)
        switch settings.httpVersion {
        case .http1: set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        case .http2:
            set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
            set(CURLOPT_PIPEWAIT, 1)
        }
    }
}
