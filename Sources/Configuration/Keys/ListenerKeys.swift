/// The keys of the two listeners.
extension ConfigurationReader {
    static let listenKeys: ConfigurationKeys = [
        .restart("host", .text(default: "127.0.0.1"), "the address to listen on; `0.0.0.0` and `::` are all"),
        .restart("port", .integer(0...65535, default: 8080), "the port; 0 takes a free one"),
        .restart("unix", .path(), "a Unix socket in place of host and port"),
        .onceSet("tls", .object(publicTLSKeys)),
        .onceSet(
            "allow", .texts(),
            """
            the networks that may call, as CIDR blocks: `["192.0.2.0/24", "2001:db8::/32"]`, at most 1000 ([Restricting \
            callers](#restricting-callers))
            """),
        .live(
            "trusted_proxies", .texts(),
            """
            the networks of the proxies that are believed where a call comes from, and `"unix"` for those that call through the Unix \
            socket ([Behind a proxy](#behind-a-proxy))
            """),
        .onceSet("shared_header", .object(sharedHeaderKeys)),
        .restart(
            "max_connections", .integer(1...1_000_000, default: 10_000),
            "how many connections may be open ([Bounds on connections](#bounds-on-connections))"),
        // At least a few of the largest bodies.
        .restart(
            "bodies_megabytes", .integer(4...65_536, default: 64),
            """
            how much memory in MiB all bodies over 16 KiB may use together, from their arrival to their answer. A request whose body \
            does not fit is answered 503
            """),
        // Longer than the 60 seconds after which common balancers close an idle connection: the balancer must close first.
        .restart(
            "idle_timeout_seconds", .integer(1...3600, default: 75),
            "how long a connection may be idle; longer than [the balancer in front](DEPLOYING.md#idle-connections) keeps one"),
        .restart(
            "request_timeout_seconds", .integer(1...3600, default: 30),
            "how long a request may take to arrive; after that it is answered 408. Its headers may take 5 seconds of that"),
    ]

    // A certificate is renewed where it lies, which must not keep anything else from being taken over.
    static let publicTLSKeys: ConfigurationKeys = [
        .required(
            "certificate", .path(),
            """
            PEM: the server's certificate first, then those between it and the authority's, as certbot's `fullchain.pem` has them (`check` \
            warns when its issuer's is missing); text around them is ignored. Without `tls` \
            the listener speaks plain HTTP
            """),
        .required("key", .path(), "PEM: its private key, without a passphrase"),
        .onceSet(
            "client_authorities", .path(),
            "PEM: every caller must show a client certificate that one of these has issued ([Restricting callers](#restricting-callers))"),
    ]

    static let sharedHeaderKeys: ConfigurationKeys = [
        .required("name", .text(), "a header that every call must have"),
        .required("secret", .secrets, "its value: 16 to 512 visible ASCII characters, at most 8 values"),
    ]

    static let adminKeys: ConfigurationKeys = [
        .restart("host", .text(default: "127.0.0.1"), "as `listen.host`"),
        .restart("port", .integer(0...65535, default: 9090), "as `listen.port`"),
        .restart("unix", .path(), "as `listen.unix`"),
        .onceSet("tls", .object(tlsKeys)),
        .live(
            "token", .secret,
            """
            bearer token that may do everything, at least 32 random characters, used for nothing else. Without it and `admin.tokens` no \
            request is served that needs a token
            """),
        .live("tokens", .objects(adminTokenKeys)),
        .live(
            "metrics_need_token", .bool(default: false),
            """
            whether `/metrics` needs a token of the role `read` when only this machine reaches the listener. When other machines reach \
            it, it always does
            """),
        .restart("max_connections", .integer(1...1_000_000, default: 1000), "as `listen.max_connections`"),
        .restart("idle_timeout_seconds", .integer(1...3600, default: 60), "as `listen.idle_timeout_seconds`"),
        .restart("request_timeout_seconds", .integer(1...3600, default: 30), "as `listen.request_timeout_seconds`"),
    ]

    static let tlsKeys: ConfigurationKeys = [
        .required("certificate", .path(), "as `listen.tls.certificate`"),
        .required("key", .path(), "as `listen.tls.key`"),
    ]

    static let adminTokenKeys: ConfigurationKeys = [
        .required(
            "name", .text(),
            """
            who or what sends the token, such as `prometheus` or `anna`: 1 to 64 letters, digits, `-`, `_` or `.`. [Audit lines and \
            revocations](#names-of-admin-tokens) show it. No two tokens have the same name, whatever its case
            """),
        .required(
            "role", .word(of: AdminToken.Role.self),
            """
            `mint`, `read` or `operate` ([Roles](#roles-of-admin-tokens)). At most 32 tokens; several may have one role, for example \
            during a rotation
            """),
        .required("token", .secret, "a token that may do what its role allows"),
    ]
}
