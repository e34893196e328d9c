/// The bounds and the way out of one client.
package struct ClientSettings: Sendable {
    /// Which versions of HTTP are spoken.
    package enum HTTPVersion: Sendable {
        /// HTTP/1.1 only, a connection a request.
        case http1
        /// HTTP/2 where TLS negotiates it, many requests on a connection; plain HTTP stays with 1.1. Requests wait for a connection that
        /// is being opened instead of opening their own.
        case http2
    }

    /// How many requests HTTP/2 carries on one connection at a time; libcurl's own default.
    static let streamsPerConnection = 100

    /// The most connections to one host and port.
    package var connectionsPerHost: Int
    /// The most connections.
    package var connectionLimit: Int
    /// The most requests that wait or run; one more fails at once with `.overloaded`.
    package var requestLimit: Int
    /// How long an unused connection is kept, in seconds; older ones are closed when the next request begins.
    package var idleConnectionSeconds: Int
    /// The proxy's URL, `http://` or `socks5://`, with userinfo if it wants a password; nil goes directly. The environment never counts.
    package var proxy: String?
    /// A PEM file of certificate authorities that replaces the system's; nil trusts the system's. Read at the first connection and then
    /// at most once a day.
    package var certificateAuthorities: String?
    /// A PEM file with the certificate that the client shows who asks for one, and its chain; nil shows none. Read at each connection.
    package var clientCertificate: String?
    /// A PEM file with that certificate's private key, without a passphrase; nil when the key is in the certificate's file.
    package var clientKey: String?
    /// The one server that is talked to; nil takes any that has a certificate for its name from one of the authorities, which do not count otherwise.
    package var server: PinnedServer?
    /// The Unix socket that every request goes to, whatever host its URL names; nil goes to that host.
    package var unixSocket: String?
    /// Whether no connection is opened after one has carried a response, so that what is sent later goes to whoever sent that one.
    package var staysOnFirstConnection: Bool
    /// What is sent as User-Agent: visible ASCII and spaces.
    package var userAgent: String
    /// Which versions of HTTP are spoken.
    package var httpVersion: HTTPVersion

    /// Settings with the defaults of the product.
    package init(
        connectionsPerHost: Int = 16, connectionLimit: Int = 256, requestLimit: Int = 10_000, idleConnectionSeconds: Int = 60,
        proxy: String? = nil, certificateAuthorities: String? = nil, clientCertificate: String? = nil, clientKey: String? = nil,
        server: PinnedServer? = nil, unixSocket: String? = nil, staysOnFirstConnection: Bool = false, userAgent: String = "Deskgate",
        httpVersion: HTTPVersion = .http1
    ) {
        self.connectionsPerHost = connectionsPerHost
        self.connectionLimit = connectionLimit
        self.requestLimit = requestLimit
        self.idleConnectionSeconds = idleConnectionSeconds
        self.proxy = proxy
        self.certificateAuthorities = certificateAuthorities
        self.clientCertificate = clientCertificate
        self.clientKey = clientKey
        self.server = server
        self.unixSocket = unixSocket
        self.staysOnFirstConnection = staysOnFirstConnection
        self.userAgent = userAgent
        self.httpVersion = httpVersion
    }

    /// How many requests may be with libcurl for one origin.
    var requestsPerOrigin: Int {
        httpVersion == .http1 ? connectionsPerHost : connectionsPerHost * Self.streamsPerConnection
    }

    /// How many requests may be with libcurl.
    var runningLimit: Int {
        httpVersion == .http1 ? connectionLimit : connectionLimit * Self.streamsPerConnection
    }

    /// Traps on what only a programmer can get wrong.
    func check() {
        precondition(
            connectionsPerHost > 0 && connectionLimit >= connectionsPerHost, "one connection a host at least, and not more than all")
        precondition(requestLimit > 0 && idleConnectionSeconds > 0, "limits are positive")
        precondition(clientKey == nil || clientCertificate != nil, "a key belongs to a certificate")
        precondition(userAgent.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "a user agent is visible ASCII")
    }
}

/// The one server that a client talks to, known by what it shows of itself and not by its name: a server of one's own, whose certificate may be
/// for another name than it is asked by, and of an authority that nobody else knows.
package struct PinnedServer: Sendable, Equatable {
    /// Its certificate and the chain behind it, PEM: all that is trusted.
    package let certificate: String
    /// The SHA-256 of its public key in base64: of the SubjectPublicKeyInfo in DER, as HTTP Public Key Pinning had it (RFC 7469 section 2.4).
    package let keyDigest: String

    /// Names a server.
    package init(certificate: String, keyDigest: String) {
        self.certificate = certificate
        self.keyDigest = keyDigest
    }
}
