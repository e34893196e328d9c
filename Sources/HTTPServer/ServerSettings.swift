package struct ServerSettings: Sendable, Equatable {
    /// The memory in bytes that libmicrohttpd has for a connection's request line and headers; it answers larger ones 414 or 431.
    ///
    /// It clears all of it between requests. At 32 KiB that would cost as much as deciding on the request.
    static let headerMemory = 16 * 1024

    /// The most connections that are served. A further one has an idle one closed; when none is idle, it is answered 503 and closed.
    package var connectionLimit: Int
    /// The maximum number of connections of one address, or of one /48 of IPv6, which `ConnectionPressure.isUnbounded` does not name.
    ///
    /// Many phones may share one address, but it must leave room for others.
    package var connectionsPerCaller: Int { min(max(connectionLimit / 10, 100), (connectionLimit + 1) / 2) }
    /// The maximum idle time of a connection in seconds.
    package var idleTimeoutSeconds: Int
    /// The timeout, in milliseconds, of a request from its first line to its last byte.
    package var requestTimeoutMilliseconds: Int
    package var threads: Int
    /// The memory that bodies over 16 KiB share, in bytes; a request whose body does not fit is answered 503.
    package var bodyMemory: Int
    /// The certificate chain and private key; nil for plain HTTP.
    package var tls: TLSIdentity?
    /// With any, TLS handshakes ask for a client certificate. A client without one is served all the same: the routes decide, by
    /// `Request.peerCertificate`.
    package var clientAuthorities: ClientAuthorities?

    /// The product's defaults; `threads` is the number of processors that this process may use.
    package init(
        connectionLimit: Int = 10_000, idleTimeoutSeconds: Int = 60, requestTimeoutMilliseconds: Int = 30_000,
        threads: Int = availableProcessors(), bodyMemory: Int = 64 * 1024 * 1024, tls: TLSIdentity? = nil,
        clientAuthorities: ClientAuthorities? = nil
    ) {
        self.connectionLimit = connectionLimit
        self.idleTimeoutSeconds = idleTimeoutSeconds
        self.requestTimeoutMilliseconds = requestTimeoutMilliseconds
        self.threads = threads
        self.bodyMemory = bodyMemory
        self.tls = tls
        self.clientAuthorities = clientAuthorities
    }
}
