package import Bytes
internal import Threading

/// The limits and connection settings of one client.
package struct ClientSettings: Sendable {
    package enum HTTPVersion: Sendable {
        /// HTTP/1.1 only, one request at a time per connection.
        case http1
        /// HTTP/2 if TLS negotiates it, with many requests per connection; plain HTTP uses 1.1. Requests wait for a connection that is
        /// being opened instead of opening another one.
        case http2
    }

    /// The number of concurrent requests on an HTTP/2 connection; libcurl's default.
    static let streamsPerConnection = 100

    package var connectionsPerHost: Int
    /// The maximum number of these for the requests of one owner, such as an app; nil for all.
    package var connectionsPerOwner: Int?
    package var connectionLimit: Int
    /// The maximum number of waiting and running requests; further ones fail at once with `.overloaded`.
    package var requestLimit: Int
    /// The maximum number of these for one owner; nil for all.
    package var requestsPerOwner: Int?
    /// Whether a connection is kept for further requests. Otherwise each request has its own connection: no response can be mistaken for
    /// that to another request, and a request is sent at most once. Clients with HTTP/2 keep connections.
    package var keepsConnections: Bool
    /// The maximum idle time of a connection in seconds; older ones are closed when the next request begins.
    package var idleConnectionSeconds: Int
    /// The proxy's URL, `http://` or `socks5://`, with userinfo if it needs a password; nil connects directly. The environment is never
    /// used.
    package var proxy: String?
    /// A PEM file of certificate authorities that replaces the system's; nil trusts the system's. Read at the first connection and then at
    /// most once a day.
    package var certificateAuthorities: String?
    /// A PEM file with the client certificate and its chain; nil for none. Read at each connection.
    package var clientCertificate: String?
    /// A PEM file with the client certificate's private key, without a passphrase; nil when the key is in the certificate's file.
    package var clientKey: String?
    /// The only server that is accepted, in place of the certificate authorities; nil accepts any server with a valid certificate for its
    /// name.
    package var server: PinnedServer?
    /// The Unix socket for all requests, for any host in their URLs; nil connects to that host.
    package var unixSocket: String?
    /// Returns whether the client may connect to an address; nil allows all. Called on the client's thread with the resolved address,
    /// before the socket is created.
    package var admits: (@Sendable (IPAddress) -> Bool)?
    /// Whether to open no further connection once one has carried a response, so that later requests reach the same process.
    package var staysOnFirstConnection: Bool
    /// The value of User-Agent: visible ASCII and spaces.
    package var userAgent: String
    package var httpVersion: HTTPVersion

    package init(
        connectionsPerHost: Int = 16, connectionsPerOwner: Int? = nil, connectionLimit: Int = 256, requestLimit: Int = 10_000,
        requestsPerOwner: Int? = nil, keepsConnections: Bool = true, idleConnectionSeconds: Int = 60, proxy: String? = nil,
        certificateAuthorities: String? = nil, clientCertificate: String? = nil,
        clientKey: String? = nil, server: PinnedServer? = nil, unixSocket: String? = nil, admits: (@Sendable (IPAddress) -> Bool)? = nil,
        staysOnFirstConnection: Bool = false, userAgent: String = "Deskgate", httpVersion: HTTPVersion = .http1
    ) {
        self.connectionsPerHost = connectionsPerHost
        self.connectionsPerOwner = connectionsPerOwner
        self.connectionLimit = connectionLimit
        self.requestLimit = requestLimit
        self.requestsPerOwner = requestsPerOwner
        self.keepsConnections = keepsConnections
        self.idleConnectionSeconds = idleConnectionSeconds
        self.proxy = proxy
        self.certificateAuthorities = certificateAuthorities
        self.clientCertificate = clientCertificate
        self.clientKey = clientKey
        self.server = server
        self.unixSocket = unixSocket
        self.admits = admits
        self.staysOnFirstConnection = staysOnFirstConnection
        self.userAgent = userAgent
        self.httpVersion = httpVersion
    }

    /// The maximum numbers of waiting and running requests: in total, and for one owner.
    var requestBounds: [ShareBound] { [requestLimit, requestsPerOwner ?? requestLimit].map { ShareBound($0) } }

    /// The maximum numbers of requests that libcurl runs: in total, for one origin, and for one owner there.
    var runningBounds: [ShareBound] {
        let requests = httpVersion == .http1 ? 1 : Self.streamsPerConnection
        let connections = [connectionLimit, connectionsPerHost, connectionsPerOwner ?? connectionsPerHost]
        return connections.map { ShareBound($0 * requests, waiting: requestLimit) }
    }

    /// Traps on invalid settings, which are a programmer's mistake.
    func check() {
        precondition(
            connectionsPerHost > 0 && connectionLimit >= connectionsPerHost, "at least one connection per host, and not more than the total"
        )
        precondition(1...connectionsPerHost ~= connectionsPerOwner ?? connectionsPerHost, "a share of the connections is a part of them")
        precondition(1...requestLimit ~= requestsPerOwner ?? requestLimit, "a share of the requests is a part of them")
        precondition(requestLimit > 0 && idleConnectionSeconds > 0, "limits are positive")
        precondition(keepsConnections || httpVersion == .http1, "HTTP/2 shares its connections")
        precondition(clientKey == nil || clientCertificate != nil, "a key belongs to a certificate")
        precondition(userAgent.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "a user agent is visible ASCII")
    }
}

/// The only server that a client accepts, identified by its certificate and key and not by its name. For Deskgate's own server, whose
/// certificate may have another name than the address in use, and be from a private authority.
package struct PinnedServer: Sendable, Equatable {
    /// Certificate and chain in PEM: the only trust anchors.
    package let certificate: String
    /// The SHA-256 of its public key in base64: of the SubjectPublicKeyInfo in DER, as in HTTP Public Key Pinning (RFC 7469 section 2.4).
    package let keyDigest: String

    package init(certificate: String, keyDigest: String) {
        self.certificate = certificate
        self.keyDigest = keyDigest
    }
}
