extension ConfigurationReader {
    static let listenKeys: ConfigurationKeys = [
        .restart("host", .text(default: "127.0.0.1"), meaning: "the address to listen on; `0.0.0.0` or `::` for all"),
        .restart("port", .integer(0...65535, default: 8080), meaning: "the port; 0 takes a free one"),
        .restart("unix", .path(), meaning: "a Unix socket in place of host and port"),
        .onceSet("tls", .object(publicTLSKeys)),
        .onceSet("allow", .texts(), meaning: "CIDR blocks that may call, at most 1000 ([Restricting callers](#restricting-callers))"),
        .live(
            "trusted_proxies", .texts(),
            meaning: "CIDR blocks of your proxies; `\"unix\"` for the Unix socket ([Behind a proxy](#behind-a-proxy))"),
        .onceSet("shared_header", .object(sharedHeaderKeys)),
        .restart(
            "max_connections", .integer(1...1_000_000, default: 10_000),
            meaning: "maximum open connections ([limits](#bounds-on-connections))"),
        // The minimum has room for a few bodies of maximum size.
        .restart(
            "bodies_megabytes", .integer(4...65_536, default: 64),
            meaning: "MiB for all request bodies over 16 KiB; beyond it, requests are answered 503"),
        // The default exceeds the 60 seconds after which common load balancers close idle connections, because the balancer must close
        // first.
        .restart(
            "idle_timeout_seconds", .integer(1...3600, default: 75),
            meaning: "idle time of connections, longer than [the balancer's](DEPLOYING.md#idle-connections)"),
        .restart(
            "request_timeout_seconds", .integer(1...3600, default: 30),
            meaning: "time for a request to arrive (headers: 5 seconds), then 408"),
    ]

    // Certificates are renewed at the same path, so a changed file must not prevent a reload from applying other changes.
    static let publicTLSKeys: ConfigurationKeys = [
        .required("certificate", .path(), meaning: "PEM chain, server certificate first, like certbot's `fullchain.pem`"),
        .required("key", .path(), meaning: "PEM private key without a passphrase"),
        .onceSet("client_authorities", .path(), meaning: "PEM authorities of the client certificates that callers must show"),
    ]

    static let sharedHeaderKeys: ConfigurationKeys = [
        .required("name", .text(), meaning: "header that every call must have"),
        .required("secret", .secrets, meaning: "value of the header: 16 to 512 visible ASCII characters, at most 8 values"),
    ]

    static let adminKeys: ConfigurationKeys = [
        .restart("host", .text(default: "127.0.0.1"), meaning: "as `listen.host`"),
        .restart("port", .integer(0...65535, default: 9090), meaning: "as `listen.port`"),
        .restart("unix", .path(), meaning: "as `listen.unix`"),
        .onceSet("tls", .object(tlsKeys)),
        .live("token", .secret, meaning: "bearer token with all rights, at least 32 random characters"),
        .live("tokens", .objects(adminTokenKeys)),
        .live(
            "metrics_need_token", .bool(default: false),
            meaning: "requires role `read` for `/metrics`; always so if other machines reach the listener"),
        .restart("max_connections", .integer(1...1_000_000, default: 1000), meaning: "as `listen.max_connections`"),
        .restart("idle_timeout_seconds", .integer(1...3600, default: 60), meaning: "as `listen.idle_timeout_seconds`"),
        .restart("request_timeout_seconds", .integer(1...3600, default: 30), meaning: "as `listen.request_timeout_seconds`"),
    ]

    static let tlsKeys: ConfigurationKeys = [
        .required("certificate", .path(), meaning: "as `listen.tls.certificate`"),
        .required("key", .path(), meaning: "as `listen.tls.key`"),
    ]

    static let adminTokenKeys: ConfigurationKeys = [
        .required(
            "name", .text(), meaning: "[unique name](#names-of-admin-tokens), such as `anna`: 1 to 64 letters, digits, `-`, `_` or `.`"),
        .required(
            "role", .word(of: AdminToken.Role.self),
            meaning: "[role](#roles-of-admin-tokens): `mint`, `read` or `operate`; at most 32 tokens"),
        .required("token", .secret, meaning: "bearer token with the rights of its role"),
    ]
}
