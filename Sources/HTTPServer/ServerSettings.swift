/// The bounds of one listener.
package struct ServerSettings: Sendable, Equatable {
    /// How much memory libmicrohttpd has for a connection's request line and headers, in bytes; beyond it answers 414 or 431.
    ///
    /// It clears all of it between requests, which at 32 KiB costs as much as deciding on the request.
    static let headerMemory = 16 * 1024

    /// The most connections that are served; one more is answered 503 and closed.
    package var connectionLimit: Int
    /// How long a connection may be silent, in seconds.
    package var idleTimeoutSeconds: Int
    /// How long a request may take to arrive whole, from its first line on, in milliseconds.
    package var requestTimeoutMilliseconds: Int
    /// How many threads serve connections.
    package var threads: Int
    /// How much memory bodies of over 16 KiB share, in bytes; one for which there is none left is answered 503.
    package var bodyMemory: Int
    /// Certificate chain and private key, PEM; nil for plain HTTP.
    package var tls: TLSIdentity?

    /// Settings with the defaults of the product; `threads` is the number of processors that this process may use.
    package init(
        connectionLimit: Int = 10_000, idleTimeoutSeconds: Int = 60, requestTimeoutMilliseconds: Int = 30_000,
        threads: Int = availableProcessors(), bodyMemory: Int = 64 * 1024 * 1024, tls: TLSIdentity? = nil
    ) {
        self.connectionLimit = connectionLimit
        self.idleTimeoutSeconds = idleTimeoutSeconds
        self.requestTimeoutMilliseconds = requestTimeoutMilliseconds
        self.threads = threads
        self.bodyMemory = bodyMemory
        self.tls = tls
    }
}
