package struct ServerSettings: Sendable, Equatable {
    /// The memory in bytes that libmicrohttpd has for a connection's request line and headers; if they are larger, it answers 414 or 431.
    ///
    /// libmicrohttpd clears all of it between requests. At 32 KiB that would cost as much as an authorization.
    static let headerMemory = 16 * 1024

    /// The maximum number of connections. For a further one the server closes an idle one; when none is idle, it answers 503 and closes the
    /// new one.
    package var connectionLimit: Int
    /// The maximum number of connections of one address, or of one /48 of IPv6, unless `ConnectionPressure.isUnbounded` exempts it.
    ///
    /// Many phones may share one address, but one address must leave room for others.
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
    /// If there are any, TLS handshakes request a client certificate. A client without one is served too: the routes check
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
