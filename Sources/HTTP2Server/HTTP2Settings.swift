package import Crypto

/// The bounds of one server.
package struct HTTP2Settings: Sendable {
    /// The address, an IPv4 address of this machine.
    package var host: String
    /// The port; 0 lets the system choose.
    package var port: UInt16
    /// What TLS shows; nil speaks HTTP/2 without TLS, for clients that know ("prior knowledge", RFC 9113 section 3.3).
    package var tls: TLSServerContext?
    /// How many threads serve; a connection stays with one of them.
    package var threads: Int
    /// How many bytes of a request's body are kept.
    package var bodyLimit: Int
    /// How many streams a client may have open on a connection at a time, at first.
    package var streamLimit: Int
    /// The most connections at a time; one more is closed at once.
    package var connectionLimit: Int

    /// Settings for a simulator on this machine.
    package init(
        host: String = "127.0.0.1", port: UInt16 = 0, tls: TLSServerContext? = nil, threads: Int = 1, bodyLimit: Int = 64 * 1024,
        streamLimit: Int = 1000, connectionLimit: Int = 1024
    ) {
        precondition(threads > 0 && bodyLimit >= 0 && streamLimit >= 0 && connectionLimit > 0, "bounds are positive")
        self.host = host
        self.port = port
        self.tls = tls
        self.threads = threads
        self.bodyLimit = bodyLimit
        self.streamLimit = streamLimit
        self.connectionLimit = connectionLimit
    }
}
